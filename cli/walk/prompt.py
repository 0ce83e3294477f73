"""Prompt for a value of a JSON schema at a terminal."""

from __future__ import annotations

import json
import select
import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.errors import Fault, show_hidden_line
from aurora.interpreter.schema.validate import find_faults

from .scripted import parse_typed_value, read_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aurora.cli.output import Output

_MAX_FIELDS = 12
_SIMPLE_TYPES = ("string", "integer", "number", "boolean")
_END_MARK = "."
_EDITOR_KEY = "e"
_BOOLEAN_WORDS = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}


_REMEDIES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "boolean": (bool, "answer y or n"),
    "integer": (int, "type a whole number"),
    "number": ((int, float), "type a number"),
}
"""Type of a schema -> the types of its values, and what to type."""


class EndOfInputError(Exception):
    """End of the input at a prompt."""


_WAKE_UP_SECONDS = 0.5


def _wait_for_line() -> None:
    """Wait until a terminal has a line; wake up twice a second.

    A Ctrl-C in the moment before a blocking read would otherwise have no effect until the next line: Python handles
    signals between its instructions, and the read is one. A terminal gives one line per read, so none is in a buffer.
    """
    if sys.platform == "win32" or not sys.stdin.isatty():
        return
    while not select.select([sys.stdin], [], [], _WAKE_UP_SECONDS)[0]:
        pass


class Prompter:
    """Prompter that asks one person.

    Args:
        out: the output for questions and errors.
    """

    def __init__(self, out: Output) -> None:
        self._out = out

    def ask_value(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Ask for a value until it is valid.

        Raises:
            EndOfInputError: the input ended.
        """
        if schema.get("description"):
            self.print_line(f"  {show_hidden_line(str(schema['description']))}", "dim")
        if _has_fields(schema):
            return self._ask_object(name, schema)
        return self._ask_until_valid(name, schema, lambda: self._ask_once(name, schema, long=True))

    def print_line(self, text: str, style: str = "") -> None:
        """Print a line."""
        self._out.text(text, style) if text.strip() else self._out.line()

    def read_line(self, prompt: str) -> str:
        """Read the line that the person types after the prompt.

        Raises:
            EndOfInputError: the input ended.
        """
        self._out.ask(prompt)
        _wait_for_line()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            self.print_line("this is not UTF-8: type it again", "red")
            return ""
        if not line:
            raise EndOfInputError
        try:
            line.encode("utf-8")
        except UnicodeEncodeError:  # in some locales Python accepts bytes that are not text
            self.print_line("this is not UTF-8: type it again", "red")
            return ""
        return line.rstrip("\r\n")

    def _ask_until_valid(self, name: str, schema: Mapping[str, Any], ask: Callable[[], Any]) -> Any:
        while True:
            try:
                value = ask()
            except Fault as fault:
                self.print_line(f"  {fault.message}", "red")
                continue
            found = find_faults(value, schema, name)
            if not found:
                return value
            self._print_remedy(value, schema, found)

    def _print_remedy(self, value: Any, schema: Mapping[str, Any], found: list[dict[str, str]]) -> None:
        """Print what to type instead, or the faults."""
        remedy = _find_remedy(value, schema)
        if remedy:
            self.print_line(f"  {remedy}", "red")
        else:
            self.print_faults(found)

    def print_faults(self, found: list[dict[str, str]]) -> None:
        """Print each fault with its path."""
        for fault in found:
            self.print_line(f"  {fault['path']}: {fault['message']}", "red")

    def _ask_object(self, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Ask field by field; after a fault, only for the fields that it names."""
        fields: Mapping[str, Any] = schema["properties"]
        required = schema.get("required", ())
        values: dict[str, Any] = {}
        open_fields = list(fields)
        while True:
            for field in open_fields:
                values.pop(field, None)
                value = self.ask_field(field, fields[field], needed=field in required)
                if value is not None:
                    values[field] = value
            found = find_faults(values, schema, name)
            if not found:
                return values
            self.print_faults(found)
            faulty_paths = {fault["path"] for fault in found}
            faulty_fields = [field for field in fields if f"{name}.{field}" in faulty_paths]
            open_fields = faulty_fields or list(fields)

    def ask_field(self, field: str, schema: Mapping[str, Any], *, needed: bool) -> Any:
        """Ask for a field until its value is valid; None where it is left out.

        Raises:
            EndOfInputError: the input ended.
        """
        description = f": {show_hidden_line(str(schema['description']))}" if schema.get("description") else ""
        default = show_hidden_line(_show_default(schema["default"])) if "default" in schema else ""
        without = f"is {default}" if default else "leaves it out"
        hint = "" if needed else f"; empty {without}"
        self.print_line(f"  {field} ({_describe_type(schema)}{hint}){description}", "bold")
        while True:
            try:
                value = self._ask_once(field, schema, long=False)
            except Fault as fault:
                self.print_line(f"  {fault.message}", "red")
                continue
            if value == "" and not needed:
                return None
            found = find_faults(value, schema, field)
            if not found:
                return value
            self._print_remedy(value, schema, found)

    def _ask_once(self, name: str, schema: Mapping[str, Any], *, long: bool) -> Any:
        """Ask for one value, without checking it."""
        if "enum" in schema:
            return self._ask_choice(schema["enum"])
        kind = schema.get("type")
        if kind == "boolean":
            typed = self.read_line("  y/n > ").strip().lower()
            return _BOOLEAN_WORDS.get(typed, typed)
        if kind in ("integer", "number"):
            return parse_typed_value(self.read_line("  > ").strip(), schema)
        if kind == "string" and not long:
            first = self.read_line("  > ")
            return self._ask_editor(name, schema) if first == _EDITOR_KEY else first
        if kind == "array" and not long:
            return self._ask_list()
        return self._ask_block(name, schema)

    def _ask_choice(self, choices: list[Any]) -> Any:
        for number, choice in enumerate(choices, 1):
            self.print_line(f"  {number}) {choice if isinstance(choice, str) else json.dumps(choice)}")
        typed = self.read_line("  > ").strip()
        # A choice may be the text of a number: then it is meant, and not the one at that place.
        if typed.isdecimal() and 1 <= int(typed) <= len(choices) and typed not in choices:
            return choices[int(typed) - 1]
        by_json = {json.dumps(choice): choice for choice in choices if not isinstance(choice, str)}
        return by_json.get(typed, typed)

    def _ask_list(self) -> list[str]:
        self.print_line("  one per line; an empty line ends", "dim")
        found: list[str] = []
        while line := self.read_line("  - ").strip():
            found.append(line)
        return found

    def _ask_block(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Ask for several lines: plain text where the schema is a text, else YAML or JSON."""
        form = "text" if schema.get("type") == "string" else "YAML or JSON"
        self.print_line(
            f"  {form}; an empty line or a lone . ends, {_EDITOR_KEY} opens your editor, ? shows the schema", "dim"
        )
        lines: list[str] = []
        while True:
            try:
                line = self.read_line("  > " if not lines else "  . ")
            except EndOfInputError:
                # Text that was typed before the end of the input counts as an answer.
                if not lines:
                    raise
                line = _END_MARK
            if not lines and line.strip() == "?":
                self.print_line(json.dumps(schema, indent=2, ensure_ascii=False), "dim")
            elif not lines and line.strip() == _EDITOR_KEY:
                return self._ask_editor(name, schema)
            elif lines and line.strip() in ("", _END_MARK):
                return _parse_text("\n".join(lines), schema)
            elif line.strip():
                lines.append(line)

    def _ask_editor(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Ask in the person's editor."""
        as_text = schema.get("type") == "string"
        try:
            if as_text:
                written = click.edit("", extension=".txt")
            else:
                lines = json.dumps(schema, indent=2, ensure_ascii=False).splitlines()
                comment = "\n".join(f"# {line}" for line in [f"{name}, as YAML or JSON, by this schema:", *lines])
                written = click.edit(f"{comment}\n", extension=".yaml")
        except click.ClickException as error:
            self.print_line(f"  cannot open the editor: {error.format_message()}", "red")
            written = None
        return _parse_text((written or "").strip("\n"), schema)


def _find_remedy(value: Any, schema: Mapping[str, Any]) -> str:
    """Return what to type in place of a value of another type; empty where the fault says enough."""
    kind = str(schema.get("type"))
    if kind not in _REMEDIES or "enum" in schema:
        return ""
    expected, remedy = _REMEDIES[kind]
    # For Python, true and false are numbers, too.
    fits = isinstance(value, expected) and (kind == "boolean" or not isinstance(value, bool))
    return "" if fits else remedy


def _parse_text(text: str, schema: Mapping[str, Any]) -> Any:
    return text if schema.get("type") == "string" else read_values(text, "your answer")


def _has_fields(schema: Mapping[str, Any]) -> bool:
    """Return whether it is an object of a few simple fields, to ask for one by one."""
    fields = schema.get("properties")
    if schema.get("type") != "object" or not fields or len(fields) > _MAX_FIELDS:
        return False
    plain_keys = {"anyOf", "oneOf", "allOf", "if", "$ref"}
    return not plain_keys & set(schema) and all(_is_simple(field) for field in fields.values())


def _is_simple(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    if schema.get("type") == "array":
        items = schema.get("items")
        return isinstance(items, dict) and items.get("type") == "string" and "enum" not in items
    return "enum" in schema or schema.get("type") in _SIMPLE_TYPES


def _show_default(value: Any) -> str:
    """Return a default as a person would type it; empty for an empty text."""
    if isinstance(value, bool):
        return "y" if value else "n"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _describe_type(schema: Mapping[str, Any]) -> str:
    words = {"string": "text", "integer": "whole number", "boolean": "yes or no", "array": "list of texts"}
    if "enum" in schema:
        return "one of these"
    return words.get(str(schema.get("type")), str(schema.get("type")))
