"""Lines of a text that are left out because they contain a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .scan import find_secrets, mask_found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MARKER = "[line left out: "


class MaskedText(NamedTuple):
    """Text without the values of its secrets, with as many lines as before.

    Attributes:
        text: the text with a mask in place of each value, so that its syntax stays.
        left_out: the kind of the secret by line, counted from 1.
    """

    text: str
    left_out: Mapping[int, str]


def mask_text(text: str) -> MaskedText:
    """Mask the secrets of a text, and number their lines."""
    found = find_secrets(text)
    left_out: dict[int, str] = {}
    at = line = 0
    for one in found:
        line += text.count("\n", at, one.start)
        last = line + text.count("\n", one.start, one.end)
        for row in range(line, last + 1):
            left_out.setdefault(row + 1, one.kind)
        at, line = one.end, last
    return MaskedText(mask_found(text, found), left_out)


def leave_out_lines(lines: Sequence[str], start: int, left_out: Mapping[int, str]) -> list[str]:
    """Replace the lines of secrets by `[line left out: KIND]`.

    Args:
        lines: lines of a file.
        start: number of the first, from 1.
        left_out: kinds by line number.
    """
    return [f"{_MARKER}{left_out[number]}]" if number in left_out else line for number, line in enumerate(lines, start)]


def count_left_out(text: str) -> int:
    """Count the lines of a text that were left out."""
    return sum(line.startswith(_MARKER) and line.endswith("]") for line in text.split("\n")) if _MARKER in text else 0
