"""Spans are exported if the environment configures it, and OpenTelemetry is not imported otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from aurora.tools.runtime.telemetry import choose_exporter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def aur(root: Path, *words: str, **environ: str) -> Any:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    return subprocess.run(
        [sys.executable, "-m", "aurora", *words],
        cwd=root,
        env={**clean, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def spans(text: str) -> list[dict[str, Any]]:
    """The JSON documents one after another, as the console exporter writes them."""
    decoder, found, rest = json.JSONDecoder(), [], text.strip()
    while rest:
        one, end = decoder.raw_decode(rest)
        found.append(one)
        rest = rest[end:].strip()
    return found


@pytest.mark.requirement("triads-44")
def test_a_call_is_a_span_with_its_code_and_without_arguments(root: Path) -> None:
    done = aur(root, "mem", "get", "--path", "a_private_name", OTEL_TRACES_EXPORTER="console")
    before, _, after = done.stderr.partition("aur: ")
    assert "there is no file" in after or "a_private_name" in after
    (span,) = spans(before)
    assert span["name"] == "execute_tool mem.get"
    assert span["attributes"]["gen_ai.tool.name"] == "mem.get"
    assert span["attributes"]["aurora.surface"] == "cli"
    assert span["attributes"]["error.type"] == "NOT_FOUND"
    assert span["status"] == {"status_code": "ERROR", "description": "NOT_FOUND"}
    assert span["resource"]["attributes"]["service.name"] == "aurora"
    assert "a_private_name" not in before


def test_a_phase_s_tool_is_a_span_within_its_step(root: Path) -> None:
    done = aur(root, "workflow", "step", "assess", "--input", "query=why", OTEL_TRACES_EXPORTER="console")
    inner, outer = spans(done.stderr)
    assert (inner["name"], outer["name"]) == ("execute_tool complexity.assess", "execute_tool workflow.step")
    assert inner["parent_id"] == outer["context"]["span_id"]
    assert inner["attributes"]["aurora.request_id"] == outer["attributes"]["aurora.request_id"]


@pytest.fixture
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """An endpoint for spans over HTTP, and what it was sent."""
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()
        thread.join()


def test_a_short_command_sends_its_span_before_it_ends(root: Path, collector: Any) -> None:
    endpoint, received = collector
    done = aur(root, "tools", "list", "--json", OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    assert json.loads(done.stdout)["tools"]
    (path, body), *more = received
    assert path == "/v1/traces"
    assert b"execute_tool tools.list" in body
    assert not more


def test_an_unreachable_endpoint_does_not_fail_a_call(root: Path) -> None:
    done = aur(root, "tools", "list", "--json", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 0
    assert json.loads(done.stdout)["tools"]
    assert done.stderr == "aur: spans cannot be sent to http://127.0.0.1:9; tool calls are not delayed\n"


def test_an_unknown_exporter_is_reported(root: Path) -> None:
    done = aur(root, "tools", "list", "--json", OTEL_TRACES_EXPORTER="zipkin")
    assert json.loads(done.stdout)["tools"]
    assert done.stderr == 'aur: no spans are exported: OTEL_TRACES_EXPORTER is "zipkin", not otlp or console\n'


def test_without_an_exporter_opentelemetry_is_not_imported(root: Path) -> None:
    program = (
        "import sys; from aurora.cli.main import main; main(['tools', 'list', '--json'])\n"
        "sys.stderr.write(str([name for name in sys.modules if name.startswith('opentelemetry')]))"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=clean, capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]"


@pytest.mark.parametrize(
    ("environ", "meant"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, None),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "console"}, None),
    ],
)
def test_the_environment_selects_the_exporter(environ: dict[str, str], meant: str | None) -> None:
    assert choose_exporter(environ) == meant
