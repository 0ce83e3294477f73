"""Files of cases and scripts, read; what is wrong with one is told in full, each at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.language.build import find, find_key
from aurora.interpreter.problems.files import Unreadable, read_file
from aurora.interpreter.problems.suggestions import did_you_mean, listed
from aurora.interpreter.schema.validate import mismatches
from aurora.interpreter.yaml.display_path import shown
from aurora.interpreter.yaml.load import read_yaml

from .case import FILE_SCHEMA, MERGED, SCRIPT_SCHEMA, Case, case_of, script_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.interpreter.language.model import Workflow
    from aurora.interpreter.yaml.node import Node

    from .script import Script

FOLDER = "tests"
"""The folder beside a workflow that holds its cases."""
_MOST_TOLD = 5


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file, in its order.

    Raises:
        Fault: INVALID_INPUT when it cannot be read or does not say cases.
    """
    root, said = _read(path, FILE_SCHEMA)
    if "cases" not in said:
        return (case_of(said, path, root),)
    shared = {key: value for key, value in said.items() if key != "cases"}
    nodes = find(root, ("cases",)).children
    cases = tuple(case_of(_joined(shared, one), path, node) for one, node in zip(said["cases"], nodes, strict=True))
    names = [case.name for case in cases]
    for index, name in enumerate(names):
        if name in names[:index]:
            place = find(nodes[index], ("name",)).place
            raise Fault(Code.INVALID_INPUT, f'{place.at}: two cases are called "{name}"', help="give one another name")
    return cases


def read_script(path: Path) -> Script:
    """A script by itself.

    Raises:
        Fault: INVALID_INPUT when it cannot be read or is none.
    """
    return script_of(_read(path, SCRIPT_SCHEMA)[1])


def check_names(case_file: Path, workflow: Workflow, script: Script) -> None:
    """Whether the phases and inputs that a script speaks of exist.

    Raises:
        Fault: INVALID_INPUT for one that does not.
    """
    inputs = {name for phase in workflow.phases.values() for name in phase.inputs}
    groups: tuple[tuple[str, Mapping[str, Any], Any], ...] = (
        ("phase", script.tools, [name for name, phase in workflow.phases.items() if phase.uses is not None]),
        ("phase", script.answers, [name for name, phase in workflow.phases.items() if phase.answer is not None]),
        ("input", script.inputs, inputs),
    )
    for what, said, known in groups:
        for name in said:
            if name not in known:
                kind = (
                    "phase with a tool" if said is script.tools else "phase with a prompt" if what == "phase" else what
                )
                message = f'{shown(case_file)}: workflow "{workflow.name}" has no {kind} "{name[:80]}"'
                help_ = did_you_mean(name[:80], known) or f"there are {listed(known)}"
                raise Fault(Code.INVALID_INPUT, message, help=help_)


def _joined(shared: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    both = {**shared, **said}
    for key in MERGED:
        if isinstance(shared.get(key), dict) and isinstance(said.get(key), dict):
            both[key] = {**shared[key], **said[key]}
    return both


def _read(path: Path, schema: Mapping[str, Any]) -> tuple[Node, dict[str, Any]]:
    try:
        text = read_file(path)
    except Unreadable as error:
        raise Fault(Code.INVALID_INPUT, f'"{shown(path)}" cannot be read: {error}') from None
    root, problems = read_yaml(text, shown(path))
    if root is None or any(one.severity == "error" for one in problems):
        first = problems[0] if problems else None
        message = f"{first.path}:{first.line}:{first.column}: {first.message}" if first else f"{shown(path)} is empty"
        raise Fault(Code.INVALID_INPUT, message, help=first.help if first else "")
    data = root.data()
    wrong = mismatches(data, schema)
    if wrong:
        told = []
        for one in wrong:
            node = find_key(root, one.steps) if one.kind == "additionalProperties" else find(root, one.steps)
            hint = f'; did you mean "{one.suggestion}"?' if one.suggestion else ""
            told.append(f"{node.place.at}: {one.message}{hint}")
        more = f" (and {len(told) - 1} more)" if len(told) > 1 else ""
        raise Fault(Code.INVALID_INPUT, told[0] + more, details={"faults": told[:_MOST_TOLD]})
    return root, data
