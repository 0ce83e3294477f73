"""Editor of configuration files in JSON, TOML or YAML: one entry changes, every other byte stays.

No editor writes a file anew from its values: comments, order and spacing are the person's. Each splices the text at
the entry, and what comes out is read again and compared, so that a mistake here is a refusal and never a lost setting.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from . import edit_lines
from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .host import FileFormat, Host

BYTE_ORDER_MARK = "\ufeff"
"""Byte-order mark that some editors write."""
_MAX_DEPTH = 100
_MAX_VALUES = 1_000_000
"""Values of a file; thirty lines of YAML can have aliases that expand to more than any memory holds."""


def read_entries(host: Host, text: str) -> dict[str, Any]:
    """Read the server entries of a host's file, from its whole text.

    Raises:
        ConfigFileError: the file is invalid, also for the host.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        return {}
    if host.form == "yaml":
        return edit_lines.read_items(_load_values(text, host.form), host.keys[0])
    entries = _load_values(text, host.form)
    for key in host.keys:
        entries = entries.get(key, {})
        if not isinstance(entries, dict):
            raise ConfigFileError(f'"{key}" is not {"a table" if host.form == "toml" else "an object"}')
    return dict(entries)


def put_entry(host: Host, text: str, name: str, entry: Mapping[str, Any]) -> str:
    """Insert or update the entry; keep everything else as it is.

    Raises:
        ConfigFileError: as `read_entries` does, or if an entry cannot be added to the file safely.
    """
    mark, text = _split_mark(text)
    existing = read_entries(host, text).get(name)
    if host.form in {"toml", "yaml"}:
        # A table or an item is written anew as a whole, so the fields that the person added are put back.
        merged = {**existing, **entry} if isinstance(existing, dict) else entry
        left = text if existing is None else _drop_entry(host, text, name)
        put = edit_lines.put_table if host.form == "toml" else edit_lines.put_item
        result = put(left if text.strip() else _format_fresh(host), host.keys, name, merged)
    elif text.strip():
        result = _put_member(text, host.form, [*host.keys, name], entry)
    else:
        result = _format_json({**host.fresh, **_nest([*host.keys, name], entry)}, "", _Style("\n", "  ")) + "\n"
    try:
        _check_only_entry_changed(host, name, text, result)
    except ConfigFileError:
        raise ConfigFileError(
            "its layout does not allow a safe edit",
            help=f'Add "{name}" by hand; `aur init --hosts {host.name} --dry-run` in an empty folder shows the entry.',
        ) from None
    return mark + result


def drop_entry(host: Host, text: str, name: str) -> str | None:
    """Remove the entry and parents that it leaves empty; None if only what a new file has is left.

    Raises:
        ConfigFileError: as `put_entry` does.
    """
    mark, text = _split_mark(text)
    if name not in read_entries(host, text):
        return mark + text
    result = _drop_entry(host, text, name)
    while result.strip() and name in read_entries(host, result):  # JSON can have it twice
        result = _drop_entry(host, result, name)
    _check_only_entry_changed(host, name, text, result)
    # A file that Aurora made is deleted again with its entry, however somebody has spaced it since.
    is_new_file = "".join(result.split()) in {"", "{}", "".join(_format_fresh(host).split())}
    return None if is_new_file else mark + result


def have_same_values(texts: Sequence[str | None], form: FileFormat, fresh: Mapping[str, Any]) -> bool:
    """Check that texts have the same values but for empty ones; None is a file with `fresh` only.

    Raises:
        ConfigFileError: one of them is invalid.
    """
    loaded = [
        _load_values(text.removeprefix(BYTE_ORDER_MARK), form) if text and text.strip(BYTE_ORDER_MARK).strip() else {}
        for text in texts
    ]
    shown = [repr(_leave_out_empty(values)) for values in loaded]
    return len({*shown}) == 1 or (None in texts and {*shown} <= {repr({}), repr(dict(fresh))})


def _leave_out_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _leave_out_empty(item) for key, item in value.items()}
        # An object that an edit has left empty says nothing, and must not make two files differ.
        return {key: item for key, item in kept.items() if item not in ({}, [], None)}
    return value


def _drop_entry(host: Host, text: str, name: str) -> str:
    if host.form == "toml":
        return edit_lines.drop_table(text, (*host.keys, name))
    if host.form == "yaml":
        return edit_lines.drop_item(text, host.keys, name)
    return _drop_member(text, host.form, [*host.keys, name])


def _split_mark(text: str) -> tuple[str, str]:
    return (BYTE_ORDER_MARK, text[1:]) if text.startswith(BYTE_ORDER_MARK) else ("", text)


def _format_fresh(host: Host) -> str:
    """Format what a new file has besides the entries."""
    if host.form == "yaml":
        return "".join(f"{line}\n" for line in edit_lines.format_pairs(host.fresh))
    return json.dumps(dict(host.fresh)) if host.fresh else ""


def _check_only_entry_changed(host: Host, name: str, before: str, after: str) -> None:
    """Raise an error if an edit changed anything but the entry."""
    path = [*host.keys, name]
    kept = [_prune_path(_load_values(text, host.form) if text.strip() else {}, path) for text in (before, after)]
    if not before.strip():
        # A new file may have, besides the entry, only what the host needs in each file.
        kept[0] = dict(host.fresh)
    if repr(kept[0]) != repr(kept[1]):  # a NaN is not equal to itself
        raise ConfigFileError("an edit would change more than Aurora's entry")


def _prune_path(value: Any, path: list[str]) -> Any:
    """Return the values without the entry and without emptied parents."""
    if isinstance(value, list):
        # The servers of a YAML file are a list, in which a name takes the place of a key.
        return [item for item in value if not (isinstance(item, dict) and item.get("name") == path[0])]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    others = {key: item for key, item in value.items() if key != path[0]}
    inner = _prune_path(value[path[0]], path[1:]) if len(path) > 1 else None
    return {**others, path[0]: inner} if inner else others


def _load_values(text: str, form: FileFormat) -> Any:
    """Load the whole text; the values are shared, and must not change.

    Raises:
        ConfigFileError: the text is invalid, or nested too deeply for the code that reads the values.
    """
    try:
        if form == "toml":
            values: Any = edit_lines.load_toml(text)
        elif form == "yaml":
            values = edit_lines.load_yaml(text)
        else:
            values = _load_json(text, form)
    except RecursionError:
        raise ConfigFileError("it is nested too deeply") from None
    _check_shape(values)
    return values


def _check_shape(values: Any) -> None:
    # Level by level and not by recursion: the values may be nested as deeply as a parser took them. A value that
    # aliases repeat is counted each time, since the code that compares and prints values meets it each time.
    level, count = [values], 0
    for _ in range(_MAX_DEPTH + 1):
        inner: list[Any] = []
        for value in level:
            inner += value.values() if isinstance(value, dict) else value
            if count + len(inner) > _MAX_VALUES:
                raise ConfigFileError(f"it has more than {_MAX_VALUES:,} values, aliases expanded")
        count += len(inner)
        level = [value for value in inner if isinstance(value, dict | list)]
        if not level:
            return
    raise ConfigFileError("it is nested too deeply")


_JSON_PIECE = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|//[^\r\n]*|/\*.*?(?:(?P<end>\*/)|\Z)', re.DOTALL)
"""A string, or a comment; in linear time also where the end is missing."""
_JSON_COMMA = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|[{\[,][ \t\r\n]*,|(?P<comma>,)(?=[ \t\r\n]*[}\]])', re.DOTALL)
"""A string, a comma without a value before it, which stays an error, or a comma after the last value."""
_WHITE = re.compile(r"[ \t\r\n]*")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DECODER = json.JSONDecoder()


class _Style(NamedTuple):
    """Line break and indentation of a file."""

    newline: str
    unit: str


class _Member(NamedTuple):
    """Key of an object, and where the key, its value, and what follows the value begin."""

    key: str
    start: int
    value: int
    end: int


class _JsonText:
    """JSON text, and the same with blanks for what JSON does not have: each offset stays."""

    def __init__(self, text: str, form: FileFormat) -> None:
        self.text = text
        self.plain = text if form == "json" else _blank_comments(text, form)
        # Blanks of the same length, so that an offset found in what the decoder takes is one in the person's text.
        self.strict = text if form == "json" else _blank_trailing_commas(text, self.plain, form)
        self.style = _Style("\r\n" if "\r\n" in text else "\n", _detect_indent(text))
        self.root = self.skip(0)

    def skip(self, at: int) -> int:
        """Return the offset after white space and comments."""
        found = _WHITE.match(self.plain, at)
        return found.end() if found else at

    def list_members(self, start: int) -> list[_Member]:
        """List the members of the object at an offset."""
        members = []
        at = self.skip(start + 1)
        while self.plain[at] != "}":
            key, end = _DECODER.raw_decode(self.strict, at)
            value = self.skip(self.skip(end) + 1)
            end = _DECODER.raw_decode(self.strict, value)[1]
            members.append(_Member(key, at, value, end))
            at = self.skip(end)
            at = self.skip(at + 1) if self.plain[at] == "," else at
        return members

    def find_member(self, start: int, key: str) -> _Member | None:
        """Return the member with this key; the last one if the key repeats."""
        # Parsers take the last one, so that is the one that the host uses.
        return next((one for one in reversed(self.list_members(start)) if one.key == key), None)

    def find_end(self, member: _Member) -> int:
        """Return the offset after a member and its comma."""
        at = self.skip(member.end)
        return at + 1 if self.plain[at] == "," else member.end

    def has_comment(self, start: int, end: int) -> bool:
        """Check whether there is a comment between two offsets."""
        return self.text[start:end] != self.plain[start:end]


@lru_cache(maxsize=8)
def _load_json(text: str, form: FileFormat) -> dict[str, Any]:
    """Load JSON; cached, since a file with megabytes of history is read a dozen times."""
    strict = text
    try:
        if form != "json":
            strict = _blank_trailing_commas(text, _blank_comments(text, form), form)
        values = json.loads(strict, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        _blank_trailing_commas(text, _blank_comments(text, form), form)  # the parser's words for these say less
        raise ConfigFileError.from_offset(error.msg[:1].lower() + error.msg[1:], text, error.pos) from None
    except ValueError as error:  # a number with thousands of digits
        raise ConfigFileError(str(error)) from None
    if not isinstance(values, dict):
        raise ConfigFileError.from_offset("this is not a JSON object", text, len(strict) - len(strict.lstrip()))
    return values


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _blank_comments(text: str, form: FileFormat) -> str:
    def blank(found: re.Match[str]) -> str:
        if found[0].startswith('"'):
            return found[0]
        if found[0].startswith("/*") and not found["end"]:
            raise ConfigFileError.from_offset("unterminated comment", text, found.start())
        if form == "json":
            raise ConfigFileError.from_offset("this file may not contain comments", text, found.start())
        return " " * len(found[0])

    return _JSON_PIECE.sub(blank, text)


def _blank_trailing_commas(text: str, plain: str, form: FileFormat) -> str:
    def blank(found: re.Match[str]) -> str:
        if not found["comma"]:
            return found[0]
        if form != "jsonc":
            raise ConfigFileError.from_offset("trailing comma after the last value", text, found.start())
        return " "

    return _JSON_COMMA.sub(blank, plain)


def _detect_indent(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _nest(path: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def _put_member(text: str, form: FileFormat, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Insert the member, or replace the values in it that differ."""
    json_text = _JsonText(text, form)
    at = json_text.root
    for depth, key in enumerate(path):
        member = json_text.find_member(at, key)
        if member is None:
            return _insert_member(json_text, at, _nest(path[depth:], dict(entry)))
        start, at = member.start, member.value
    if text[at] != "{":
        end = _DECODER.raw_decode(json_text.strict, at)[1]
        return text[:at] + _format_json(dict(entry), _get_indent(text, start), json_text.style) + text[end:]
    for key, value in entry.items():
        member = json_text.find_member(at, key)
        if member is None:
            changed = _insert_member(json_text, at, {key: value})
        elif _DECODER.decode(json_text.strict[member.value : member.end]) != value:
            changed = text[: member.value] + json.dumps(value, ensure_ascii=False) + text[member.end :]
        else:
            continue
        # Each change moves the offsets of what follows, so the text is read again for the next one.
        return _put_member(changed, form, path, entry)
    return text


def _insert_member(json_text: _JsonText, at: int, pair: Mapping[str, Any]) -> str:
    """Insert a member as the first of the object at an offset."""
    text, style = json_text.text, json_text.style
    ((key, value),) = pair.items()
    first = next(iter(json_text.list_members(at)), None)
    inner = at + 1
    # In the text without comments, so that the line break of a block comment is none.
    line_end = json_text.plain.find("\n", inner, first.start if first else json_text.skip(inner))
    base = _get_indent(text, at)
    quoted = f"{json.dumps(key, ensure_ascii=False)}: "
    if line_end < 0 and first is not None:  # all on one line
        space = " " if text[inner] in " \t" else ""
        added = f"{space}{quoted}{json.dumps(value, ensure_ascii=False)},{'' if space else ' '}"
    else:
        indent = _get_indent(text, first.start) if first else base + style.unit
        added = f"{style.newline}{indent}{quoted}{_format_json(value, indent, style)}{',' if first else ''}"
        if line_end < 0:
            added += style.newline + base
        else:  # after a comment that is about the object
            inner = line_end - 1 if text[line_end - 1] == "\r" else line_end
    return text[:inner] + added + text[inner:]


def _get_indent(text: str, at: int) -> str:
    """Return the white space at the start of the line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _format_json(value: Any, indent: str, style: _Style) -> str:
    """Format JSON with one member per line and lists on one line."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + style.unit
    lines = [
        f"{inner}{json.dumps(key, ensure_ascii=False)}: {_format_json(member, inner, style)}"
        for key, member in value.items()
    ]
    return "{" + style.newline + f",{style.newline}".join(lines) + style.newline + indent + "}"


def _drop_member(text: str, form: FileFormat, path: Sequence[str]) -> str:
    """Remove a member, and the objects around it that it leaves empty and without a comment."""
    json_text = _JsonText(text, form)
    objects, chain = [json_text.root], list[_Member]()
    for key in path:
        member = json_text.find_member(objects[-1], key)
        if member is None:
            return text
        chain.append(member)
        objects.append(member.value)
    at = len(path) - 1
    while at > 0 and len(json_text.list_members(objects[at])) == 1:
        outer = chain[at - 1]
        kept = (outer.start, chain[at].start), (chain[at].end, json_text.find_end(outer))
        # A comment in the object around it is the person's, and keeps the empty object.
        if any(json_text.has_comment(*span) for span in kept):
            break
        at -= 1
    return _cut_member(json_text, objects[at], chain[at])


def _cut_member(json_text: _JsonText, at: int, member: _Member) -> str:
    """Cut a member with its comma, and its line if nothing else is on it."""
    text, end = json_text.text, json_text.find_end(member)
    is_last = end == member.end
    lead = text[at + 1 : member.start].rstrip(" \t")
    if _LINE_END.match(text, end):
        start = at + 1 + len(lead.removesuffix("\n").removesuffix("\r") if lead.endswith("\n") else lead)
    else:
        start = member.start
    if start == member.start:  # a line break before it may end a comment, so it stays
        while text[end] in " \t":
            end += 1
    before = [one for one in json_text.list_members(at) if one.start < member.start]
    if is_last and before:  # the comma before it goes too
        comma = json_text.skip(before[-1].end)
        return text[:comma] + text[comma + 1 : start] + text[end:]
    return text[:start] + text[end:]
