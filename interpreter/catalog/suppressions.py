"""Suppression comments, `# aur: ignore CODE -- reason`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.problems import Place, codes, did_you_mean, find_kind, list_kinds, split_yaml_lines
from aurora.interpreter.yaml import iterate_scalars, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*aur:\s*ignore\b(?P<codes>[^#]*?)(?:--\s*(?P<reason>.*))?$")
_UNSUPPRESSIBLE = ("E1", "E2", "E301", "E302", "E601")
"""Problems with which a workflow cannot run, so that they cannot be suppressed."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One suppression comment: its place, codes as written, reason and lines."""

    place: Place
    words: tuple[str, ...]
    reason: str
    lines: frozenset[int]

    def covers(self, word: str, problem: Problem) -> bool:
        """Check that this word of the comment suppresses the problem."""
        kind = find_kind(word)
        return (
            kind is not None
            and kind.code == problem.code
            and problem.line in self.lines
            and problem.path == self.place.path
            and not kind.code.startswith(_UNSUPPRESSIBLE)
        )


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
    left = [problem for problem in problems if not _is_suppressed(problem, suppressions)]
    for suppression in suppressions:
        left.extend(_check_suppression(suppression, problems, complete=complete))
    return tuple(left)


def _is_suppressed(problem: Problem, suppressions: Sequence[Suppression]) -> bool:
    return any(found.covers(word, problem) for found in suppressions for word in found.words)


def parse_suppressions(text: str, path: str) -> tuple[Suppression, ...]:
    """Parse the suppression comments of a document; none if it cannot be read."""
    if "aur:" not in text:
        return ()
    lines = split_yaml_lines(text)
    candidates = [(number, match) for number, line in enumerate(lines, 1) if (match := _COMMENT.search(line))]
    root = read_yaml(text, path)[0] if candidates else None
    if root is None:
        return ()
    spans = [_scalar_span(node) for node in iterate_scalars(root)]
    found: list[Suppression] = []
    for number, match in candidates:
        start = (number, match.start() + 1)
        if not any(_is_inside(span, start) for span in spans):
            found.append(_parse_suppression(number, match, lines, spans, path))
    return tuple(found)


_Span = tuple[tuple[int, int], tuple[int, int]]


def _scalar_span(node: Node) -> _Span:
    """Return the span of a scalar's text; a comment can follow the `|` of a block."""
    place = node.place
    begin = (place.line + 1, 0) if node.style in ("|", ">") else (place.line, place.column)
    return begin, (place.end_line, place.end_column)


def _is_inside(span: _Span, at: tuple[int, int]) -> bool:
    return span[0] <= at < span[1]


def _parse_suppression(
    number: int, match: re.Match[str], lines: list[str], spans: list[_Span], path: str
) -> Suppression:
    alone = not lines[number - 1][: match.start()].strip()
    about = _find_next_line(lines, number) if alone else number
    covered = {about}
    for (first, _), (last, column) in spans:
        # a text of several lines cannot contain a comment, so one at its start is about all of it
        if about in (first, first - 1) and last > first - 1:
            covered.update(range(first, last + (column > 1)))
    said = tuple(word for word in re.split(r"[\s,]+", match["codes"]) if word)
    column = match.start() + 1
    place = Place(path, number, column, number, len(lines[number - 1].rstrip()) + 1)
    return Suppression(place, said, (match["reason"] or "").strip(), frozenset(covered))


def _find_next_line(lines: list[str], number: int) -> int:
    """Find the first line with content after a comment on its own line."""
    for index in range(number, len(lines)):
        if lines[index].strip() and not lines[index].lstrip().startswith("#"):
            return index + 1
    return number


def _check_suppression(ignore: Suppression, problems: Sequence[Problem], *, complete: bool) -> Iterator[Problem]:
    if not ignore.words:
        help_ = "write `# aur: ignore CODE -- reason`"
        yield codes.BAD_IGNORE.make_problem(
            ignore.place, "the comment does not name the problem that it suppresses", help=help_
        )
    elif not ignore.reason:
        help_ = "add the reason: ` -- why this is as it should be`"
        yield codes.BAD_IGNORE.make_problem(ignore.place, "the comment gives no reason", help=help_)
    for word in ignore.words:
        kind = find_kind(word)
        if kind is None:
            known = [name for one in list_kinds().values() for name in (one.code, one.name)]
            message = f'there is no problem "{word}"'
            yield codes.BAD_IGNORE.make_problem(ignore.place, message, help=did_you_mean(word, known))
        elif kind.code.startswith(_UNSUPPRESSIBLE):
            message = f"{kind.code} cannot be ignored: with it the workflow does not run"
            yield codes.BAD_IGNORE.make_problem(ignore.place, message, help="fix it, and remove the comment")
        elif complete and not any(ignore.covers(word, problem) for problem in problems):
            message = f"there is no {kind.code} here to ignore"
            yield codes.UNUSED_IGNORE.make_problem(ignore.place, message, help="remove the comment")
