"""JSON parser with comments that records the position of every value."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .errors import ConfigFileError

if TYPE_CHECKING:
    from aurora.hosts.host import FileFormat

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
