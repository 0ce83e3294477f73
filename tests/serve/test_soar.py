"""All nine phases of SOAR go over HTTP, in both eras of the protocol, with the official client and a token."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from .conftest import MODERN, bearer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Home

pytestmark = pytest.mark.anyio
PHASES = ["assess", "retrieve", "decompose", "verify", "route", "collect", "synthesize", "record", "respond"]
QUESTION = "How does the CliRunner isolate standard output while it invokes a command?"
TASKS = {
    "s1": "Read CliRunner.isolation in click/testing.py: how it isolates standard output",
    "s2": "Read CliRunner.invoke in click/testing.py: how it invokes a command in that isolation",
}
MOST_STEPS = 40


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


def think(step: dict[str, Any]) -> Any:
    """Return what a host that thinks answers to a prompt of SOAR."""
    text = "\n".join(step["prompt_template"]) if step["phase"] == "collect" else step["prompt_template"]
    cited = re.findall(r"^(code:\w+) ", text, re.MULTILINE)[:2]
    if step["phase"] == "decompose":
        subgoals = [
            {"id": name, "description": task, "depends_on": [], "agent": None, "critical": name == "s1"}
            for name, task in TASKS.items()
        ]
        return {
            "goal": "Explain how CliRunner isolates standard output while it invokes a command.",
            "subgoals": subgoals,
        }
    if step["phase"] == "collect":
        output = "click/testing.py puts its own streams in place of sys.stdout and restores them at the end."
        return [{"status": "done", "output": output, "citations": cited} for _ in step["prompt_template"]]
    return {"answer": "CliRunner.isolation replaces sys.stdout.", "citations": cited, "confidence": 0.9}


@pytest.mark.requirement("aura-16")
@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_all_nine_phases_go_over_http(served_click: Address, mode: str) -> None:
    async with (
        httpx2.AsyncClient(headers=bearer(served_click.token), timeout=120) as session,
        Client(streamable_http_client(served_click.url, http_client=session), mode=mode) as client,
    ):
        arguments: dict[str, Any] = {"phase": "assess", "query": QUESTION}
        steps: list[Any] = []
        while len(steps) < MOST_STEPS:
            steps.append((await client.call_tool("aurora_query", arguments)).structured_content)
            call = steps[-1]["next_call"]
            if call is None:
                break
            arguments = {**call["arguments"], **({"answer": think(steps[-1])} if "answer" in call["needs"] else {})}
    assert list(dict.fromkeys(step["phase"] for step in steps)) == PHASES
    assert {step["status"] for step in steps} == {"complete"}
    assert {step["run"] for step in steps} == {steps[0]["run"]}
    assert steps[-1]["next_action"] == "end"
    assert "click/testing.py" in steps[-1]["result"]["text"]
