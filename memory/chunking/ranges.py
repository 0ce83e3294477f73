"""Row ranges: each row of a file assigned to its innermost definition, short leftovers merged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.memory.parsing.languages import CONSTANT

from .windows import trim_blank_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing import Definition

_GROUPED_KINDS = frozenset({CONSTANT, "macro", "property", "type"})
_MAX_GROUP_LINES = 30
"""Adjacent definitions of one grouped kind make one piece of at most this many lines."""
_MAX_SHORT_LINES = 5
"""The most lines of a definition in a group."""
_MAX_GAP = 2
"""The most rows from one definition of a group to the next: one blank line between them."""
_MAX_LEFTOVER_LINES = 4
_MAX_BETWEEN_ROWS = 2
_CLOSING_SIGNS = frozenset(" \t})];,")
_CLOSING_WORDS = frozenset({"end", "#endif"})


@dataclass(slots=True)
class RowRange:
    """Consecutive rows of one owner, without blank rows at the ends.

    Attributes:
        owner: None for the file itself.
        first: True when the owner begins here; a later range comes after one of its members.
        group: the small definitions that share the range, the owner included.
    """

    owner: Definition | None
    start: int
    end: int
    first: bool
    group: list[Definition] = field(default_factory=list)


def assign_ranges(lines: Sequence[str], kept: Sequence[Definition], comments: tuple[str, ...]) -> list[RowRange]:
    """Assign each row that is not blank to exactly one range, in order.

    Args:
        lines: the file's lines.
        kept: the definitions that become pieces, each after its parent.
        comments: prefixes of a line that is only a comment.
    """
    return _group_small(_merge_leftovers(lines, _assign_owners(lines, kept), comments))


def _assign_owners(lines: Sequence[str], kept: Sequence[Definition]) -> list[RowRange]:
    """Assign each row to its innermost definition, and collect the ranges of one owner."""
    owners = [-1] * len(lines)
    for index, each in enumerate(kept):
        owners[each.start : each.end + 1] = [index] * (each.end - each.start + 1)
    ranges: list[RowRange] = []
    seen: set[int] = set()
    rows = sorted({len(lines), *(each.start for each in kept), *(each.end + 1 for each in kept)})
    start = 0
    for row in rows:  # the owner changes nowhere else
        if row < len(lines) and owners[row] == owners[start]:
            continue
        index = owners[start]
        if (span := trim_blank_rows(lines, start, row - 1)) is not None:
            ranges.append(RowRange(kept[index] if index >= 0 else None, *span, first=index not in seen))
            seen.add(index)
        start = row
    return ranges


def _merge_leftovers(lines: Sequence[str], ranges: Sequence[RowRange], comments: tuple[str, ...]) -> list[RowRange]:
    """Merge closing brackets into the range above them, and a lone comment or field into the range below."""
    kept: list[RowRange] = []
    start: int | None = None  # the first row of a leftover that belongs to the next range
    for index, current in enumerate(ranges):
        rows = _read_leftover(lines, current) if start is None else []
        if rows and kept and _belongs_above(current, kept[-1], rows):
            kept[-1].end = current.end
            continue
        if rows and index + 1 < len(ranges) and _belongs_below(current, ranges[index + 1], rows, comments):
            start = current.start
            continue
        if start is not None:
            current.start, start = start, None
        kept.append(current)
    return kept


def _read_leftover(lines: Sequence[str], current: RowRange) -> list[str]:
    """Read the rows of a range that is too short for a piece of its own; none for any other range."""
    if current.end - current.start >= _MAX_LEFTOVER_LINES or (current.owner is not None and current.first):
        return []
    return [line.strip() for line in lines[current.start : current.end + 1] if line.strip()]


def _belongs_above(current: RowRange, above: RowRange, rows: Sequence[str]) -> bool:
    """Return whether the rows belong to the range above.

    They close it, or follow a small definition, as its docstring or `#else`.
    """
    return all(map(_is_closing, rows)) or (above.end + 1 == current.start and _is_small(above.owner))


def _belongs_below(current: RowRange, below: RowRange, rows: Sequence[str], comments: tuple[str, ...]) -> bool:
    """Return whether the rows are a comment, or a field or `private:` between two members."""
    return all(line.startswith(comments) for line in rows) or _is_between(current, below, len(rows))


def _is_between(current: RowRange, below: RowRange, rows: int) -> bool:
    """Return whether a range is a field or `private:` between two members."""
    return (
        current.owner is not None
        and below.owner is not None
        and below.owner.parent is current.owner
        and rows <= _MAX_BETWEEN_ROWS
    )


def _is_small(owner: Definition | None) -> bool:
    return owner is not None and owner.kind in _GROUPED_KINDS


def _is_closing(line: str) -> bool:
    """Return whether a line only closes: `}`, `});`, `end`, `} // namespace`."""
    code = line.split("//", 1)[0].split("/*", 1)[0].strip()
    return line in _CLOSING_WORDS or (bool(code) and set(code) <= _CLOSING_SIGNS)


def _group_small(ranges: Sequence[RowRange]) -> list[RowRange]:
    """Group short adjacent constants and the like into one range."""
    kept: list[RowRange] = []
    for current in ranges:
        if current.owner is not None and _is_small(current.owner):
            if kept and _can_join(kept[-1], current):
                kept[-1].group.append(current.owner)
                kept[-1].end = current.end
                continue
            current.group.append(current.owner)
        kept.append(current)
    return kept


def _can_join(last: RowRange, current: RowRange) -> bool:
    """Return whether a small definition can share the range of the one before it.

    It has the same kind, and is near enough.
    """
    if not last.group or current.owner is None or last.group[0].parent is not current.owner.parent:
        return False
    if last.group[0].kind != current.owner.kind:
        return False
    near = current.start - last.end <= _MAX_GAP
    short = current.end - current.start < _MAX_SHORT_LINES
    open_ = len(last.group) > 1 or last.end - last.start < _MAX_SHORT_LINES
    return near and short and open_ and current.end - last.start < _MAX_GROUP_LINES
