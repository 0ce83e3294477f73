"""Patterns of arguments: `*` for part of a name, `**` for a relative path; matched in linear time."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

MARKED_STARTS = "-/\\~@"
"""First characters with a meaning of their own: an option, an absolute path, the home folder, a file of arguments. Only
a pattern that begins with the same character matches such an argument."""
MAX_PATTERN_CHARS = 200
_LEADS_UP = re.compile(r"(?:^|[^\w.-])\.\.(?:$|[^\w.-])")
"""A `..` that is a whole name in a path."""
_WILDCARD = re.compile(r"\*+")
_SEPARATORS = frozenset("/\\")
_NAME_PUNCTUATION = frozenset("_-.")


@dataclass(frozen=True)
class ArgumentPattern:
    r"""Pattern of one argument, which must match the whole of it.

    `*` matches any number of characters, also none, that are neither `/` nor `\` nor control characters such as a line
    break. `**` matches `/` too, after a letter, a digit, or one of `_-.`, so no absolute path and no URL. No wildcard
    matches `..` as a name. Every other character matches itself; there is no escape.

    Attributes:
        text: the pattern as it was written, at most `MAX_PATTERN_CHARS` characters.
    """

    text: str

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """The characters and wildcards, in order; each wildcard is `*` or `**`."""
        found: list[str] = []
        end = 0
        for match in _WILDCARD.finditer(self.text):
            found.extend(self.text[end : match.start()])
            found.append(match[0][:2])
            end = match.end()
        return (*found, *self.text[end:])

    def _collect_bits(self, part: str) -> int:
        """Return the places of a part as bits."""
        return sum(1 << at for at, one in enumerate(self._parts) if one == part)

    @property
    def is_literal(self) -> bool:
        """True if it matches only its own text."""
        return "*" not in self.text

    def matches(self, argument: str) -> bool:
        """Return whether the whole argument matches, in a time that grows with its length and not faster."""
        if self.is_literal or not argument:
            return argument == self.text.strip("*")
        if argument[0] in MARKED_STARTS and argument[0] != self.text[0]:
            return False
        return _LEADS_UP.search(argument) is None and self._match_parts(argument)

    def _match_parts(self, argument: str) -> bool:
        """Step through the characters with the set of reached parts, which are bits of a number."""
        single, double = self._collect_bits("*"), self._collect_bits("**")
        literals: dict[str, int] = {}
        reached, before = 1, ""
        for character in argument:
            reached |= (reached & (single | double)) << 1  # a wildcard may match nothing
            if character not in literals:
                literals[character] = self._collect_bits(character) if character != "*" else 0
            repeated = _select_wildcards(single, double, before, character)
            reached = (reached & literals[character]) << 1 | reached & repeated
            before = character
        reached |= (reached & (single | double)) << 1
        return bool(reached >> len(self._parts) & 1)


def _select_wildcards(single: int, double: int, before: str, character: str) -> int:
    """Return those of the wildcards that match a character after another one."""
    if character in _SEPARATORS:
        return double if character == "/" and (before.isalnum() or before in _NAME_PUNCTUATION) else 0
    return 0 if unicodedata.category(character) in {"Cc", "Cs"} else single | double
