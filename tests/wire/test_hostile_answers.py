"""A hostile answer is accepted or refused with a reason, in bounded time, and the run goes on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Project, Server

WORKFLOW = """aurora: 1
name: open
version: 1.0.0
start: one
phases:
  one:
    prompt_template: open.md
    answer: {}
    next_action: two
  two:
    uses: mem.stats
    next_action: end
"""
MAX_MEGABYTES = 700


def wrap(text: str, times: int) -> str:
    for _ in range(times):
        text = json.dumps(text)
    return text


REFUSED: dict[str, str | bytes] = {
    "ten megabytes": json.dumps("x" * 10_000_000),
    "a million items": json.dumps([0] * 1_000_000),
    "a million objects": "[" + '{"a":[]},' * 1_000_000 + "0]",
    "many keys": json.dumps(dict.fromkeys(map(str, range(200_000)))),
    "a key of a megabyte": json.dumps({"k" * 1_000_000: 1}),
    "deep": "[" * 20_000 + "]" * 20_000,
    "a little too deep": "[" * 150 + "]" * 150,
    "not a number": "NaN",
    "infinity": "[-Infinity]",
    "a large float": "1e999999",
    "a long integer": "9" * 30_000,
    "an integer at the limit of Python": '{"a":' + "9" * 4_300 + "}",
    "half a surrogate": '"\\ud800"',
    "half a surrogate in a key": '{"\\udfff":1}',
    "nothing": "null",
}
ACCEPTED: dict[str, str | bytes] = {
    "nested": "[" * 90 + "]" * 90,
    "a long float": "0." + "1" * 500_000,
    "a long text": json.dumps("x" * 900_000),
    "fifty thousand numbers": json.dumps([1] * 50_000),
    "a key twice": '{"a":1,"a":2}',
    "a string of strings": wrap('{"a":1}', 12),
    "bytes that are not UTF-8": b'"\xed\xa0\x80\xff"',
    "a zero byte": '"\\u0000"',
}


def test_hostile_answers_neither_stop_the_server_nor_lose_the_run(project: Project) -> None:
    folder = project.root / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "open.yaml").write_text(WORKFLOW, encoding="utf-8")
    (folder / "open.md").write_text("Say anything.\n", encoding="utf-8")
    server = project.serve("--toolsets", "all").shake_hands()

    run = begin(server)
    for name, answer in REFUSED.items():
        reply = send_answer(server, run, answer)
        if "error" in reply:
            fault = reply["error"]["data"]["error"]
        else:
            assert reply["result"]["isError"], name
            fault = reply["result"]["structuredContent"]["error"]
        assert fault["code"] == "INVALID_INPUT", name
        assert len(fault["message"]) < 400, name
    for name, answer in ACCEPTED.items():
        reply = send_answer(server, run, answer)  # the first one is the answer to the prompt that was refused so far
        assert reply["result"]["structuredContent"]["status"] == "complete", name
        run = begin(server)
    assert read_peak_megabytes(server) < MAX_MEGABYTES
    assert server.close() == 0


def begin(server: Server) -> str:
    server.call("begin", "aurora_query", {"workflow": "open", "phase": "one"})
    return str(server.answer("begin")["result"]["structuredContent"]["run"])


def send_answer(server: Server, run: str, answer: str | bytes) -> dict[str, Any]:
    arguments = f'{{"phase":"two","run":"{run}","answer":'
    head = f'{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"aurora_query","arguments":{arguments}'
    server.send(head.encode() + (answer if isinstance(answer, bytes) else answer.encode()) + b'}},"id":"answer"}')
    return server.answer("answer")


def read_peak_megabytes(server: Server) -> int:
    if sys.platform != "linux":
        return 0
    lines = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))
