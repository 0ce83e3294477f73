"""A person at a terminal is asked for a value of a schema, in the form that suits it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.terminal.console import flat, plain
from aurora.faults import Fault

from .scripted import read_values, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

_MOST_FIELDS = 12
_SIMPLE = ("string", "integer", "number", "boolean")
_END = "."
_EDITOR = "e"
_TRUTHS = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}


class Left(Exception):  # noqa: N818 - it says what the person did
    """The end of the input."""


class Asker:
    """Asks one person.

    Args:
        console: where questions and complaints are written.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def value(self, name: str, schema: Mapping[str, Any]) -> Any:
        """A value that fits the schema; what does not is told and asked for again.

        Raises:
            Left: the input ended.
        """
        if schema.get("description"):
            self.say(f"  {flat(str(schema['description']))}", "dim")
        if _has_fields(schema):
            return self._object(name, schema)
        return self._until_it_fits(name, schema, lambda: self._one(name, schema, long=True))

    def say(self, text: str, style: str = "") -> None:
        """A line for the person."""
        from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

        self._console.print(Text(plain(text), style=style), soft_wrap=True)

    def line(self, prompt: str) -> str:
        """What the person types behind the prompt.

        Raises:
            Left: the input ended.
        """
        self._console.file.write(prompt)
        self._console.file.flush()
        try:
            said = sys.stdin.readline()
        except UnicodeDecodeError:
            self.say("that is not UTF-8, and was not taken", "red")
            return ""
        if not said:
            raise Left
        try:
            said.encode("utf-8")
        except UnicodeEncodeError:  # the shell's language is one in which bytes that are no text slip through
            self.say("that is not UTF-8, and was not taken", "red")
            return ""
        return said.rstrip("\r\n")

    def _until_it_fits(self, name: str, schema: Mapping[str, Any], ask: Callable[[], Any]) -> Any:
        from aurora.interpreter.schema.validate import faults  # noqa: PLC0415 - help does not need it

        while True:
            try:
                value = ask()
            except Fault as fault:
                self.say(f"  {fault.message}", "red")
                continue
            found = faults(value, schema, name)
            if not found:
                return value
            self.complain(found)

    def complain(self, found: list[dict[str, str]]) -> None:
        """Tell what is wrong, each at its place."""
        for fault in found:
            self.say(f"  {fault['path']}: {fault['message']}", "red")

    def _object(self, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Field by field; after a complaint only the fields that it is about."""
        from aurora.interpreter.schema.validate import faults  # noqa: PLC0415 - help does not need it

        fields: Mapping[str, Any] = schema["properties"]
        required = schema.get("required", ())
        said: dict[str, Any] = {}
        again = list(fields)
        while True:
            for field in again:
                said.pop(field, None)
                value = self._field(field, fields[field], needed=field in required)
                if value is not None:
                    said[field] = value
            found = faults(said, schema, name)
            if not found:
                return said
            self.complain(found)
            blamed = [field for field in fields if any(f"{name}.{field}" == one["path"] for one in found)]
            again = blamed or list(fields)

    def _field(self, field: str, schema: Mapping[str, Any], *, needed: bool) -> Any:
        from aurora.interpreter.schema.validate import faults  # noqa: PLC0415 - help does not need it

        told = f": {flat(str(schema['description']))}" if schema.get("description") else ""
        leave = "" if needed else "; empty leaves it out"
        self.say(f"  {field} ({_kind(schema)}{leave}){told}", "bold")
        while True:
            try:
                value = self._one(field, schema, long=False)
            except Fault as fault:
                self.say(f"  {fault.message}", "red")
                continue
            if value == "" and not needed:
                return None
            found = faults(value, schema, field)
            if not found:
                return value
            self.complain(found)

    def _one(self, name: str, schema: Mapping[str, Any], *, long: bool) -> Any:
        """One value, not yet checked."""
        if "enum" in schema:
            return self._choice(schema["enum"])
        kind = schema.get("type")
        if kind == "boolean":
            said = self.line("  y/n > ").strip().lower()
            return _TRUTHS.get(said, said)
        if kind in ("integer", "number"):
            return typed(self.line("  > ").strip(), schema)
        if kind == "string" and not long:
            first = self.line("  > ")
            return self._edited(name, schema) if first == _EDITOR else first
        if kind == "array" and not long:
            return self._lines()
        return self._block(name, schema)

    def _choice(self, choices: list[Any]) -> Any:
        for number, choice in enumerate(choices, 1):
            self.say(f"  {number}) {choice if isinstance(choice, str) else json.dumps(choice)}")
        said = self.line("  > ").strip()
        if said.isdecimal() and 1 <= int(said) <= len(choices) and said not in choices:
            return choices[int(said) - 1]
        return next((one for one in choices if not isinstance(one, str) and json.dumps(one) == said), said)

    def _lines(self) -> list[str]:
        self.say("  one in each line, an empty line ends", "dim")
        found: list[str] = []
        while line := self.line("  - ").strip():
            found.append(line)
        return found

    def _block(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Several lines: plain text where a text is wanted, else YAML or JSON."""
        form = "text" if schema.get("type") == "string" else "YAML or JSON"
        self.say(f"  {form}; an empty line or a lone . ends, {_EDITOR} opens your editor, ? shows the schema", "dim")
        lines: list[str] = []
        while True:
            try:
                line = self.line("  > " if not lines else "  . ")
            except Left:
                if not lines:
                    raise
                line = _END
            if not lines and line.strip() == "?":
                self.say(json.dumps(schema, indent=2, ensure_ascii=False), "dim")
            elif not lines and line.strip() == _EDITOR:
                return self._edited(name, schema)
            elif lines and line.strip() in ("", _END):
                return _read("\n".join(lines), schema)
            elif line.strip():
                lines.append(line)

    def _edited(self, name: str, schema: Mapping[str, Any]) -> Any:
        """What the person writes in their editor."""
        as_text = schema.get("type") == "string"
        told = json.dumps(schema, indent=2, ensure_ascii=False).splitlines()
        begin = (
            "" if as_text else "\n".join([f"# {name}, as YAML or JSON, by this schema:", *(f"# {one}" for one in told)])
        )
        try:
            written = click.edit(f"{begin}\n" if begin else "", extension=".txt" if as_text else ".yaml")
        except click.ClickException as error:
            self.say(f"  the editor could not be opened: {error.format_message()}", "red")
            written = None
        return _read((written or "").strip("\n"), schema)


def _read(text: str, schema: Mapping[str, Any]) -> Any:
    return text if schema.get("type") == "string" else read_values(text, "your answer")


def _has_fields(schema: Mapping[str, Any]) -> bool:
    """Whether it is an object of a few simple fields, which are best asked for one by one."""
    fields = schema.get("properties")
    if schema.get("type") != "object" or not fields or len(fields) > _MOST_FIELDS:
        return False
    plain_keys = {"anyOf", "oneOf", "allOf", "if", "$ref"}
    return not plain_keys & set(schema) and all(_is_simple(field) for field in fields.values())


def _is_simple(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    if schema.get("type") == "array":
        items = schema.get("items")
        return isinstance(items, dict) and items.get("type") == "string" and "enum" not in items
    return "enum" in schema or schema.get("type") in _SIMPLE


def _kind(schema: Mapping[str, Any]) -> str:
    words = {"string": "text", "integer": "whole number", "boolean": "yes or no", "array": "list of texts"}
    if "enum" in schema:
        return "one of these"
    return words.get(str(schema.get("type")), str(schema.get("type")))
