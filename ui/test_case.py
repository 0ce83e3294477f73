"""A run as a test case: inputs, results of the tools, answers, and the path."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aurora.system.secrets.masks import mask_json

from .run_list import find_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project


_DECLINED = "declined"
"""Answer of a person who declines, in a case."""


def render_case(project: Project, row: RunRow, steps: Sequence[StepRow], most: int | None = None) -> str:
    """Render a file of cases with the run as its only case.

    Args:
        project: the project of the run.
        row: the run.
        steps: all of its steps.
        most: characters after which the text may end; None for the whole file.
    """
    workflow = str(row.document.get("workflow", row.workflow))
    has_ended = row.document.get("status") not in {"open", "waiting"}
    document: dict[str, Any] = {
        "workflow": workflow,
        "cases": [
            {
                "name": find_question(steps[0] if steps else None, 100) or f"run {row.run}",
                "inputs": _collect_inputs(steps),
                "tools": _collect_results(project, workflow, steps),
                "answers": _collect_answers(steps),
                "expect": _describe_outcome(steps) if has_ended else {},
            }
        ],
    }
    case = document["cases"][0]
    document["cases"] = [{key: value for key, value in case.items() if value}]
    note = "" if has_ended else "# The run has not ended; add the answers that it still needs.\n"
    # Written by hand, line by line: a library makes the whole document first, which took 1.6 s for 900 steps.
    written = _join_lines(write_lines(mask_json(document)), most)
    return f"# Run {row.run}. `aur workflow test {workflow}` plays it again.\n{note}{written}"


def _join_lines(lines: Iterable[str], most: int | None) -> str:
    """Join the lines, as far as the one with which there are more characters than are wanted."""
    parts: list[str] = []
    length = 0
    for line in lines:
        parts.append(line)
        length += len(line)
        if most is not None and length > most:
            break
    return "".join(parts)


def _collect_inputs(steps: Sequence[StepRow]) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for step in steps:
        # What was sent, and not what phases added: playing the case makes the rest again.
        inputs |= step.document.get("given") or {}
    return inputs


def _collect_results(project: Project, workflow: str, steps: Sequence[StepRow]) -> dict[str, Any]:
    """Collect the results of the phases with a tool, as a list where a phase ran more than once."""
    phases = project.workflows.open(workflow).workflow.phases
    results: dict[str, list[Any]] = {}
    for step in steps:
        kept = step.document
        phase = phases.get(step.phase)
        if phase is None or not phase.uses or kept.get("kind", "phase") != "phase":
            continue
        failed = kept.get("error")
        result = {"fails": failed.get("code", "")} if failed else kept.get("result")
        # A skipped phase calls no tool, so the case has no result to give it.
        if kept.get("status") != "skipped" and isinstance(result, dict):
            results.setdefault(step.phase, []).append(result)
    return {phase: some[0] if len(some) == 1 else some for phase, some in results.items()}


def _collect_answers(steps: Sequence[StepRow]) -> dict[str, Any]:
    """Collect the answers by the phase that asked; one list for the items of a `for_each`."""
    answers: dict[str, list[Any]] = {}
    for asking, step in pairwise(steps):
        kept = step.document
        brought = kept.get("brought") or ()
        by: Mapping[str, Any] = kept.get("by") or {}
        if by and not brought:
            answers.setdefault(asking.phase, []).append(_DECLINED)
        for answer in brought:
            many = isinstance(asking.document.get("asks"), int) and asking.document["asks"] > 0
            answers.setdefault(asking.phase, []).extend(answer if many and isinstance(answer, list) else [answer])
    return {phase: some if len(some) > 1 or isinstance(some[0], list) else some[0] for phase, some in answers.items()}


def _describe_outcome(steps: Sequence[StepRow]) -> dict[str, Any]:
    path = [step.phase for step in steps if step.document.get("kind", "phase") == "phase"]
    outcome: dict[str, Any] = {"path": path}
    if steps and (edge := steps[-1].document.get("edge")):
        outcome["next_action"] = edge.get("token", "")
    return outcome


_STEP = "  "
_MAX_BLOCKS = 20
"""Depth of the block style; deeper values are in brackets."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_RESERVED = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
"""Words that YAML 1.1 or 1.2 reads as another value than a text, in small letters."""
_NOT_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What YAML 1.2, section 5.1, has escaped in a quoted text and JSON has not, and the line ends of YAML 1.1."""
_LONG = 100
_UNIT = r"(?:(?!\\n)(?:\\u[0-9a-f]{4}|\\.|[^\\]))"
"""A character of a quoted text, or its escape."""
_PIECE = re.compile(rf"{_UNIT}{{0,{_LONG}}}\\n|{_UNIT}{{1,{_LONG}}}(?:(?<= )|\Z)|{_UNIT}{{1,{_LONG}}}")
"""The next 100 characters of a quoted text, up to the end of one of its lines, or else of a word."""


def write_lines(value: Any) -> Iterator[str]:
    """Write a JSON value as the lines of a YAML 1.2 document, each with its line end.

    A text is quoted as in JSON unless it is a word; a long one continues on further lines, after its own line ends
    where it has some. Half of a surrogate pair becomes a question mark.

    Args:
        value: the value, with texts as keys.
    """
    if _is_block(value, 0):
        yield from _write_block(value, 0)
    else:
        yield f"{_write_scalar(value, _STEP)}\n"


def _is_block(value: Any, depth: int) -> bool:
    return isinstance(value, dict | list) and bool(value) and depth < _MAX_BLOCKS


def _write_block(value: Any, depth: int) -> Iterator[str]:
    indent = _STEP * depth
    if isinstance(value, dict):
        for key, inner in value.items():
            name = _write_word(str(key))
            if _is_block(inner, depth + 1):
                yield f"{indent}{name}:\n"
                yield from _write_block(inner, depth + 1)
            else:
                yield f"{indent}{name}: {_write_scalar(inner, indent + _STEP)}\n"
        return
    for inner in value:
        if _is_block(inner, depth + 1):
            lines = _write_block(inner, depth + 1)
            yield f"{indent}- {next(lines)[len(indent) + 2 :]}"
            yield from lines
        else:
            yield f"{indent}- {_write_scalar(inner, indent + _STEP)}\n"


def _write_scalar(value: Any, indent: str) -> str:
    """Write a scalar, or a collection in brackets; the lines of a long text are indented so."""
    if not isinstance(value, str):
        return _escape(json.dumps(value, ensure_ascii=False))
    text = _write_word(value)
    if len(text) <= _LONG and "\\n" not in text:
        return text
    first, *others = _PIECE.findall(text)
    if others and others[-1] == '"':
        others.pop()
        *before, last = first, *others
        first, *others = *before, f'{last}"'
    # A line break is no part of the text after a backslash, nor are the blanks at the start of the next line.
    return f"\\\n{indent}".join((first, *(f"\\{piece}" if piece.startswith(" ") else piece for piece in others)))


def _write_word(text: str) -> str:
    """Write a text as it is if nothing else can be read in it, else in quotes."""
    if _WORD.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return _escape(json.dumps(text, ensure_ascii=False))


def _escape(text: str) -> str:
    # YAML takes no half of a surrogate pair, which JSON can hold.
    whole = text.encode("utf-8", "replace").decode()
    return _NOT_PRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", whole)
