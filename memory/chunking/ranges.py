"""Gives every row of a file to its innermost piece, and tidies the stretches that this leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.memory.parsing.languages import CONSTANT

from .windows import trim_blank_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing import Definition

_GROUPED_KINDS = frozenset({CONSTANT, "macro", "property", "type"})
_MAX_GROUP_LINES = 30  # such small things of one kind, side by side, make one piece up to here …
_MAX_SHORT_LINES = 5  # … when each is no longer than this
_MAX_LEFTOVER_LINES = 4
_MAX_BETWEEN_ROWS = 2
_CLOSING_SIGNS = frozenset(" \t})];,")
_CLOSING_WORDS = frozenset({"end", "#endif"})


@dataclass(slots=True)
class RowRange:
    """Consecutive rows of one owner, from the first that is not blank to the last.

    Attributes:
        owner: None where the file itself is.
        first: whether the owner begins here; what comes later stands after one of its members.
        group: the small definitions that share the run, the owner among them.
    """

    owner: Definition | None
    start: int
    end: int
    first: bool
    group: list[Definition] = field(default_factory=list)


def assign_ranges(lines: Sequence[str], kept: Sequence[Definition], comments: tuple[str, ...]) -> list[RowRange]:
    """The file's rows as runs, in order; every row that is not blank is in exactly one.

    Args:
        lines: the file's lines.
        kept: the definitions that become pieces, each after what holds it.
        comments: how a line that is only comment begins.
    """
    return _group_small(_merge_leftovers(lines, _assign_owners(lines, kept), comments))


def _assign_owners(lines: Sequence[str], kept: Sequence[Definition]) -> list[RowRange]:
    """Paints every row with its owner, inner over outer, and collects rows of one colour."""
    owners = [-1] * len(lines)
    for index, each in enumerate(kept):
        owners[each.start : each.end + 1] = [index] * (each.end - each.start + 1)
    runs: list[RowRange] = []
    seen: set[int] = set()
    rows = sorted({len(lines), *(each.start for each in kept), *(each.end + 1 for each in kept)})
    start = 0
    for row in rows:  # only there can the colour change
        if row < len(lines) and owners[row] == owners[start]:
            continue
        index = owners[start]
        if (span := trim_blank_rows(lines, start, row - 1)) is not None:
            runs.append(RowRange(kept[index] if index >= 0 else None, *span, first=index not in seen))
            seen.add(index)
        start = row
    return runs


def _merge_leftovers(lines: Sequence[str], runs: Sequence[RowRange], comments: tuple[str, ...]) -> list[RowRange]:
    """Gives closing brackets to the run above them, a lone comment or a line between members to the run below."""
    kept: list[RowRange] = []
    waiting: int | None = None  # where a comment begins that goes to the next run
    for index, run in enumerate(runs):
        small = run.end - run.start < _MAX_LEFTOVER_LINES and (run.owner is None or not run.first)
        if small and waiting is None:
            rows = [line.strip() for line in lines[run.start : run.end + 1] if line.strip()]
            if kept and all(map(_is_closing, rows)):
                kept[-1].end = run.end
                continue
            if kept and kept[-1].end + 1 == run.start and _is_small(kept[-1].owner):
                kept[-1].end = run.end  # a string right below a constant is about it, `#else` stands between macros
                continue
            below = runs[index + 1] if index + 1 < len(runs) else None
            if below and (all(line.startswith(comments) for line in rows) or _is_between(run, below, len(rows))):
                waiting = run.start
                continue
        if waiting is not None:
            run.start, waiting = waiting, None
        kept.append(run)
    return kept


def _is_between(run: RowRange, below: RowRange, rows: int) -> bool:
    """A field or `private:` between two members is no piece of its own."""
    return (
        run.owner is not None
        and below.owner is not None
        and below.owner.parent is run.owner
        and rows <= _MAX_BETWEEN_ROWS
    )


def _is_small(owner: Definition | None) -> bool:
    return owner is not None and owner.kind in _GROUPED_KINDS


def _is_closing(line: str) -> bool:
    """`}`, `});`, `end`, `} // namespace`."""
    code = line.split("//", 1)[0].split("/*", 1)[0].strip()
    return line in _CLOSING_WORDS or (bool(code) and set(code) <= _CLOSING_SIGNS)


def _group_small(runs: Sequence[RowRange]) -> list[RowRange]:
    """Puts short constants and the like that stand side by side into one run."""
    kept: list[RowRange] = []
    for run in runs:
        if run.owner is not None and _is_small(run.owner):
            if kept and _can_join(kept[-1], run):
                kept[-1].group.append(run.owner)
                kept[-1].end = run.end
                continue
            run.group.append(run.owner)
        kept.append(run)
    return kept


def _can_join(last: RowRange, run: RowRange) -> bool:
    """Whether a small definition is of the same kind as what is before it, and near enough to share a run with it."""
    if not last.group or run.owner is None or last.group[0].parent is not run.owner.parent:
        return False
    if last.group[0].kind != run.owner.kind:
        return False
    near = run.start - last.end <= 2  # noqa: PLR2004 - at most one blank line between them
    short = run.end - run.start < _MAX_SHORT_LINES
    open_ = len(last.group) > 1 or last.end - last.start < _MAX_SHORT_LINES
    return near and short and open_ and run.end - last.start < _MAX_GROUP_LINES
