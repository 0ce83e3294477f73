"""Workers of a team: `aur mcp` processes over one memory, and clients that walk SOAR through them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from aurora.interpreter.lab.generate import generate_least_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PATIENCE = 120.0
MAX_CALLS = 40
QUESTIONS = (
    "Where is JSONDecoder defined?",
    "Which function scans a string?",
    "Explain how the decoder reports an error and add a check for the position of a colon",
)


class WorkerError(Exception):
    """Error of a worker that ended before it answered."""


class Server(Protocol):
    """Server that clients call."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; return its structured content.

        Raises:
            WorkerError: the server ended first.
        """


class Worker:
    """One `aur mcp` process; thread-safe: its calls run at the same time."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "aurora", "mcp"],
            cwd=root,
            env={**os.environ, "AURORA_WATCH": "0", "AURORA_LOG": "error", **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lock = threading.Lock()
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._last = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "team", "version": "1"}}
        self._request("initialize", client).result(PATIENCE)

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool; return its structured content.

        Raises:
            WorkerError: the process ended first.
        """
        answer = self._request("tools/call", {"name": tool, "arguments": arguments}).result(PATIENCE)
        found: dict[str, Any] = answer["result"]["structuredContent"]
        return found

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._reader.join()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, method: str, params: Any) -> Future[dict[str, Any]]:
        assert self._process.stdin is not None
        answer: Future[dict[str, Any]] = Future()
        with self._lock:
            self._last += 1
            self._waiting[self._last] = answer
            message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
            try:
                self._process.stdin.write(json.dumps(message).encode() + b"\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                answer.set_exception(WorkerError())
                self._waiting.pop(self._last)
        return answer

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            waiting = self._waiting.pop(message.get("id", -1), None)
            if waiting is not None:
                waiting.set_result(message)
        with self._lock:
            for waiting in self._waiting.values():
                waiting.set_exception(WorkerError())
            self._waiting.clear()


class Walk(NamedTuple):
    """Walk through SOAR: the run, and the milliseconds of each call."""

    run: str
    times: tuple[float, ...]


@dataclass
class Client:
    """Client of some workers; when one ends, it goes on with the next.

    Attributes:
        workers: the workers, its own first.
        acknowledged: steps that it has a response for, by run.
        retries: calls that it repeated, since a worker or the database was gone.
    """

    workers: Sequence[Server]
    acknowledged: dict[str, int] = field(default_factory=dict)
    retries: int = 0

    def walk(self, question: str) -> Walk:
        """Walk a question to the end of its run."""
        arguments: dict[str, Any] = {"phase": "assess", "query": question}
        times: list[float] = []
        for _ in range(MAX_CALLS):
            began = time.perf_counter()
            response = self._call(arguments)
            times.append((time.perf_counter() - began) * 1000)
            following = response["next_call"]
            if response["status"] == "error" and not _is_led_on(arguments, response):
                following = self._recover(arguments, response)
            else:
                self.acknowledged[response["run"]] = self.acknowledged.get(response["run"], 0) + 1
            if following is None:
                return Walk(response["run"] or arguments["run"], tuple(times))
            arguments = dict(following["arguments"])
            if "answer" in following["needs"]:
                arguments["answer"] = _answer(following["needs"]["answer"], response)
        raise AssertionError(f"{question}: no end within {MAX_CALLS} calls")

    def _call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call the current worker; repeat the call on the next one, or while the database is away."""
        deadline = time.monotonic() + PATIENCE
        error: Mapping[str, Any] = {}
        while time.monotonic() < deadline:
            try:
                response = self.workers[0].call("aurora_query", arguments)
            except WorkerError:
                self.workers = self.workers[1:]
                self.retries += 1
                continue
            error = response.get("error") or {}
            if error.get("code") not in {"UPSTREAM_ERROR", "TIMEOUT"} or _is_led_on(arguments, response):
                return response
            self.retries += 1
        raise AssertionError(f"no worker answers: {error}")

    def _recover(self, arguments: Mapping[str, Any], response: dict[str, Any]) -> Any:
        """Return the call that is due after a repeated call whose first time was stored, though not answered."""
        assert "run" in arguments, response
        found = self.workers[0].call("aurora_query", {"phase": "continue", "run": arguments["run"]})
        response |= found
        return found["next_call"]


def _is_led_on(arguments: Mapping[str, Any], response: Mapping[str, Any]) -> bool:
    """Recognize a failed phase with `on_error`: the step is stored, and the run goes on at another phase."""
    following = response["next_call"]
    return following is not None and following["arguments"].get("phase") not in {arguments["phase"], None}


def _answer(schema: dict[str, Any], response: dict[str, Any]) -> Any:
    """Make the least answer that a schema allows; one for each of several prompts."""
    prompts = response["prompt_template"]
    if isinstance(prompts, list) and schema.get("type") == "array":
        return [generate_least_value(schema["items"]) for _ in prompts]
    return generate_least_value(schema)


def walk_all(clients: Sequence[Client], runs: int) -> Iterator[Walk]:
    """Walk so many runs with all clients at the same time; yield them when all are done."""
    numbers = iter(range(runs))
    lock = threading.Lock()
    walks: list[Walk] = []
    errors: list[BaseException] = []

    def work(client: Client) -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None or errors:
                return
            try:
                walks.append(client.walk(QUESTIONS[number % len(QUESTIONS)]))
            except BaseException as error:  # noqa: BLE001 - raised in the thread of the test
                errors.append(error)

    threads = [threading.Thread(target=work, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    yield from walks
