"""Answers by phase from a file: the run continues until one is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.lab.cases import find_script_phase
from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.schema.validate import find_faults
from aurora.interpreter.yaml import read_yaml
from aurora.system.paths.resolve import path_exists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.interpreter import Definition


def read_values(text: bytes | str, name: str) -> Any:
    """Read the value of a YAML or JSON document.

    Raises:
        Fault: INVALID_INPUT, with the place.
    """
    if not text.strip():
        raise Fault(Code.INVALID_INPUT, f"{name} is empty", help="Write it as YAML or JSON.")
    root, problems = read_yaml(text, name)
    wrong = next((one for one in problems if one.severity == "error"), None)
    if wrong is not None:
        where = f"{wrong.path}:{wrong.line}:{wrong.column}"
        raise Fault(Code.INVALID_INPUT, f"{where}: {wrong.message}", help=wrong.help or "Write it as YAML or JSON.")
    return root.to_data() if root is not None else None


def read_answers(path: str, definition: Definition, load: Callable[[str], Definition]) -> ScriptedAnswers:
    """Read the answers: an object itself, a file with one, or standard input for `-`.

    Raises:
        Fault: NOT_FOUND or INVALID_INPUT for a file that is not there, cannot be read or names an unknown phase.
    """
    # A file may be called `{x}.yaml`, so a file that exists comes first.
    if path.lstrip().startswith(("{", "[")) and not path_exists(path):
        return _build_answers(read_values(path, "the answers"), definition, load)
    try:
        text = sys.stdin.buffer.read() if path == "-" else read_file(Path(path))
    except UnreadableFileError as error:
        code = Code.INVALID_INPUT if path_exists(path) else Code.NOT_FOUND
        raise Fault(
            code, f'"{path[:200]}" cannot be read: {error}', help="Name a file, or - for standard input."
        ) from None
    return _build_answers(read_values(text, "standard input" if path == "-" else path), definition, load)


def _build_answers(said: Any, definition: Definition, load: Callable[[str], Definition]) -> ScriptedAnswers:
    if not isinstance(said, dict):
        raise Fault(Code.INVALID_INPUT, "the answers must be an object", help="Write them by phase: `decompose: …`.")
    found = {find_script_phase(definition, str(name), load, "answer").path: value for name, value in said.items()}
    return ScriptedAnswers(found, definition)


class ScriptedAnswers:
    """Answers of a file, taken one after the other.

    Args:
        said: by phase, an answer, or a list with one for each time that the phase asks, or for each item. A phase of a
            nested workflow is `phase/phase`.
        definition: tells whether a list is the answer itself.
    """

    def __init__(self, said: Mapping[str, Any], definition: Definition) -> None:
        self._answers = said
        self._definition = definition
        self._answer_counts: dict[str, int] = {}
        self._item_counts: dict[str, int] = {}

    def next_answer(self, phase: str, schema: Mapping[str, Any]) -> Any:
        """Return the next answer to the prompt of a phase; `schema` is the schema of that answer.

        Raises:
            Fault: NOT_FOUND when there is none.
        """
        at = self._answer_counts.get(phase, 0)
        self._answer_counts[phase] = at + 1
        said = self._answers.get(phase)
        if phase not in self._answers:
            raise self._make_missing_fault(phase, f'there is no answer for phase "{phase}"')
        if not isinstance(said, list):
            return self._repeat_for_each(phase, said, schema)
        if not find_faults(said, schema):  # the list is the answer, or holds one for each item
            return said
        items = self._take_items(phase, said, schema)
        if items is not None:
            return items
        if at >= len(said):
            count = f"{len(said)} answer" + ("" if len(said) == 1 else "s")
            raise self._make_missing_fault(phase, f'phase "{phase}" asks once more, and there are only {count} for it')
        return self._repeat_for_each(phase, said[at], schema)

    def _take_items(self, phase: str, said: list[Any], schema: Mapping[str, Any]) -> list[Any] | None:
        """Take the answers to the next items from a list for all; None if it is no such list."""
        start = self._item_counts.get(phase, 0)
        items = said[start : start + schema.get("maxItems", 0)]
        if not self._asks_for_each(phase) or len(said) <= schema.get("maxItems", 0) or find_faults(items, schema):
            return None
        self._item_counts[phase] = start + len(items)
        return items

    def _repeat_for_each(self, phase: str, value: Any, schema: Mapping[str, Any]) -> Any:
        """Repeat one answer for every item under `for_each`."""
        each = self._asks_for_each(phase) and "maxItems" in schema and not isinstance(value, list)
        return [value] * schema["maxItems"] if each else value

    def _asks_for_each(self, phase: str) -> bool:
        """Return whether a phase has `for_each`; a phase of a nested workflow may have it."""
        spec = self._definition.workflow.phases.get(phase)
        return spec is None or spec.for_each is not None

    @staticmethod
    def _make_missing_fault(phase: str, message: str) -> Fault:
        return Fault(
            Code.NOT_FOUND,
            message,
            help=f'Add "{phase}:" to the answers.',
            details={"phase": phase},
        )


def parse_typed_value(text: str, schema: Mapping[str, Any]) -> Any:
    """Return typed text as the schema expects it: parsed as JSON or YAML where that fits, else as it is."""
    if not find_faults(text, schema):
        return text
    try:
        value = read_values(text, "what you typed")
    except Fault:
        return text
    return text if value is None and find_faults(value, schema) else value
