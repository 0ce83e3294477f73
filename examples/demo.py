"""`make demo`: index this repository, serve it over MCP, and run two questions through SOAR.

The clone stays clean: the memory is a database in `build/demo`, which the page can show afterwards. The assistant's
answers are scripted; everything else is real: the indexer, the server as a process of its own, the official client on
its standard input and output.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from demo_answers import Answers
from demo_screen import Screen
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FOLDER = ROOT / "build" / "demo"
"""Folder of the demo's memory; git ignores it."""
MAX_CALLS = 40
"""A longer run is an infinite loop."""


@dataclass
class Walk:
    """One question in progress: the client, the scripted answers, the screen, and the running totals."""

    client: Client
    answers: Answers
    screen: Screen
    calls: int = 0
    characters: int = 0
    began: float = field(default_factory=time.perf_counter)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool, and count its response as a host would pay for it."""
        self.calls += 1
        result = await self.client.call_tool(tool, dict(arguments))
        answer: dict[str, Any] = result.structured_content or {}
        self.characters += len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))
        return answer

    async def ask(self, question: str) -> str:
        """Run a question to its end as a host does: send `next_call`, and add what it needs.

        Returns:
            The id of the run.
        """
        arguments: dict[str, Any] = {"query": question}
        for _ in range(MAX_CALLS):
            response = await self.call("aurora_query", arguments)
            self.screen.response(arguments, response)
            self.answers.note_chunks(response)
            if response["status"] == "error":
                sys.exit(f"the demo stopped in {response['phase']}: {response['error']['message']}")
            following = response["next_call"]
            if following is None:
                return str(response["run"])
            arguments = dict(following["arguments"])
            if "answer" in following["needs"]:
                arguments["answer"] = await self.answers.get_answer(response, self.call)
                self.screen.answer(response["phase"], arguments["answer"])
        sys.exit(f"the demo did not end within {MAX_CALLS} calls")


async def walk(environment: dict[str, str], screen: Screen, log: Path) -> str:
    """Serve the project, ask both questions, and return the run of the first."""
    answers = Answers.read(HERE / "demo_answers.yaml")
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "aurora", "mcp", "--project", str(ROOT)], env=environment, cwd=str(ROOT)
    )
    with log.open("w", encoding="utf-8") as errors:
        async with Client(stdio_client(server, errlog=errors)) as client:
            tools = (await client.list_tools()).tools
            screen.served([(tool.name, tool.title or "") for tool in tools])
            screen.question(1, answers.question, "takes all nine phases")
            long = Walk(client, answers, screen)
            run = await long.ask(answers.question)
            screen.walked(long.calls, long.characters, time.perf_counter() - long.began)
            screen.question(2, answers.simple, "is answered after two")
            short = Walk(client, answers, screen)
            await short.ask(answers.simple)
            screen.walked(short.calls, short.characters, time.perf_counter() - short.began)
    return run


def main() -> None:
    """Index, serve, run, and show the journal."""
    screen = Screen()
    screen.introduce()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    environment = {**os.environ, "AURORA_DB": str(FOLDER / "memory.db"), "READ_ONLY": ""}
    aur = [sys.executable, "-m", "aurora", "--project", str(ROOT)]
    screen.step("Index this repository", "aur mem index")
    subprocess.run([*aur, "mem", "index"], env=environment, check=True)
    screen.step("Serve it to an assistant", "aur mcp")
    run = anyio.run(walk, environment, screen, FOLDER / "server.log")
    screen.step("Show why the run went where it went", f"aur runs show {run}")
    subprocess.run([*aur, "runs", "show", run], env=environment, check=True)
    database = (FOLDER / "memory.db").relative_to(ROOT)
    screen.farewell(f"AURORA_DB={database} {sys.executable} -m aurora --project {ROOT} ui --run {run} --open")


if __name__ == "__main__":
    main()
