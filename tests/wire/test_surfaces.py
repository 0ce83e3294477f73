"""Every capability is the same wherever it appears: as a command, over MCP, as a phase's tool, and from Python.

The answers from Python to the examples of each tool are recorded, one file for each tool, in a small project.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import aurora
from aurora import __version__
from aurora.cli.main import AUR, main
from aurora.cli.manual.commands_md import iter_leaf_commands
from aurora.cli.parser.parameters import format_example
from aurora.errors import MATERIAL_NOTE, mark_material
from aurora.interpreter import Call, Engine
from aurora.tools.catalog.manifest import VARIES_KEY, VOLATILE_FIELDS, build_manifest
from aurora.tools.core.exposure import NO_COMMAND, NO_MCP, NO_TOOL
from aurora.tools.core.registry import ToolRegistry
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.ports import PhaseToolRunner, SystemClock
from aurora.tools.runtime.workspace import Workspace
from tests.wire.prepared_project import (
    allow_program,
    comparable,
    get_arguments,
    list_in_playing_order,
    prepare_project,
    run_before,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

TOOLS = ToolRegistry().load_all()
COMMANDS = {tool.command.words: tool for tool in TOOLS if tool.command}
REPLACED = {
    "aurora_index": ("mem", "index"),
    "aurora_context": ("mem", "get", "--path", "README.md"),
    "aurora_related": ("mem", "related", "click/testing.py"),
    "aurora_list_agents": ("agents", "list"),
    "aurora_search_agents": ("agents", "search", "review"),
    "aurora_show_agent": ("agents", "show", "reviewer"),
}
"""Removed tool of the server -> the words of the command in its place."""
SHOP = Path(__file__).resolve().parents[1] / "workflows" / "project"
PACKAGE = Path(aurora.__file__).resolve().parent
RECORDED = Path(__file__).resolve().parents[2] / "snapshots" / "wire" / "test_surfaces"
# The machine decides their values, or other tests compare all of their bytes: only their shape is recorded.
SHAPE_ONLY = {
    "doctor.fix",
    "doctor.run",
    "runs.export",
    "tools.adapters",
    "tools.manifest",
    "tools.reference",
    "version.show",
    "workflow.schema",
}
LONGEST_TEXT = 300
MOST_ITEMS = 12
MOST_SHAPES = 2
DEEPEST_SHAPE = 5
MOST_BYTES = 300_000
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
"""Hash of a workflow with the schemas of its tools, which changes with each of them."""
# A step that would be too long for a host has its longest texts cut.
CUT = re.compile(r"(.*)… \[\+(\d+) characters\]", re.DOTALL)


@pytest.mark.requirement("auditgraph-2", "auditgraph-3", "auditgraph-11", "triads-34", "triads-55")
def test_every_command_is_a_tool_and_every_tool_a_command_but_for_those_with_a_reason() -> None:
    words = {words for words, _ in iter_leaf_commands(AUR)}
    assert words == {*COMMANDS, *NO_TOOL}
    assert {tool.name for tool in TOOLS if not tool.command} == set(NO_COMMAND)
    assert {tool.name for tool in TOOLS if not tool.mcp} == set(NO_MCP)
    assert all([*NO_TOOL.values(), *NO_COMMAND.values(), *NO_MCP.values()])


@pytest.mark.requirement("prd-3")
@pytest.mark.parametrize("removed", sorted(REPLACED))
def test_the_command_in_the_place_of_a_removed_tool_works(removed: str, project: Any) -> None:
    project.write(".claude/agents/reviewer.md", "---\nname: reviewer\ndescription: Reviews code.\n---\nRead it.\n")
    command = [project.program, *REPLACED[removed]]
    done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr


def same(whole: Any, shown: Any) -> bool:
    """Whether they are equal, but for texts that were cut to fit."""
    if isinstance(whole, dict) and isinstance(shown, dict):
        return whole.keys() == shown.keys() and all(same(value, shown[key]) for key, value in whole.items())
    if isinstance(whole, list) and isinstance(shown, list):
        return len(whole) == len(shown) and all(map(same, whole, shown))
    if isinstance(whole, str) and isinstance(shown, str) and (cut := CUT.fullmatch(shown)):
        return whole.startswith(cut[1]) and len(whole) == len(cut[1]) + int(cut[2])
    return bool(whole == shown)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aur_program: str) -> Any:
    """Makes copies of one project of fixed files, in which the examples find what they are about."""
    allow_program(tmp_path, monkeypatch, aur_program)
    monkeypatch.setenv("PATH", f"{Path(aur_program).parent}:/usr/bin:/bin")  # no assistant that is installed elsewhere
    root = tmp_path / "prepared"
    shutil.copytree(SHOP, root)
    run = prepare_project(root)

    def copy(name: str) -> Path:
        made = tmp_path / name / "shop"
        shutil.copytree(root, made, symlinks=True)
        return made

    return copy, run


class Surfaces:
    """One project four times over, each reached in its own way; None where a tool does not appear."""

    def __init__(self, copy: Any, run: str, server: Any, printed: Any) -> None:
        self.roots = {name: copy(name) for name in ("python", "cli", "mcp", "phase")}
        self.run, self._server, self._printed = run, server, printed
        self.open = {name: Workspace(root) for name, root in self.roots.items()}
        self.answer: dict[str, Any] = {}
        """What Python said last, as it came."""

    def play(self, tool: Any, number: int) -> dict[str, Any]:
        """What each surface says to one example, as far as it can be compared."""
        told = {}
        for surface, root in self.roots.items():
            run_before(tool, self.open[surface])
            output = getattr(self, surface)(tool, number)
            if output is not None:
                told[surface] = comparable(output, root)
            elif tool.risk != "read":  # so that the copies stay alike
                self.python(tool, number, surface)
            if surface == "python":
                recorded = self.answer
        told["recorded"] = recorded
        return told

    def python(self, tool: Any, number: int, surface: str = "python") -> dict[str, Any]:
        params = tool.examples[number].params
        origin: Any = "cli" if tool.name == "jobs.run" else "python"  # only a terminal starts a job
        self.answer = call_tool(
            self.open[surface], tool.name, self._arguments(tool, number), params=params, surface=origin
        )
        return self.answer

    def cli(self, tool: Any, number: int) -> dict[str, Any] | None:
        if not tool.command:
            return None
        example = tool.examples[number]._replace(arguments=self._arguments(tool, number))
        line = shlex.split(format_example(tool.command, example))
        main([*line[1:], "--project", str(self.roots["cli"]), "--json"])
        found: dict[str, Any] = json.loads(self._printed.readouterr().out)
        return found

    def mcp(self, tool: Any, number: int) -> dict[str, Any] | None:
        if not tool.mcp:
            return None
        self._server.call(f"{tool.name}{number}", tool.mcp, self._arguments(tool, number))
        found: dict[str, Any] = self._server.answer(f"{tool.name}{number}")["result"]["structuredContent"]
        return found

    def phase(self, tool: Any, number: int) -> dict[str, Any] | None:
        """As a phase's tool; without a journal, or the runs of these phases would be told among the others."""
        if tool.phase_use == "none":
            return None
        workspace = self.open["phase"]
        engine = Engine(
            workspace.workflows, PhaseToolRunner(workspace, runs_job=True), None, SystemClock(), default="examples"
        )
        inputs = {"which": self.run} if "run" in tool.examples[number].arguments else {}
        response = engine.step(Call(phase=f"{tool.stable_name}_{number}", workflow="examples", inputs=inputs))
        result: dict[str, Any] = response["result"] if response["status"] == "complete" else response
        return result

    def _arguments(self, tool: Any, number: int) -> dict[str, Any]:
        arguments = get_arguments(tool, number)
        return {**arguments, "run": self.run} if "run" in arguments else arguments


@pytest.mark.requirement("auditgraph-10", "auditgraph-14", "auditgraph-18", "auditgraph-20", "auditgraph-25")
@pytest.mark.requirement("auditgraph-28", "triads-24", "triads-43")
def test_each_example_gives_the_same_on_every_surface_as_recorded(
    prepared: Any, project: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], snapshot: Any
) -> None:
    copy, run = prepared
    surfaces = Surfaces(copy, run, None, capsys)
    monkeypatch.chdir(surfaces.roots["cli"])
    project.root = surfaces.roots["mcp"]
    surfaces._server = project.serve("--toolsets", "all").shake_hands()
    with contextlib.ExitStack() as closing:
        for workspace in surfaces.open.values():
            closing.enter_context(workspace)
        for tool in list_in_playing_order(TOOLS):
            recorded = [_play(surfaces, tool, number) for number in range(len(tool.examples))]
            assert recorded == snapshot(name=tool.name)


def _play(surfaces: Surfaces, tool: Any, number: int) -> dict[str, Any]:
    """Play one example on every surface, compare, and return what is recorded of it."""
    told = surfaces.play(tool, number)
    answer = told.pop("recorded")
    shown = mark_material(told["python"])  # where a model or a program reads it
    told |= {"mcp": leave_note_out(told["mcp"])} if "mcp" in told else {}  # a session has it once
    expected = {"python": told["python"], "phase": told["python"], "cli": shown, "mcp": leave_note_out(shown)}
    assert {name: one for name, one in told.items() if not same(expected[name], one)} == {}, tool.name
    folders = {str(surfaces.roots["python"].parent): "FOLDER", str(surfaces.roots["python"].parents[1]): "FOLDER"}
    names = {**folders, str(PACKAGE): "PACKAGE", surfaces.run: "RUN", __version__: "VERSION"}
    response = shape(answer) if tool.name in SHAPE_ONLY else mask(told["python"], names)
    request = get_arguments(tool, number)
    return {"request": request, "response": response}


def leave_note_out(value: Any) -> Any:
    """The value without the note on the marks of foreign text, and without the notes that are empty then."""
    if not isinstance(value, dict):
        return value
    found = {name: leave_note_out(inner) for name, inner in value.items()}
    note = str(found.pop("note", "")).removesuffix(MATERIAL_NOTE).rstrip()
    return {**found, **({"note": note} if note else {})}


def shape(value: Any, depth: int = DEEPEST_SHAPE) -> Any:
    """The names and types of a value; of a list, each different one, and only some."""
    if isinstance(value, dict) and depth:
        return {name: shape(inner, depth - 1) for name, inner in value.items()}
    if isinstance(value, list) and depth:
        shapes: list[Any] = []
        for one in value:
            if (found := shape(one, depth - 1)) not in shapes:
                shapes.append(found)
        return shapes[:MOST_SHAPES]
    return type(value).__name__


def shorten(value: Any) -> Any:
    """The value with its longest texts and lists cut; what is cut is counted."""
    if isinstance(value, dict):
        return {name: shorten(inner) for name, inner in value.items()}
    if isinstance(value, list):
        left = len(value) - MOST_ITEMS
        return [*map(shorten, value[:MOST_ITEMS]), *([f"… [+{left} items]"] if left > 0 else [])]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… [+{len(value) - LONGEST_TEXT} characters]"
    return value


def mask(value: Any, names: Mapping[str, str]) -> Any:
    """The value without what differs from machine to machine: the folders, the run, the version."""
    if isinstance(value, dict):
        return {mask(name, names): mask(inner, names) for name, inner in value.items()}
    if isinstance(value, list):
        return shorten([mask(inner, names) for inner in value])
    if isinstance(value, str):
        for name, masked in names.items():
            value = value.replace(name, masked)
        return shorten(DIGEST.sub("DIGEST", value))
    return value


def test_the_recorded_responses_are_those_of_the_tools_and_stay_small() -> None:
    names = {path.stem.partition("[")[2].rstrip("]") for path in RECORDED.glob("*.json")}
    assert names == {tool.name for tool in TOOLS}
    assert sum(path.stat().st_size for path in RECORDED.glob("*.json")) < MOST_BYTES


def test_the_manifest_marks_just_the_values_that_vary() -> None:
    marked: dict[str, str] = {}

    def look(node: Any) -> None:
        for name, field in node.get("properties", {}).items() if isinstance(node, dict) else ():
            assert (VARIES_KEY in field) == (name in VOLATILE_FIELDS), name
            marked.update({name: field[VARIES_KEY]} if VARIES_KEY in field else {})
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            look(inner)

    for tool in build_manifest(TOOLS).tools:
        look(tool.output_schema)
    assert marked.items() <= VOLATILE_FIELDS.items()
    assert set(VOLATILE_FIELDS) - set(marked) == {"tokens"}  # in the metadata of a response, which has no schema
