"""Answers by phase from a file: the walk goes on by itself until one is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition


def read_values(text: bytes | str, name: str) -> Any:
    """The value of a YAML or JSON document.

    Raises:
        Fault: INVALID_INPUT, with the place.
    """
    from aurora.interpreter.yaml import read_yaml  # noqa: PLC0415 - 20 ms, once something is to be read

    root, problems = read_yaml(text, name)
    wrong = next((one for one in problems if one.severity == "error"), None)
    if wrong is not None:
        where = f"{wrong.path}:{wrong.line}:{wrong.column}"
        raise Fault(Code.INVALID_INPUT, f"{where}: {wrong.message}", help=wrong.help or "Write it as YAML or JSON.")
    return root.to_data() if root is not None else None


def read_answers(path: str, definition: Definition) -> ScriptedAnswers:
    """The answers of a file, or of standard input for `-`.

    Raises:
        Fault: NOT_FOUND or INVALID_INPUT for a file that is not there, cannot be read or names an unknown phase.
    """
    from aurora.interpreter.problems import UnreadableFileError, did_you_mean, list_names, read_file  # noqa: PLC0415 - as above  # noqa: PLC0415 - with the above

    try:
        text = sys.stdin.buffer.read() if path == "-" else read_file(Path(path))
    except UnreadableFileError as error:
        code = Code.INVALID_INPUT if Path(path).exists() else Code.NOT_FOUND
        raise Fault(
            code, f'"{path[:200]}" cannot be read: {error}', help="Name a file, or - for standard input."
        ) from None
    said = read_values(text, "standard input" if path == "-" else path)
    if not isinstance(said, dict):
        raise Fault(Code.INVALID_INPUT, "the answers must be an object", help="Write them by phase: `decompose: …`.")
    names = definition.workflow.map_phase_names()
    asking = sorted(name for name in names if names[name] in definition.answers)
    for name in said:
        if name not in asking:
            raise Fault(
                Code.INVALID_INPUT,
                f'workflow "{definition.workflow.name}" has no phase "{str(name)[:80]}" that asks for an answer',
                help=did_you_mean(str(name)[:80], asking) or f"there are {list_names(asking)}",
            )
    return ScriptedAnswers({names[name]: value for name, value in said.items()}, definition)


class ScriptedAnswers:
    """The answers, taken one after the other.

    Args:
        said: by phase, an answer, or a list with one for each time that the phase asks.
        definition: tells whether a list is the answer itself.
    """

    def __init__(self, said: Mapping[str, Any], definition: Definition) -> None:
        self._answers = said
        self._definition = definition
        self._answer_counts: dict[str, int] = {}

    def next_answer(self, phase: str, schema: Mapping[str, Any]) -> Any:
        """The next answer to the prompt of a phase; `schema` is that of what must be brought.

        Raises:
            Fault: NOT_FOUND when there is none.
        """
        from aurora.interpreter.schema import find_faults  # noqa: PLC0415 - help does not need it

        at = self._answer_counts.get(phase, 0)
        self._answer_counts[phase] = at + 1
        said = self._answers.get(phase)
        if phase not in self._answers:
            raise self._make_missing_fault(phase, f'there is no answer for phase "{phase}"')
        if not isinstance(said, list):
            return self._repeat_for_each(phase, said, schema)
        if not find_faults(said, schema):  # the list is the answer, or holds one for each item
            return said
        if at >= len(said):
            count = f"{len(said)} answer" + ("" if len(said) == 1 else "s")
            raise self._make_missing_fault(phase, f'phase "{phase}" asks once more, and there are only {count} for it')
        return self._repeat_for_each(phase, said[at], schema)

    def _repeat_for_each(self, phase: str, value: Any, schema: Mapping[str, Any]) -> Any:
        """Under `for_each` one answer that is no list stands for every item."""
        each = self._definition.workflow.phases[phase].for_each is not None and not isinstance(value, list)
        return [value] * schema["maxItems"] if each else value

    @staticmethod
    def _make_missing_fault(phase: str, message: str) -> Fault:
        return Fault(
            Code.NOT_FOUND,
            message,
            help=f'Add "{phase}:" to the answers.',
            details={"phase": phase},
        )


def parse_typed_value(text: str, schema: Mapping[str, Any]) -> Any:
    """What a person typed, as the schema wants it: JSON or YAML where that fits, else the text itself."""
    from aurora.interpreter.schema import find_faults  # noqa: PLC0415 - help does not need it

    if not find_faults(text, schema):
        return text
    try:
        value = read_values(text, "what you typed")
    except Fault:
        return text
    return text if value is None and find_faults(value, schema) else value
