"""A project with runs, `aur ui` as a process of its own in a terminal, and a browser's session with it."""

from __future__ import annotations

import contextlib
import html
import os
import pty
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from aurora.tools.runtime import Workspace
from aurora.tools.workflows.query import step_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

HOSTILE = "</pre><script>window.hit=1</script><img src=x onerror=window.hit=1>\"'"
"""Text that a page must show and never run."""
WORKFLOW = """\
aurora: 2
name: gated
version: 1.0.0
title: "Draft & <i>review</i> <script>window.hit=1</script>"
start: draft
phases:
  draft:
    title: "Write it </title><script>window.hit=1</script>"
    inputs: { task: { type: string } }
    prompt_template: Do {{ task }}.
    answer: { type: object, required: [text, ready], properties: { text: { type: string }, ready: { type: boolean } } }
    next_action:
      - { when: "answer.ready == `true`", then: approve }
      - { then: draft, max: 3, else: stopped, say: "Not ready: <b>once more</b>." }
  approve:
    inputs: { text: { from: phases.draft.answer.text, type: string } }
    person:
      message: "Is this right? {{ text }}"
      form:
        sure: { type: boolean }
        times: { type: integer, default: 1, minimum: 1, maximum: 9 }
        remark: { type: string, default: "" }
      on_decline: stopped
    next_action:
      - { when: "answer.sure == `true`", then: publish }
      - { then: draft, max: 2, else: stopped }
  publish:
    next_action: end
  stopped:
    next_action: end
"""
ANSWER = """\
aurora: 2
name: answering
version: 1.0.0
start: solve
output:
  status: { from: phases.solve.answer.status, type: string }
phases:
  solve:
    inputs: { task: { type: string } }
    prompt_template: Solve {{ task }}.
    answer:
      type: object
      required: [answer, status]
      properties:
        answer: { type: string }
        status: { type: string }
        citations: { type: array, items: { type: string } }
    next_action:
      - { when: "answer.status != 'retry'", then: end }
      - { then: solve, max: 2, else: end }
"""
SOURCE = f'''\
"""Charging of cards. {HOSTILE}"""


def charge_card(card: str, cents: int) -> str:
    """Charge the card {HOSTILE!r}; retry while the gateway fails."""
    return retry_charge(card, cents)


def retry_charge(card: str, cents: int) -> str:
    """Retry a charge, at most five times."""
    return f"{{card}} {{cents}}"
'''


PROGRAM: list[str] = []
"""Command line of `aur`, set for all tests."""


@pytest.fixture(scope="session", autouse=True)
def _start_fast(aur_program: str) -> None:
    PROGRAM[:] = [aur_program]


@dataclass
class Response:
    """Response of the page."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def shown(self) -> str:
        """The text with its character references resolved."""
        return html.unescape(self.text)


@dataclass
class Session:
    """Session of a browser without JavaScript: it keeps cookies, and sends what a browser would."""

    host: str
    cookies: dict[str, str] = field(default_factory=dict)

    def request(self, method: str, path: str, body: str | None = None, **headers: str) -> Response:
        """Send a request; names of headers have `_` for `-`."""
        connection = HTTPConnection(self.host, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with contextlib.closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            if "set-cookie" in found:
                name, _, value = found["set-cookie"].partition(";")[0].partition("=")
                self.cookies[name] = value
            return Response(answer.status, found, answer.read().decode())

    def get(self, path: str) -> Response:
        """Fetch a page."""
        return self.request("GET", path)

    def post(self, path: str, fields: Mapping[str, Any], **headers: str) -> Response:
        """Send a form, as a browser does from a page of this site."""
        sent = {"Origin": f"http://{self.host}", "Content_Type": "application/x-www-form-urlencoded", **headers}
        return self.request("POST", path, urlencode(fields), **{k: v for k, v in sent.items() if v})

    def read_fields(self, page: str) -> dict[str, str]:
        """Return the hidden fields of the first form that is sent by POST."""
        form = page.partition('<form method="post"')[2].partition("</form>")[0]
        return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))


@dataclass
class PageProcess:
    """Process of `aur ui`."""

    process: subprocess.Popen[bytes]
    link: str

    @property
    def host(self) -> str:
        """Host and port."""
        return self.link.partition("//")[2].partition("/")[0]

    def open_session(self) -> Session:
        """Open the link, which works once."""
        session = Session(self.host)
        answer = session.get(f"/{self.link.partition('/?')[2] and '?' + self.link.partition('/?')[2]}")
        assert answer.status == 303, answer.text
        return session


@contextlib.contextmanager
def run_page(*folders: Path, has_terminal: bool = True, options: tuple[str, ...] = ()) -> Iterator[PageProcess]:
    """Run `aur ui` in a terminal of its own, or with a pipe."""
    command = [*PROGRAM, "ui", *options, *map(str, folders)]
    if has_terminal:
        control, terminal = pty.openpty()
        process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=subprocess.STDOUT)
        os.close(terminal)
    else:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert process.stdout is not None
        control = process.stdout.fileno()
    printed = b""
    while not (found := re.search(rb"(http://\S+\?token=\S+)\s", printed)):
        some = os.read(control, 4096)
        assert some, printed.decode()
        printed += some
    try:
        yield PageProcess(process, found[1].decode())
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        if has_terminal:
            os.close(control)
        elif process.stdout is not None:
            process.stdout.close()


def step(workspace: Workspace, **arguments: Any) -> dict[str, Any]:
    """Step a run as a host does, which sends the step of the last call with its answer."""
    if "answer" in arguments and "run" in arguments:
        last = step_workflow(workspace, {"phase": "continue", "run": arguments["run"]}, "test")
        arguments = {**arguments, **{k: v for k, v in last["next_call"]["arguments"].items() if k == "step"}}
    response = step_workflow(workspace, arguments, "test")
    assert response["status"] != "error", response["error"]
    return response


def make_waiting_run(workspace: Workspace, task: str = "the task") -> str:
    """Make a run of `gated` that waits for the person after two drafts."""
    run = step(workspace, workflow="gated", phase="draft", task=task)["run"]
    step(workspace, phase="continue", run=run, answer={"text": "first", "ready": False})
    waiting = step(workspace, phase="continue", run=run, answer={"text": HOSTILE, "ready": True})
    assert waiting["status"] == "waiting"
    return str(run)


def make_answered_run(workspace: Workspace, task: str, status: str) -> str:
    """Make a run of `answering` that ended, with an answer in Markdown that attacks the page."""
    run = step(workspace, workflow="answering", phase="solve", task=task)["run"]
    found = "# Found\n\n`charge_card` **retries**:\n\n- five times\n\n"
    text = f"{found}![x](http://e.test/x.png) [go](http://e.test) {HOSTILE}"
    cited = ["payments.py:4", "code:0123456789ab"]
    step(workspace, phase="continue", run=run, answer={"answer": text, "status": status, "citations": cited})
    return str(run)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of files and texts that attack the page, indexed."""
    root = tmp_path_factory.mktemp("pages") / "shop"
    (root / ".aurora" / "workflows").mkdir(parents=True)
    (root / ".aurora" / "workflows" / "gated.yaml").write_text(WORKFLOW, encoding="utf-8")
    (root / ".aurora" / "workflows" / "answering.yaml").write_text(ANSWER, encoding="utf-8")
    (root / "payments.py").write_text(SOURCE, encoding="utf-8")
    (root / "<img src=x onerror=alert(1)>.py").write_text("def evil_name():\n    return charge_card()\n")
    (root / "notes.md").write_text(f"# Notes\n\nCharging retries. {HOSTILE}\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run([*PROGRAM, "--project", str(root), "mem", "index"], check=True)
    return root


@pytest.fixture
def project(seeded: Path, tmp_path: Path) -> Path:
    """A copy of the project that the test may change."""
    root = tmp_path / "shop"
    shutil.copytree(seeded, root)
    return root


@pytest.fixture
def make_run(project: Path) -> Callable[[str], str]:
    """Make a waiting run in the project."""

    def make(task: str) -> str:
        with Workspace(project) as workspace:
            return make_waiting_run(workspace, task)

    return make
