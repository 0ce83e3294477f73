"""The session of the page: who gets in, and what other sites and names of this machine cannot do."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from aurora.ui.local import SessionGate
from aurora.ui.request import Visitor
from tests.growth import is_linear

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

from .conftest import PageProcess, Session, run_page


@pytest.fixture(scope="module")
def page(seeded: Path) -> Iterator[PageProcess]:
    with run_page(seeded) as process:
        yield process


def test_the_link_works_once_and_leads_to_an_address_without_the_token(seeded: Path) -> None:
    with run_page(seeded) as page:
        token = page.link.partition("token=")[2]
        session = Session(page.host)
        opened = session.get(f"/?token={token}")
        assert (opened.status, opened.headers["location"]) == (303, "/")
        assert re.fullmatch(
            rf"aurora_{page.host.rpartition(':')[2]}=\S+; HttpOnly; Path=/; SameSite=strict",
            opened.headers["set-cookie"],
        )
        assert session.get("/p/shop/runs").status == 200
        again = Session(page.host)
        assert again.get(f"/?token={token}").status == 401
        assert "works once" in again.get(f"/?token={token}").text
        assert again.get("/p/shop/runs").status == 401
        assert session.get(f"/?token={token}").status == 303


def test_the_session_is_found_among_the_cookies_of_other_ports(seeded: Path) -> None:
    with run_page(seeded) as page:
        session = page.open_session()
        session.cookies = {"aurora_1": "x", **session.cookies, "other": '"{}"'}
        assert session.get("/p/shop/runs").status == 200


def test_a_hostile_cookie_takes_linear_time_without_a_session() -> None:
    async def answer(*given: Any) -> None:
        pass

    gate = SessionGate(answer, 8000, Visitor("", "x"))

    def send(cookie: str) -> None:
        scope: Any = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "root_path": ""}
        asyncio.run(gate({**scope, "headers": [(b"cookie", cookie.encode())]}, answer, answer))

    short, long = ('a="' + "\\" * length + '"' for length in (8_000, 31_000))
    assert is_linear(send, short, long)


@pytest.mark.parametrize("path", ["/", "/p/shop/runs", "/p/shop/live", "/p/shop/memory", "/nothing"])
def test_without_a_session_no_page_says_anything_of_the_project(page: PageProcess, path: str) -> None:
    stranger = Session(page.host, {f"aurora_{page.host.rpartition(':')[2]}": "wrong"})
    answer = stranger.get(path)
    assert answer.status == 401
    assert "shop" not in answer.text


def test_another_name_of_this_machine_is_refused_so_that_dns_rebinding_reads_nothing(page: PageProcess) -> None:
    answer = Session(page.host).request("GET", "/", Host="evil.example:80")
    assert answer.status == 421


def test_the_page_is_reached_from_this_machine_only(page: PageProcess) -> None:
    port = int(page.host.rpartition(":")[2])
    with open(f"/proc/{page.process.pid}/net/tcp", encoding="ascii") as table:  # noqa: PTH123 - not a file of a folder
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]


def test_every_page_forbids_inline_scripts_frames_and_other_hosts(seeded: Path) -> None:
    with run_page(seeded) as page:
        session = page.open_session()
        for path in ("/?all", "/p/shop/runs", "/p/shop/nothing", "/p/none/runs"):
            answer = session.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert not re.search(
                r"<script(?! src=\")|<style|style=\"|\son\w+=|javascript:|https?://(?!www\.w3\.org/2000/svg)",
                answer.text,
            )


@pytest.mark.parametrize(
    "path",
    [
        "/static/../pyproject.toml",
        "/static/..%2f..%2fpyproject.toml",
        "/static/page.css",
        "/p/..%2f..%2fetc/runs",
        "/p/shop/runs/..%2f..%2fetc%2fpasswd",
        "/p/shop/runs/x%00y",
    ],
)
def test_no_address_leads_to_a_file(page: PageProcess, seeded: Path, path: str) -> None:
    with run_page(seeded) as other:
        answer = other.open_session().get(path)
    assert answer.status == 404
    assert page.process.poll() is None


def test_the_process_ends_at_ctrl_c_with_open_pages(seeded: Path) -> None:
    with run_page(seeded) as page:
        session = page.open_session()
        assert session.get("/p/shop/runs").status == 200
    assert page.process.returncode == 0
    assert not os.path.exists(f"/proc/{page.process.pid}/fd")  # noqa: PTH110 - a process, not a file


@pytest.mark.parametrize("name", ["AURORA_DB", "AURORA_DATABASE"])
def test_several_folders_with_one_database_are_refused(
    aur_program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folders = [tmp_path / each for each in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setenv(name, "postgresql://db.example/aurora" if name == "AURORA_DATABASE" else "shared.db")
    refused = subprocess.run([aur_program, "ui", *folders], check=False, capture_output=True, text=True)
    assert refused.returncode == 1
    assert f"{name} makes all 2 folders use one database" in refused.stderr
    assert "Name one folder" in refused.stderr
