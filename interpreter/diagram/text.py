"""Widths of texts in a drawing, and lines of at most a width."""

from __future__ import annotations

import unicodedata

_NARROW, _WIDE = frozenset("fijlrtI.,:;!|'`()[]{} -/\\\""), frozenset("mwMW@%&→…“”")
_SHARES = {"narrow": 0.38, "wide": 0.98, "upper": 0.72, "plain": 0.61, "full": 1.05}
"""Widths of characters relative to the size of the font: those of DejaVu Sans, wider than Helvetica and Segoe UI."""
_MAX_WORD = 60
"""Characters of a word without a space that are shown."""


def measure_text(text: str, size: float) -> float:
    """Return the width of a text in the units of `size`, the font's size; rather too much than too little."""
    return size * sum(_SHARES[_classify_character(character)] for character in text)


def _classify_character(character: str) -> str:
    if character in _NARROW:
        return "narrow"
    if character in _WIDE:
        return "wide"
    if character.isascii():
        return "upper" if character.isupper() else "plain"
    return "full" if unicodedata.east_asian_width(character) in "WF" else "upper"


def wrap_text(text: str, width: float, size: float, most: int) -> list[str]:
    """Wrap a text between its words; what does not fit in `most` lines ends in "…".

    Args:
        text: one line.
        width: of a line, as `measure_text` gives it; a longer word has a line of its own.
        size: of the font.
        most: the number of lines.
    """
    lines: list[str] = []
    for word in (one if len(one) <= _MAX_WORD else f"{one[: _MAX_WORD - 1]}…" for one in text.split()):
        if lines and measure_text(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > most:
        lines[most - 1 :] = [f"{lines[most - 1]} …"]
    return lines
