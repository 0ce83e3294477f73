"""Removal of strings from lists in JSON text; every other byte stays the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aurora.hosts.formats import ConfigFileError, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TOKEN = re.compile(
    r'(?P<gap>[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)|(?P<text>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")|(?P<other>.)',
    re.DOTALL,
)
_BYTE_ORDER_MARK = "\ufeff"


def remove_list_items(text: str, matches: Callable[[str], bool]) -> str:
    """Remove the list elements for which `matches` is true, each with one comma.

    Args:
        text: JSON, comments and trailing commas allowed.
        matches: the predicate, called with each string that is an element of a list.

    Raises:
        Broken: the text is not JSON.
    """
    before = parse_json(text.removeprefix(_BYTE_ORDER_MARK), "jsonc").value
    edited = text
    while span := _find_first_item(edited, matches):
        edited = edited[: span[0]] + edited[span[1] :]
    if parse_json(edited.removeprefix(_BYTE_ORDER_MARK), "jsonc").value != _remove_from_value(before, matches):
        raise ConfigFileError("an edit would change more than it should")
    return edited


def _find_first_item(text: str, matches: Callable[[str], bool]) -> tuple[int, int] | None:
    """Find the span of the first such element with its comma and space."""
    tokens = list(_iter_tokens(text))
    for number in range(1, len(tokens) - 1):
        before, (start, end, token), after = tokens[number - 1 : number + 2]
        if before[2] not in {"[", ","} or after[2] not in {"]", ","} or not token.startswith('"'):
            continue
        if not matches(token[1:-1]):
            continue
        gap = text[before[1] : start]
        if after[2] == "]":
            return (before[0], end) if before[2] == "," else (before[1], after[0])
        if gap.strip():  # a comment, which stays
            return start, after[1]
        return (before[1], after[1]) if before[2] == "," or "\n" in gap else (start, tokens[number + 2][0])
    return None


def _iter_tokens(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _TOKEN.finditer(text):
        if found.lastgroup != "gap":
            yield found.start(), found.end(), found[0]


def _remove_from_value(value: Any, matches: Callable[[str], bool]) -> Any:
    if isinstance(value, dict):
        return {key: _remove_from_value(one, matches) for key, one in value.items()}
    if isinstance(value, list):
        return [_remove_from_value(one, matches) for one in value if not (isinstance(one, str) and matches(one))]
    return value
