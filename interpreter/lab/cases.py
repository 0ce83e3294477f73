"""Test cases of workflows: their model and their files, with every problem at its place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from aurora.errors import Code, Fault
from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.problems import UnreadableFileError, did_you_mean, list_names, read_file
from aurora.interpreter.run.frames import find_phase, iterate_phases
from aurora.interpreter.schema.validate import find_mismatches
from aurora.interpreter.yaml import display_path, read_yaml

from .player import SingleWorkflowCatalog
from .script import REAL_TOOL, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.run.frames import FoundPhase
    from aurora.interpreter.schema.validate import Mismatch
    from aurora.interpreter.yaml import Node

    LoadDefinition = Callable[[str], Definition]
    ScriptKind = Literal["answer", "tool"]

CASE_FOLDER = "tests"
"""The folder of cases next to a workflow."""


_MAX_FAULTS = 5

_MAX_LISTED = 1_000
"""The most phases that are listed; workflows within one another can have many more."""


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read the cases of a file, in its order.

    Raises:
        Fault: INVALID_INPUT when the file cannot be read or contains no valid cases.
    """
    root, said = _read_document(path, FILE_SCHEMA)
    if "cases" not in said:
        return (build_case(said, path, root),)
    shared = {key: value for key, value in said.items() if key != "cases"}
    nodes = find_node(root, ("cases",)).children
    cases = tuple(
        build_case(_merge_shared(shared, one), path, node) for one, node in zip(said["cases"], nodes, strict=True)
    )
    names = [case.name for case in cases]
    # A case is run and updated by its name.
    for index, name in enumerate(names):
        if name in names[:index]:
            place = find_node(nodes[index], ("name",)).place
            raise Fault(Code.INVALID_INPUT, f'{place.label}: two cases are called "{name}"', help="rename one of them")
    return cases


def read_script(path: Path) -> Script:
    """Read a script in a file of its own.

    Raises:
        Fault: INVALID_INPUT when the file cannot be read or is no valid script.
    """
    return build_script(_read_document(path, SCRIPT_SCHEMA)[1])


def resolve_script_names(file: Path, definition: Definition, script: Script, known: KnownWorkflows) -> Script:
    """Return a script with the full name of each phase, after a check that its phases and inputs exist.

    Args:
        file: the file of the script, for the messages.
        definition: the workflow.
        script: the script; `decide/ask` is a phase of the workflow that `decide` runs.
        known: the workflows that phases run.

    Raises:
        Fault: INVALID_INPUT for a name that does not exist.
    """
    load = SingleWorkflowCatalog(definition, known).load
    try:
        tools = {find_script_phase(definition, name, load, "tool").path: said for name, said in script.tools.items()}
        answers = {
            find_script_phase(definition, name, load, "answer").path: said for name, said in script.answers.items()
        }
        _check_inputs(definition, script, load)
    except Fault as fault:
        raise Fault(fault.code, f"{display_path(file)}: {fault.message}", help=fault.help) from None
    return replace(script, tools=tools, answers=answers)


def find_script_phase(definition: Definition, name: str, load: LoadDefinition, kind: ScriptKind) -> FoundPhase:
    """Find the phase that a script has answers, or results, for.

    Raises:
        Fault: INVALID_INPUT for a phase that does not exist, or that asks for none or has none.
    """
    found = find_phase(definition, name, load)
    if found is not None and _takes(found, kind):
        return found
    known = [one.path for one in islice(iterate_phases(definition, load), _MAX_LISTED) if _takes(one, kind)]
    what, others = _WORDS[kind]
    raise Fault(
        Code.INVALID_INPUT,
        f'workflow "{definition.workflow.name}" has no phase "{name[:80]}" {what}',
        help=did_you_mean(name[:80], known) or f"phases {others}: {list_names(known) or 'none'}",
    )


_WORDS: Mapping[ScriptKind, tuple[str, str]] = {
    "answer": ("that asks for an answer", "that ask for an answer"),
    "tool": ("with a tool or a workflow", "with a tool or a workflow"),
}


def _takes(found: FoundPhase, kind: ScriptKind) -> bool:
    if kind == "answer":
        return found.name in found.definition.answers
    return found.definition.workflow.phases[found.name].has_result


def _check_inputs(definition: Definition, script: Script, load: LoadDefinition) -> None:
    known = {
        name
        for one in islice(iterate_phases(definition, load), _MAX_LISTED)
        for name in one.definition.workflow.phases[one.name].inputs
    }
    for name in script.inputs:
        if name not in known:
            message = f'workflow "{definition.workflow.name}" has no input "{name[:80]}"'
            help_ = did_you_mean(name[:80], known) or f"expected one of {list_names(known)}"
            raise Fault(Code.INVALID_INPUT, message, help=help_)


def _merge_shared(shared: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    both = {**shared, **said}
    for key in MERGED_KEYS:
        if isinstance(shared.get(key), dict) and isinstance(said.get(key), dict):
            both[key] = {**shared[key], **said[key]}
    return both


def _read_document(path: Path, schema: Mapping[str, Any]) -> tuple[Node, dict[str, Any]]:
    try:
        text = read_file(path)
    except UnreadableFileError as error:
        raise Fault(Code.INVALID_INPUT, f'"{display_path(path)}" cannot be read: {error}') from None
    if not text.strip():
        message = f"{display_path(path)} is empty"
        raise Fault(Code.INVALID_INPUT, message, help="Begin it with `workflow: NAME`, `inputs:` and `answers:`.")
    root, problems = read_yaml(text, display_path(path))
    if root is None or any(problem.severity == "error" for problem in problems):
        raise _make_syntax_fault(problems)
    data = root.to_data()
    mismatches = find_mismatches(data, schema)
    if mismatches:
        messages = [_format_mismatch(root, mismatch) for mismatch in mismatches]
        more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
        raise Fault(Code.INVALID_INPUT, messages[0] + more, details={"faults": messages[:_MAX_FAULTS]})
    return root, data


def _make_syntax_fault(problems: Sequence[Problem]) -> Fault:
    """Make the fault of a file that is not valid YAML."""
    first = problems[0]
    message = f"{first.path}:{first.line}:{first.column}: {first.message}"
    return Fault(Code.INVALID_INPUT, message, help=first.help)


def _format_mismatch(root: Node, mismatch: Mismatch) -> str:
    is_unknown_key = mismatch.kind == "additionalProperties"
    node = find_key(root, mismatch.steps) if is_unknown_key else find_node(root, mismatch.steps)
    hint = f'; did you mean "{mismatch.suggestion}"?' if mismatch.suggestion else ""
    return f"{node.place.label}: {mismatch.message}{hint}"


_VALUES_SCHEMA: dict[str, Any] = {"type": "object"}

_TEXT_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1}

_STEP_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "status": {"enum": ["complete", "waiting", "skipped", "declined", "error"]},
        "result": {},
        "next_action": _TEXT_SCHEMA,
        "prompt": {"anyOf": [_TEXT_SCHEMA, {"type": "array", "items": _TEXT_SCHEMA}]},
        "error": {"type": "string"},
    },
}

_EXPECT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "path": {"type": "array", "items": {"anyOf": [_TEXT_SCHEMA, {"type": "object", "maxProperties": 1}]}},
        "status": {"enum": ["ended", "refused", "cut"]},
        "next_action": _TEXT_SCHEMA,
        "result": {},
        "steps": {
            "type": "object",
            "additionalProperties": {"anyOf": [_STEP_SCHEMA, {"type": "array", "items": _STEP_SCHEMA}]},
        },
        "snapshot": {"type": "boolean"},
    },
}

_SHARED_KEYS: dict[str, Any] = {
    "workflow": {"type": "string", "pattern": "^[a-z][a-z0-9_-]{0,39}$"},
    "project": _TEXT_SCHEMA,
    "files": {"type": "object", "additionalProperties": {"type": "string"}},
    "read_only": {"type": "boolean"},
    "inputs": _VALUES_SCHEMA,
    "tools": {"anyOf": [{"enum": [REAL_TOOL, "made"]}, _VALUES_SCHEMA]},
    "others": {"enum": [REAL_TOOL, "made"]},
    "answers": _VALUES_SCHEMA,
}

_CASE_KEYS = {**_SHARED_KEYS, "name": _TEXT_SCHEMA, "description": _TEXT_SCHEMA, "expect": _EXPECT_SCHEMA}

FILE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **_CASE_KEYS,
        "cases": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "additionalProperties": False, "required": ["name"], "properties": _CASE_KEYS},
        },
    },
}
"""The schema of a file of cases: one case, or `cases` with shared keys above them."""


SCRIPT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {key: _SHARED_KEYS[key] for key in ("inputs", "tools", "others", "answers")},
}
"""The schema of a script in a file of its own."""


PROJECT_HERE = "here"


MERGED_KEYS = ("inputs", "tools", "answers", "files")
"""Keys that a case merges with the shared ones by name; it replaces any other."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expectations of a case; only `status` is compared without being written.

    Attributes:
        path: the phases in order, a refused call as `{phase: CODE}`; None when there is no expectation.
        status: how the run ends.
        next_action, result: those of the last step.
        steps: by phase, the expectations, one for each visit.
        snapshot: whether all steps are compared with the recorded ones.
    """

    path: tuple[Any, ...] | None = None
    status: str = "ended"
    next_action: str | None = None
    result: Any = None
    steps: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    snapshot: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A test case.

    Attributes:
        name: its name, unique in its file.
        path: its file.
        workflow: the name of the workflow.
        project: `here`, a folder next to the file that is copied, or None for an empty project.
        files: further files of the project, by path.
        read_only: whether the project is opened read-only, so that no run is kept.
    """

    name: str
    path: Path
    node: Node
    workflow: str
    script: Script
    expect: Expectation
    project: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    read_only: bool = False


def build_script(document: Mapping[str, Any]) -> Script:
    """Build the script of a case, or of a file of its own."""
    tools = document.get("tools", {})
    whole = isinstance(tools, str)
    return Script(
        inputs=document.get("inputs", {}),
        tools={} if whole else tools,
        answers=document.get("answers", {}),
        others=tools if whole else document.get("others", "made"),
    )


def build_case(document: Mapping[str, Any], path: Path, node: Node) -> Case:
    """Build a case from its validated document."""
    expect = dict(document.get("expect", {}))
    steps = {
        phase: tuple(value) if isinstance(value, list) else (value,) for phase, value in expect.get("steps", {}).items()
    }
    expected = tuple(expect["path"]) if "path" in expect else None
    return Case(
        name=document.get("name", path.stem),
        path=path,
        node=node,
        workflow=document.get("workflow", path.stem),
        script=build_script(document),
        expect=Expectation(**{**expect, "path": expected, "steps": steps}),
        project=document.get("project"),
        files=document.get("files", {}),
        read_only=document.get("read_only", False),
    )
