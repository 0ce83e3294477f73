"""Suppression comments, `# aur: ignore CODE -- reason`."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from aurora.interpreter.problems import (
    Place,
    codes,
    did_you_mean,
    find_kind,
    limit_suggestions,
    list_kinds,
    split_yaml_lines,
)
from aurora.interpreter.yaml import iterate_scalars, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*aur:\s*ignore\b(?P<codes>[^#]*?)(?:--\s*(?P<reason>.*))?$")
_UNSUPPRESSIBLE = ("E1", "E2", "E301", "E302", "E601")
"""Problems with which a workflow cannot run, so that they cannot be suppressed."""


MAX_COMMENTS = 1000
"""Suppression comments of a file that count."""
MAX_CANDIDATES = 2 * MAX_COMMENTS
"""Lines that look as if they had such a comment; it may be inside a text."""
MAX_WORDS = 50
"""Codes of one comment that count."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One suppression comment: its place, its words with their kinds, reason and lines."""

    place: Place
    kinds: Mapping[str, codes.ProblemKind | None]
    reason: str
    lines: frozenset[int]


def apply_suppressions(
    problems: Sequence[Problem], texts: Iterable[tuple[str, str]], *, complete: bool
) -> tuple[Problem, ...]:
    """Remove suppressed problems, and add the problems of the comments themselves.

    Args:
        problems: all problems found.
        texts: path and text of the files whose comments count.
        complete: True if every check ran, so that a comment without a problem is not needed.
    """
    suppressions = [found for path, text in texts for found in parse_suppressions(text, path)]
    if not suppressions:
        return tuple(problems)
    codes_by_line = _map_suppressed_codes(suppressions)
    left = [one for one in problems if one.code not in codes_by_line.get((one.path, one.line), ())]
    lines_by_code: dict[tuple[str, str], set[int]] = {}
    for problem in problems:
        lines_by_code.setdefault((problem.path, problem.code), set()).add(problem.line)
    with limit_suggestions():
        for suppression in suppressions[:MAX_COMMENTS]:
            left.extend(_check_suppression(suppression, lines_by_code, complete=complete))
    if len(suppressions) > MAX_COMMENTS:
        message = f"the file has more than {MAX_COMMENTS:,} such comments; from here on they suppress nothing"
        left.append(codes.BAD_IGNORE.make_problem(suppressions[MAX_COMMENTS].place, message, help="fix the problems"))
    return tuple(left)


def _map_suppressed_codes(suppressions: Sequence[Suppression]) -> dict[tuple[str, int], frozenset[str]]:
    """Map each line, with its file, to the codes that are suppressed there."""
    found: dict[tuple[str, int], frozenset[str]] = {}
    for suppression in suppressions[:MAX_COMMENTS]:
        suppressed = frozenset(kind.code for kind in suppression.kinds.values() if kind and _is_suppressible(kind))
        for line in suppression.lines:
            spot = (suppression.place.path, line)
            found[spot] = found[spot] | suppressed if spot in found else suppressed
    return found


def _is_suppressible(kind: codes.ProblemKind) -> bool:
    return not kind.code.startswith(_UNSUPPRESSIBLE)


def parse_suppressions(text: str, path: str) -> tuple[Suppression, ...]:
    """Parse the suppression comments of a document; none if it cannot be read."""
    if "aur:" not in text:
        return ()
    lines = split_yaml_lines(text)
    found = ((number, match) for number, line in enumerate(lines, 1) if (match := _COMMENT.search(line)))
    candidates = list(islice(found, MAX_CANDIDATES))
    root = read_yaml(text, path)[0] if candidates else None
    if root is None:
        return ()
    spans, source = _ScalarSpans(root), _SourceText(lines)
    return tuple(
        _parse_suppression(number, match, source, spans, path)
        for number, match in candidates
        if not spans.covers((number, match.start() + 1))
    )


_Span = tuple[tuple[int, int], tuple[int, int]]


class _ScalarSpans:
    """Spans of the scalars of a document, in order; scalars do not overlap."""

    def __init__(self, root: Node) -> None:
        self._spans = sorted({_scalar_span(node) for node in iterate_scalars(root)})
        self._by_line: dict[int, list[_Span]] = {}
        for span in self._spans:
            self._by_line.setdefault(span[0][0], []).append(span)

    def covers(self, at: tuple[int, int]) -> bool:
        """Check that this line and column are inside a scalar."""
        before = bisect_right(self._spans, at, key=lambda span: span[0]) - 1
        return before >= 0 and at < self._spans[before][1]

    def list_lines(self, line: int) -> set[int]:
        """List the line and those of the texts that begin on it or on the next one."""
        lines = {line}
        # a text of several lines cannot contain a comment, so one at its start is about all of it
        for (first, _), (last, column) in (*self._by_line.get(line, ()), *self._by_line.get(line + 1, ())):
            if last > first - 1:
                lines.update(range(first, last + (column > 1)))
        return lines


def _scalar_span(node: Node) -> _Span:
    """Return the span of a scalar's text; a comment can follow the `|` of a block."""
    place = node.place
    begin = (place.line + 1, 0) if node.style in ("|", ">") else (place.line, place.column)
    return begin, (place.end_line, place.end_column)


def _parse_suppression(
    number: int, match: re.Match[str], lines: _SourceText, spans: _ScalarSpans, path: str
) -> Suppression:
    line = lines.get_line(number)
    alone = not line[: match.start()].strip()
    about = lines.find_next_content(number) if alone else number
    words = [word for word in re.split(r"[\s,]+", match["codes"]) if word][:MAX_WORDS]
    place = Place(path, number, match.start() + 1, number, len(line.rstrip()) + 1)
    kinds = {word: find_kind(word) for word in words}
    return Suppression(place, kinds, (match["reason"] or "").strip(), frozenset(spans.list_lines(about)))


class _SourceText:
    """Lines of a document, counted from 1."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._content = [
            number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")
        ]

    def get_line(self, number: int) -> str:
        """Return the line."""
        return self._lines[number - 1]

    def find_next_content(self, number: int) -> int:
        """Find the first line with content after a comment on its own line."""
        at = bisect_right(self._content, number)
        return self._content[at] if at < len(self._content) else number


def _check_suppression(
    ignore: Suppression, lines_by_code: Mapping[tuple[str, str], set[int]], *, complete: bool
) -> Iterator[Problem]:
    """Yield the problems of the comment; `lines_by_code` has the lines of the problems by path and code."""
    if not ignore.kinds:
        help_ = "write `# aur: ignore CODE -- reason`"
        yield codes.BAD_IGNORE.make_problem(
            ignore.place, "the comment does not name the problem that it suppresses", help=help_
        )
    elif not ignore.reason:
        help_ = "add the reason: ` -- why this is as it should be`"
        yield codes.BAD_IGNORE.make_problem(ignore.place, "the comment gives no reason", help=help_)
    for word, kind in ignore.kinds.items():
        if kind is None:
            known = [name for one in list_kinds().values() for name in (one.code, one.name)]
            message = f'there is no problem "{word}"'
            yield codes.BAD_IGNORE.make_problem(ignore.place, message, help=did_you_mean(word, known))
        elif not _is_suppressible(kind):
            message = f"{kind.code} cannot be ignored: with it the workflow does not run"
            yield codes.BAD_IGNORE.make_problem(ignore.place, message, help="fix it, and remove the comment")
        elif kind is codes.NOT_ALLOWED_HERE:
            continue  # it occurs on another machine
        elif complete and ignore.lines.isdisjoint(lines_by_code.get((ignore.place.path, kind.code), set())):
            message = f"there is no {kind.code} here to ignore"
            yield codes.UNUSED_IGNORE.make_problem(ignore.place, message, help="remove the comment")
