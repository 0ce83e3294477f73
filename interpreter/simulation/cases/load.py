"""Loader of case and script files; reports every problem at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.interpreter.language import find_key, find_node
from aurora.interpreter.problems import UnreadableFileError, did_you_mean, list_names, read_file
from aurora.interpreter.schema import find_mismatches
from aurora.interpreter.yaml import display_path, read_yaml

from .case import FILE_SCHEMA, MERGED_KEYS, SCRIPT_SCHEMA, Case, build_case, build_script

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter.language import Phase, Workflow
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.schema import Mismatch
    from aurora.interpreter.yaml import Node

    from .script import Script

CASE_FOLDER = "tests"
"""The folder of cases next to a workflow."""
_MAX_FAULTS = 5


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


def check_script_names(case_file: Path, workflow: Workflow, script: Script) -> None:
    """Check that the phases and inputs of a script exist.

    Raises:
        Fault: INVALID_INPUT for a name that does not exist.
    """
    inputs = {name for phase in workflow.phases.values() for name in phase.inputs}
    groups: tuple[tuple[str, Mapping[str, Any], Any], ...] = (
        ("phase", script.tools, [name for name, phase in workflow.phases.items() if phase.has_result]),
        ("phase", script.answers, [name for name, phase in workflow.phases.items() if _has_answer(phase)]),
        ("input", script.inputs, inputs),
    )
    for what, said, known in groups:
        for name in said:
            if name not in known:
                kind = (
                    "phase with a tool" if said is script.tools else "phase with a prompt" if what == "phase" else what
                )
                message = f'{display_path(case_file)}: workflow "{workflow.name}" has no {kind} "{name[:80]}"'
                help_ = did_you_mean(name[:80], known) or f"expected one of {list_names(known)}"
                raise Fault(Code.INVALID_INPUT, message, help=help_)


def _has_answer(phase: Phase) -> bool:
    return phase.answer is not None or phase.branches is not None or phase.person is not None


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
