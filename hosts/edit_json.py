"""JSON editor that splices entries and keeps every other byte."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .host import FileFormat


_BREAK = re.compile(r"//[^\r\n]*|/\*.*?\*/|\r?\n", re.DOTALL)
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_LINE_END = re.compile(r"[ \t]*\r?\n")


@dataclass(frozen=True, slots=True)
class _TextStyle:
    """Line break and indentation of the file."""

    newline: str
    unit: str


def read_entries(text: str, keys: Sequence[str], form: FileFormat) -> dict[str, Any]:
    """Read the entries by name; empty if there are none.

    Raises:
        ConfigFileError: the text is not JSON, or the entries are not an object.
    """
    node: JsonNode | None = _parse_root(text, form)
    for key in keys:
        member = node.find_member(key) if node else None
        node = _get_object(text, member) if member else None
    return dict(node.value) if node else {}


def put_entry(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any], form: FileFormat) -> str:
    """Insert the entry, or replace the values that differ.

    Raises:
        ConfigFileError: as `read_entries` does.
    """
    node = _parse_root(text, form)
    style = _TextStyle("\r\n" if "\r\n" in text else "\n", _detect_indent(text))
    path = [*keys, name]
    for depth, key in enumerate(path):
        member = node.find_member(key)
        if member is None:
            value: Any = dict(entry)
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert_member(text, node, key, value, style)
        if depth == len(keys):
            changed = _replace_value(text, member, entry, style)
            return text if changed == text else put_entry(changed, keys, name, entry, form)
        node = _get_object(text, member)
    return text


def drop_entry(text: str, keys: Sequence[str], name: str, form: FileFormat) -> str:
    """Remove the entry and the parent objects that it leaves empty.

    Raises:
        ConfigFileError: as `read_entries` does.
    """
    chain = [_parse_root(text, form)]
    for key in keys:
        member = chain[-1].find_member(key)
        if member is None:
            return text
        chain.append(_get_object(text, member))
    path = [*keys, name]
    at = len(keys)
    inner = chain[at].find_member(name)
    if inner is None:
        return text
    while at > 0 and len(chain[at].members) == 1 and not _get_surroundings(text, chain[at], inner).strip():
        outer = chain[at - 1].find_member(path[at - 1])
        if outer is None or _has_comments(text, outer):
            break
        at, inner = at - 1, outer
    return _remove_member(text, chain[at], inner)


def build_file(keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any]) -> str:
    """Create the text of a file with only this entry."""
    value: Any = {name: dict(entry)}
    for key in reversed(keys):
        value = {key: value}
    return _format_json({**besides, **value}, "", _TextStyle("\n", "  ")) + "\n"


def load_values(text: str, form: FileFormat) -> Any:
    """Load the text; the values are shared, and must not change."""
    return parse_json(text, form).value


def _parse_root(text: str, form: FileFormat) -> JsonNode:
    root = parse_json(text, form)
    if not isinstance(root.value, dict):
        raise ConfigFileError.from_offset("this is not a JSON object", text, root.start)
    return root


def _get_object(text: str, member: JsonMember) -> JsonNode:
    if not isinstance(member.node.value, dict):
        raise ConfigFileError.from_offset(f'"{member.key}" is not an object', text, member.node.start)
    return member.node


def _detect_indent(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _insert_member(text: str, node: JsonNode, key: str, value: Any, style: _TextStyle) -> str:
    """Insert a new first member."""
    first = node.members[0].start if node.members else node.end - 1
    at = _find_line_end(text, node.start + 1, first)
    base = _get_indent(text, node.start)
    if at is not None:
        indent = _get_indent(text, first) if node.members else base + style.unit
        comma = "," if node.members else ""
        inserted = f"{style.newline}{indent}{_quote_key(key)}: {_format_json(value, indent, style)}{comma}"
    elif node.members:
        at = node.start + 1
        space = text[at : at + 1] in (" ", "\t")
        inserted = (
            f"{' ' if space else ''}{_quote_key(key)}: {json.dumps(value, ensure_ascii=False)},{'' if space else ' '}"
        )
    else:
        at, indent = node.start + 1, base + style.unit
        inserted = (
            f"{style.newline}{indent}{_quote_key(key)}: {_format_json(value, indent, style)}{style.newline}{base}"
        )
    return text[:at] + inserted + text[at:]


def _find_line_end(text: str, start: int, end: int) -> int | None:
    """Find the end of the line after comments; None if `end` is on that line."""
    for found in _BREAK.finditer(text, start, end):
        if found[0] in {"\n", "\r\n"}:
            return found.start()
    return None


def _get_indent(text: str, at: int) -> str:
    """Return the white space at the start of the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _replace_value(text: str, member: JsonMember, entry: Mapping[str, Any], style: _TextStyle) -> str:
    """Replace one value that differs; keep the user's other values."""
    node = member.node
    if not isinstance(node.value, dict):
        return text[: node.start] + _format_json(dict(entry), _get_indent(text, member.start), style) + text[node.end :]
    for key, value in entry.items():
        existing = node.find_member(key)
        if existing is None:
            return _insert_member(text, node, key, value, style)
        if existing.node.value != value:
            return text[: existing.node.start] + json.dumps(value, ensure_ascii=False) + text[existing.node.end :]
    return text


def _get_surroundings(text: str, node: JsonNode, member: JsonMember) -> str:
    """Return the text next to the only member between the braces."""
    return text[node.start + 1 : member.start] + text[_find_member_end(text, member) : node.end - 1]


def _has_comments(text: str, member: JsonMember) -> bool:
    """Check for a comment next to a member's value, which removal would delete."""
    neighbours = text[member.start : member.node.start] + text[member.node.end : _find_member_end(text, member)]
    return strip_comments(neighbours) != neighbours


def _find_member_end(text: str, member: JsonMember) -> int:
    """Return the offset after the member and its comma."""
    at = skip_trivia(text, member.node.end)
    return at + 1 if text[at : at + 1] == "," else member.node.end


def _remove_member(text: str, node: JsonNode, member: JsonMember) -> str:
    """Remove a member, its comma, and its line if nothing else is on it."""
    end = _find_member_end(text, member)
    last = end == member.node.end
    start = _find_lead(text, node.start + 1, member.start) if _LINE_END.match(text, end) else member.start
    if start == member.start:  # a line break before it may end a comment, so it stays
        while text[end : end + 1] in (" ", "\t"):
            end += 1
    at = node.members.index(member)
    if last and at > 0:  # remove the comma before it too
        before = node.members[at - 1].node.end
        comma = skip_trivia(text, before)
        return text[:before] + text[before:comma] + text[comma + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _find_lead(text: str, start: int, end: int) -> int:
    """Return where the indentation before an offset begins, with the line break before it."""
    before = text[start:end].rstrip(" \t")
    return start + len(before.removesuffix("\n").removesuffix("\r") if before.endswith("\n") else before)


def _quote_key(key: str) -> str:
    return json.dumps(key, ensure_ascii=False)


def _format_json(value: Any, indent: str, style: _TextStyle) -> str:
    """Format JSON with one member per line and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + style.unit
    lines = [f"{inner}{_quote_key(key)}: {_format_json(member, inner, style)}" for key, member in value.items()]
    return "{" + style.newline + f",{style.newline}".join(lines) + style.newline + indent + "}"


_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_LITERAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b", re.ASCII)
_MAX_DEPTH = 200
_PARSE_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class JsonNode:
    """JSON value with its position; only objects have `members`."""

    start: int
    end: int
    value: Any
    members: tuple[JsonMember, ...] = ()

    def find_member(self, key: str) -> JsonMember | None:
        """Return the member with this key; the last one if the key repeats."""
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass(frozen=True, slots=True)
class JsonMember:
    """Key, its position, and its value."""

    key: str
    start: int
    node: JsonNode


def skip_trivia(text: str, at: int) -> int:
    """Return the offset after the white space and comments at `at`."""
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def strip_comments(trivia_text: str) -> str:
    """Remove the comments from a text of white space and comments."""
    return _COMMENT.sub("", trivia_text)


def parse_json(text: str, form: FileFormat) -> JsonNode:
    """Parse a text; the cached tree is shared, so its values must not change.

    Args:
        text: the text without a byte-order mark.
        form: the format, which allows comments or a trailing comma.

    Raises:
        ConfigFileError: the text is invalid; with its position.
    """
    with _PARSE_LOCK:  # the doctor's checks parse the same text at the same time
        return _parse_cached(text, form)


@lru_cache(maxsize=32)
def _parse_cached(text: str, form: FileFormat) -> JsonNode:
    """Parse a text and cache the result.

    An assistant's own file may contain megabytes of history and is read a dozen times.
    """
    return _JsonParser(text, form).parse()


class _JsonParser:
    def __init__(self, text: str, form: FileFormat) -> None:
        self._text = text
        self._allows_comments = form != "json"
        self._allows_trailing_comma = form == "jsonc"

    def parse(self) -> JsonNode:
        at = self._skip_trivia(0)
        node = self._parse_value(at, 0)
        end = self._skip_trivia(node.end)
        if end < len(self._text):
            raise self._build_error("unexpected text after the end", end)
        return node

    def _parse_value(self, at: int, depth: int) -> JsonNode:
        char = self._text[at : at + 1]
        if depth > _MAX_DEPTH:
            raise self._build_error(f"it is nested deeper than {_MAX_DEPTH}", at)
        if char == "{":
            return self._parse_object(at, depth)
        if char == "[":
            return self._parse_array(at, depth)
        if char == '"':
            key, end = self._parse_string(at)
            return JsonNode(at, end, key)
        found = _LITERAL.match(self._text, at)
        if found is None:
            raise self._build_error(
                "a value is missing" if char in ("", ",", "}", "]") else "this is not a JSON value", at
            )
        try:
            return JsonNode(at, found.end(), json.loads(found[0]))
        except ValueError as error:  # a number with thousands of digits
            raise self._build_error(str(error), at) from None

    def _parse_object(self, start: int, depth: int) -> JsonNode:
        members: list[JsonMember] = []
        at = self._skip_trivia(start + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                raise self._build_error('a key in quotation marks, or "}", is missing', at)
            key, end = self._parse_string(at)
            colon = self._skip_trivia(end)
            if self._text[colon : colon + 1] != ":":
                raise self._build_error('":" is missing', colon)
            node = self._parse_value(self._skip_trivia(colon + 1), depth + 1)
            members.append(JsonMember(key, at, node))
            at = self._skip_comma(node.end, "}")
        return JsonNode(start, at + 1, {member.key: member.node.value for member in members}, tuple(members))

    def _parse_array(self, start: int, depth: int) -> JsonNode:
        values: list[Any] = []
        at = self._skip_trivia(start + 1)
        while self._text[at : at + 1] != "]":
            node = self._parse_value(at, depth + 1)
            values.append(node.value)
            at = self._skip_comma(node.end, "]")
        return JsonNode(start, at + 1, values)

    def _skip_comma(self, end: int, close: str) -> int:
        """Return the offset of the next value or of the closing bracket."""
        at = self._skip_trivia(end)
        if self._text[at : at + 1] == close:
            return at
        if self._text[at : at + 1] != ",":
            raise self._build_error(f'"," or "{close}" is missing', at)
        behind = self._skip_trivia(at + 1)
        if self._text[behind : behind + 1] == close and not self._allows_trailing_comma:
            raise self._build_error("trailing comma after the last value", at)
        return behind

    def _parse_string(self, at: int) -> tuple[str, int]:
        found = _STRING.match(self._text, at)
        if found is None:
            raise self._build_error("unterminated string", at)
        try:
            return str(json.loads(found[0])), found.end()
        except ValueError:
            raise self._build_error("a string contains an unknown escape", at) from None

    def _skip_trivia(self, at: int) -> int:
        end = skip_trivia(self._text, at)
        if not self._allows_comments and (comment := _COMMENT.search(self._text, at, end)):
            raise self._build_error("this file may not contain comments", comment.start())
        if self._text.startswith("/*", end):
            raise self._build_error("unterminated comment", end)
        return end

    def _build_error(self, message: str, at: int) -> ConfigFileError:
        return ConfigFileError.from_offset(message, self._text, at)
