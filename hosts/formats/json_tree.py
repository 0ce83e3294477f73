"""JSON with comments, read with the place of every value, so that an edit touches nothing else."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .errors import Broken

if TYPE_CHECKING:
    from aurora.hosts.host import Form

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
_WORD = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b", re.ASCII)
_DEEPEST = 200
_ONE = threading.Lock()


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and where it stands; `members` of an object only, in their order."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()

    def member(self, key: str) -> Member | None:
        """The member of this name; of two that are called so the last, which is the one that counts."""
        return next((one for one in reversed(self.members) if one.key == key), None)


@dataclass(frozen=True, slots=True)
class Member:
    """A key, where it begins, and its value."""

    key: str
    start: int
    node: Node


def trivia(text: str, at: int) -> int:
    """The offset behind the white space and comments that begin at `at`."""
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def without_comments(trivia_text: str) -> str:
    """White space and comments, the comments taken out."""
    return _COMMENT.sub("", trivia_text)


def parse(text: str, form: Form) -> Node:
    """The tree of a text; it is shared with whoever asks for the same one, so its values must stay as they are.

    Args:
        text: without a byte-order mark.
        form: whether comments and a comma behind the last value are allowed.

    Raises:
        Broken: with the place.
    """
    with _ONE:  # the doctor's checks ask for the same text at the same moment
        return _parsed(text, form)


@lru_cache(maxsize=32)
def _parsed(text: str, form: Form) -> Node:
    """An assistant's own file may hold megabytes of its history, and is looked at a dozen times."""
    return _Parser(text, form).whole()


class _Parser:
    def __init__(self, text: str, form: Form) -> None:
        self._text = text
        self._comments = form != "json"
        self._trailing = form == "jsonc"

    def whole(self) -> Node:
        at = self._skip(0)
        node = self._value(at, 0)
        end = self._skip(node.end)
        if end < len(self._text):
            raise self._broken("something stands behind the end", end)
        return node

    def _value(self, at: int, depth: int) -> Node:
        char = self._text[at : at + 1]
        if depth > _DEEPEST:
            raise self._broken(f"it is nested deeper than {_DEEPEST}", at)
        if char == "{":
            return self._object(at, depth)
        if char == "[":
            return self._array(at, depth)
        if char == '"':
            key, end = self._string(at)
            return Node(at, end, key)
        found = _WORD.match(self._text, at)
        if found is None:
            raise self._broken("a value is missing" if char in ("", ",", "}", "]") else "this is no JSON value", at)
        try:
            return Node(at, found.end(), json.loads(found[0]))
        except ValueError as error:  # a number of thousands of digits
            raise self._broken(str(error), at) from None

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                raise self._broken('a key in quotation marks, or "}", is missing', at)
            key, end = self._string(at)
            colon = self._skip(end)
            if self._text[colon : colon + 1] != ":":
                raise self._broken('":" is missing', colon)
            node = self._value(self._skip(colon + 1), depth + 1)
            members.append(Member(key, at, node))
            at = self._next(node.end, "}")
        return Node(start, at + 1, {one.key: one.node.value for one in members}, tuple(members))

    def _array(self, start: int, depth: int) -> Node:
        values: list[Any] = []
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "]":
            node = self._value(at, depth + 1)
            values.append(node.value)
            at = self._next(node.end, "]")
        return Node(start, at + 1, values)

    def _next(self, end: int, close: str) -> int:
        """Where the next value begins, or the bracket that closes."""
        at = self._skip(end)
        if self._text[at : at + 1] == close:
            return at
        if self._text[at : at + 1] != ",":
            raise self._broken(f'"," or "{close}" is missing', at)
        behind = self._skip(at + 1)
        if self._text[behind : behind + 1] == close and not self._trailing:
            raise self._broken("a comma stands behind the last value", at)
        return behind

    def _string(self, at: int) -> tuple[str, int]:
        found = _STRING.match(self._text, at)
        if found is None:
            raise self._broken("a text has no end on its line", at)
        try:
            return str(json.loads(found[0])), found.end()
        except ValueError:
            raise self._broken("a text holds an unknown escape", at) from None

    def _skip(self, at: int) -> int:
        end = trivia(self._text, at)
        if not self._comments and (comment := _COMMENT.search(self._text, at, end)):
            raise self._broken("a comment, which this file may not hold", comment.start())
        if self._text.startswith("/*", end):
            raise self._broken("a comment has no end", end)
        return end

    def _broken(self, message: str, at: int) -> Broken:
        return Broken.at(message, self._text, at)
