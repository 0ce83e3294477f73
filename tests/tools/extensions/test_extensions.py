"""Tools of installed distributions, which are real folders of code and metadata on the path of a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ECHO = """
from aurora.tools.core import Example, StrictModel, Tool


class EchoInput(StrictModel):
    text: str


class EchoOutput(StrictModel):
    text: str
    length: int


def echo(given, context):
    if given.text == "fail":
        raise ValueError(given.text)
    return EchoOutput(text=given.text, length=len(given.text))


def make(name="echo.text", **more):
    facts = dict(
        name=name, title="Echo", description="Return the text.", input=EchoInput, output=EchoOutput, run=echo,
        family="reasoning", risk="read", idempotent=True, timeout=5.0, examples=(Example("A word", {"text": "a"}),),
        phases=True,
    )
    return Tool(**{**facts, **more})


TOOL = make()
"""
FILES = {
    "echo_tools/__init__.py": "print('surely on standard error')\n",
    "echo_tools/echo.py": ECHO,
    "echo_tools/writer.py": "from .echo import make\nTOOL = make('echo.writer', risk='write')\n",
    "echo_tools/commander.py": "from .echo import make\nTOOL = make('echo.commander', mcp='aurora_echo')\n",
    "echo_tools/taker.py": "from .echo import make\nTOOL = make('mem.search')\n",
    "echo_tools/other.py": "from .echo import make\nTOOL = make('echo.else')\n",
    "echo_tools/loose.py": "from .echo import make\nTOOL = make('echo.loose', input=dict)\n",
    "echo_tools/broken.py": "raise RuntimeError('out of order')\n",
    "echo_tools/leaving.py": "raise SystemExit(7)\n",
    "echo_tools/none.py": "TOOL = 'no tool'\n",
}
ENTRIES = {
    "echo.text": "echo_tools.echo:TOOL",
    "echo.writer": "echo_tools.writer",
    "echo.commander": "echo_tools.commander:TOOL",
    "mem.search": "echo_tools.taker:TOOL",
    "echo.other": "echo_tools.other:TOOL",
    "echo.loose": "echo_tools.loose:TOOL",
    "echo.broken": "echo_tools.broken:TOOL",
    "echo.leaving": "echo_tools.leaving:TOOL",
    "echo.none": "echo_tools.none:TOOL",
    "echo.missing": "echo_tools.missing:TOOL",
    "echo.nowhere": "surely_no_package:TOOL",
    "echo.builtin": "sys:path",
}
REASONS = {
    "echo.writer": 'its risk is "write", and a phase of any workflow may only read',
    "echo.commander": "which only Aurora's own tools have",
    "mem.search": "its name is that of one of Aurora's own tools",
    "echo.other": 'it declares the tool "echo.else"',
    "echo.loose": "not all models derived from StrictModel",
    "echo.broken": "its import failed (RuntimeError: out of order)",
    "echo.leaving": "its import failed (SystemExit: 7)",
    "echo.none": "it is a str, not a Tool",
    "echo.missing": "its import failed (ModuleNotFoundError",
    "echo.nowhere": 'there is no package "surely_no_package"',
    "echo.builtin": "a part of Python",
}
WORKFLOW = """\
aurora: 1
name: echoed
version: 1.0.0
start: say
phases:
  say:
    inputs: { text: { type: string } }
    uses: echo.text
    next_action:
      - { when: "length > `3`", then: end }
      - { then: say, max: 1, else: end }
"""


def install(site: Path, entries: dict[str, str], name: str = "echo-tools") -> None:
    """Install a distribution into a folder."""
    for path, text in FILES.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    info = site / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n", encoding="utf-8")
    lines = [f"{entry} = {value}" for entry, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[aurora.tools]", *lines, ""]), encoding="utf-8")


class Machine:
    """A project, and a process whose path has one more folder of distributions."""

    def __init__(self, folder: Path) -> None:
        self.root, self.site = folder / "project", folder / "site"
        (self.root / ".aurora" / "workflows").mkdir(parents=True)
        (self.root / ".aurora" / "workflows" / "echoed.yaml").write_text(WORKFLOW, encoding="utf-8")
        self.site.mkdir()

    def run(self, *words: str, path: Path | None = None, cwd: Path | None = None) -> Any:
        environ = {**os.environ, "PYTHONPATH": str(path or self.site), "AURORA_TRUST": "1"}
        argv = [sys.executable, "-m", "aurora", "--project", str(self.root), *words]
        return subprocess.run(
            argv, cwd=cwd or self.root.parent, env=environ, capture_output=True, text=True, timeout=120, check=False
        )

    def read(self, *words: str, **more: Any) -> Any:
        done = self.run(*words, "--json", **more)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = Machine(tmp_path_factory.mktemp("machine"))
    install(made.site, ENTRIES)
    return made


@pytest.fixture(scope="module")
def listed(machine: Machine) -> dict[str, Any]:
    found: dict[str, Any] = machine.read("tools", "list")
    return found


@pytest.mark.requirement("triads-49")
def test_a_good_tool_is_listed_with_its_distribution(listed: dict[str, Any]) -> None:
    foreign = [tool for tool in listed["tools"] if "distribution" in tool]

    assert [(tool["uses"], tool["distribution"], tool["phase_use"]) for tool in foreign] == [
        ("echo.text", "echo-tools 1.2", "phases")
    ]


def test_each_broken_tool_is_named_with_its_reason_and_breaks_nothing(listed: dict[str, Any]) -> None:
    broken = {text.split('"')[1]: text for text in listed["broken"]}

    assert {name: reason for name, reason in REASONS.items() if reason not in broken.get(name, "")} == {}
    assert broken.keys() == REASONS.keys()


def test_a_phase_uses_it_like_any_tool(machine: Machine) -> None:
    checked = machine.run("workflow", "validate", "echoed")
    stepped = machine.read("workflow", "step", "say", "--workflow", "echoed", "--input", "text=hello")
    failed = machine.read("workflow", "step", "say", "--workflow", "echoed", "--input", "text=fail")

    assert (checked.returncode, "1 workflow checked, no problems" in checked.stdout) == (0, True), checked.stdout
    assert stepped["result"] == {"text": "hello", "length": 5}
    assert stepped["next_action"] == "end"
    assert failed["error"]["code"] == "UPSTREAM_ERROR"
    assert "failed inside the distribution that has it (ValueError)" in failed["error"]["message"]


def test_it_is_called_and_shown_by_name_and_prints_nothing_of_its_own(machine: Machine) -> None:
    called = machine.run("tools", "call", "echo.text", '{"text": "a"}')
    wrong = machine.run("tools", "call", "echo.broken", '{"text": "a"}')

    assert json.loads(called.stdout) == {"text": "a", "length": 1}
    assert "surely on standard error" in called.stderr
    assert (wrong.returncode, "out of order" in wrong.stderr) == (1, True)


def test_the_doctor_names_what_is_broken(machine: Machine) -> None:
    findings = machine.read("doctor", "--only", "system.extensions")["groups"][0]["findings"]

    assert [one["message"] for one in findings if one["status"] == "pass"] == [
        "the tool echo.text of echo-tools 1.2 can be used"
    ]
    assert len([one for one in findings if one["kind"] == "system.extensions.broken"]) == len(REASONS)


@pytest.mark.parametrize("inner", ["", ".venv/lib/site-packages"])
def test_no_code_of_the_project_is_loaded(tmp_path: Path, inner: str) -> None:
    machine = Machine(tmp_path)
    install(machine.root / inner, {"echo.text": "echo_tools.echo:TOOL"})
    ran = machine.root / "ran"
    (machine.root / inner / "echo_tools" / "__init__.py").write_text(f"open({str(ran)!r}, 'w')\n", encoding="utf-8")

    found = machine.read("tools", "list", path=machine.root / inner, cwd=machine.root)

    assert "whose code Aurora never loads" in found["broken"][0]
    assert not ran.exists()


def test_a_package_in_the_current_folder_does_not_replace_an_installed_one(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    install(machine.site, {"echo.text": "echo_tools.echo:TOOL"})
    other = tmp_path / "other"
    install(other, {"echo.more": "echo_tools.echo:TOOL"}, "more-tools")
    (other / "echo_tools" / "__init__.py").write_text("open('ran', 'w')\n", encoding="utf-8")

    broken = machine.read("tools", "list", cwd=other)["broken"]

    assert [text.split('"')[1] for text in broken] == ["echo.more", "echo.text"]
    assert not (other / "ran").exists()


def test_two_distributions_with_one_name_are_both_named(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    install(machine.site, {"echo.text": "echo_tools.echo:TOOL"})
    install(machine.site, {"echo.text": "echo_tools.echo:TOOL"}, "more-tools")

    (broken,) = machine.read("tools", "list")["broken"]

    assert "echo-tools 1.2 and more-tools 1.2 both declare it" in broken
