"""`aur init --url` against a real server: what it writes works, and what does not answer is not called ready."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Tenants


@pytest.fixture
def clone(tenants: Tenants, tmp_path: Path) -> Path:
    """Return a clone on another machine, with the home of the tenants for its person."""
    folder = tmp_path / "clone"
    folder.mkdir()
    tenants.home.environ = {"PATH": "/usr/bin:/bin"}
    return folder


def test_init_writes_an_entry_that_the_server_answers(tenants: Tenants, clone: Path) -> None:
    url = f"http://127.0.0.1:{tenants.server.port}/p/alpha/mcp"
    words = ("init", "--yes", "--hosts", "claude-code", "--project", str(clone), "--url", url, "--token-env", "T")
    tenants.home.environ["T"] = tenants.alpha
    done = tenants.home.run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{url} answers, and offers aurora_query, aurora_search, aurora_get, for Claude Code" in done.stdout
    assert "Ready." in done.stdout
    entry = json.loads((clone / ".mcp.json").read_text("utf-8"))["mcpServers"]["aurora"]
    assert entry["headers"] == {"Authorization": "Bearer ${T}"}
    assert not (clone / ".aurora" / "memory.db").exists()
    assert tenants.alpha not in "".join(
        path.read_text("utf-8", "replace") for path in clone.rglob("*") if path.is_file()
    )
    status = json.loads(tenants.home.run("hosts", "status", "--json", "--project", str(clone)).stdout)
    assert [(row["status"], row["url"], row["connected"]) for row in status["files"]] == [
        ("configured", url, "not known")
    ]


@pytest.mark.parametrize(
    ("project", "value", "said", "code"),
    [
        ("alpha", "", "is not called, since T is not set here", 0),
        ("alpha", "wrong", "it refuses the token (HTTP 401)", 1),
        ("beta", "own", "it has no such project for this token (HTTP 404)", 1),
        ("alpha", "a\nb", "the value of T has characters that no token has", 1),
    ],
)
def test_init_does_not_call_ready_what_does_not_answer(  # noqa: PLR0913, PLR0917 - a row of the table
    tenants: Tenants, clone: Path, project: str, value: str, said: str, code: int
) -> None:
    url = f"http://127.0.0.1:{tenants.server.port}/p/{project}/mcp"
    tenants.home.environ["T"] = tenants.alpha if value == "own" else value
    words = ("init", "--yes", "--hosts", "claude-code", "--project", str(clone), "--url", url, "--token-env", "T")
    done = tenants.home.run(*words)
    assert said in done.stdout
    assert "Ready." not in done.stdout
    assert done.returncode == code, done.stdout


def test_a_clone_cannot_send_a_token_anywhere(tenants: Tenants, clone: Path) -> None:
    url = f"http://127.0.0.1:{tenants.server.port}/p/alpha/mcp"
    entry = {"type": "http", "url": url, "headers": {"Authorization": "Bearer ${T}"}}
    (clone / ".mcp.json").write_text(json.dumps({"mcpServers": {"aurora": entry}}), "utf-8")
    tenants.home.environ |= {"T": tenants.alpha, "AURORA_TRUST": "0"}
    before = tenants.server.log.read_text()
    done = tenants.home.run("doctor", "--only", "mcp.http", "--project", str(clone))
    assert f"{url} is not called, since this folder is not trusted" in done.stdout
    assert tenants.server.log.read_text() == before
    del tenants.home.environ["AURORA_TRUST"]
    assert f"{url} answers" in tenants.home.run("doctor", "--only", "mcp.http", "--project", str(clone)).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", ""), "--url is empty"),
        (("--token-env", ""), "--token-env is empty"),
        (("--token-env", "T"), "a token needs the address of a server"),
        (("--url", "https://a.example.org/mcp", "--hooks"), "hooks ask a server on this machine"),
        (("--url", "https://a.example.org/mcp", "--remove"), "leave out --url"),
        (("--url", "http://a.example.org/mcp", "--token-env", "T"), "over plain http"),
        (("--url", "https://ann:secret@a.example.org/mcp"), "has credentials in it"),
    ],
)
def test_wrong_input_writes_nothing(tenants: Tenants, clone: Path, words: tuple[str, ...], said: str) -> None:
    for way in ("--yes", "--dry-run"):
        done = tenants.home.run("init", way, "--hosts", "claude-code", "--project", str(clone), *words)
        assert done.returncode in {1, 2}
        assert said in done.stderr
        assert "secret" not in done.stderr + done.stdout
    assert list(clone.iterdir()) == []
