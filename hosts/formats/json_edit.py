"""JSON editor that splices entries and keeps every other byte.

Aurora's entry is the first member of its object, so that commas and comments at the end do not matter.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import ConfigFileError
from .json_tree import JsonMember, JsonNode, parse_json, skip_trivia, strip_comments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.hosts.host import FileFormat

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


def has_no_entries(text: str, besides: Mapping[str, Any], form: FileFormat) -> bool:
    """Check whether the text contains only the defaults of a new file."""
    value = parse_json(text, form).value
    return value in ({}, dict(besides)) and "".join(text.split()) == "".join(json.dumps(value).split())


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
