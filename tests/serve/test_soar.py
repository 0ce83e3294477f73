"""All nine phases of SOAR go over HTTP, in both eras of the protocol, with the official client and a token."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.soar_host import PHASES, QUESTIONS, brought, follow

from .conftest import MODERN, bearer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Home

pytestmark = pytest.mark.anyio


class Address(NamedTuple):
    """Address of a served project, and a token for it."""

    url: str
    token: str


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def served_click(tmp_path_factory: pytest.TempPathFactory, make_home: Callable[..., Home]) -> Iterator[Address]:
    """Serve the sources of Click."""
    folder = tmp_path_factory.mktemp("clicks")
    shutil.copytree(Path(click.__file__).parent, folder / "click", ignore=shutil.ignore_patterns("__pycache__"))
    home = make_home()
    assert home.run("mem", "index", "--project", str(folder)).returncode == 0
    home.write(f'[projects.click]\nfolder = "{folder}"\n')
    token = home.add_token("Ann", "--project", "click", "--scope", "write")
    with home.start() as server:
        yield Address(f"http://127.0.0.1:{server.port}/p/click/mcp", token)


@pytest.mark.requirement("aura-16")
@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_all_nine_phases_go_over_http(served_click: Address, mode: str) -> None:
    async with (
        httpx2.AsyncClient(headers=bearer(served_click.token), timeout=120) as session,
        Client(streamable_http_client(served_click.url, http_client=session), mode=mode) as client,
    ):
        steps = await follow(client, {"phase": "assess", "query": QUESTIONS["MEDIUM"]}, brought)
    assert list(dict.fromkeys(step["phase"] for step in steps)) == PHASES
    assert {step["status"] for step in steps} == {"complete"}
    assert {step["run"] for step in steps} == {steps[0]["run"]}
    assert steps[-1]["next_action"] == "end"
    assert "the person your answer" in steps[-1]["guidance"]
