"""Excerpts of chunks with the lines' numbers, and the places in a text that match a query."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.text_index.tokens import stem_word

from .query import parse_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.memory.model.chunks import Chunk

GAP = "…"
"""Mark of left out lines, on a line of its own, and of what is cut from a line."""

PREVIEW_LINES, PREVIEW_CHARS = 12, 900
"""Lines and characters of the preview of a hit: a chunk of so many lines is whole in it."""

_MAX_LINE = 160
"""Characters of a line in an excerpt; a longer one is cut around what matches."""
_MAX_SCANNED = 2_000
"""Characters of a line in which matches are sought: a line of generated code has a million."""
_MAX_SIGNATURE = 4
_MAX_ENCLOSING = 6
"""Lines of a signature, and of the blocks around a line that are shown with it."""

_MAX_ABOVE = 200
"""Lines above a match among which the heads of its blocks are sought: a record may have 100,000 lines of one indent."""
_FIRST_MATCHES = 3
"""Best matching lines that come before what is next to them; more of them are a list without a context."""

_WORD = re.compile(r"\w")


class _Room(NamedTuple):
    """Room that is left for lines and characters."""

    lines: int
    chars: int


def build_excerpt(chunk: Chunk, query: str, *, max_lines: int, max_chars: int) -> str:
    """Build an excerpt of a chunk: lines of its text as they are, each with its number, in their order.

    Of a chunk that does not fit, these are the signature, the lines that match the query best, each with the heads of
    the blocks around it, what is next to these, and the beginning.

    Args:
        chunk: the chunk; the lines of one without a file have no numbers.
        query: the question.
        max_lines: most lines that are shown.
        max_chars: most characters of the excerpt, marks of gaps and numbers included.

    Returns:
        The lines, with `…` on a line of its own for each gap.
    """
    first_line = chunk.start_line if chunk.path else 0
    lines = chunk.text.rstrip().split("\n")
    sought = _read_query(query)
    frame = len(str(first_line + len(lines))) + 2 if first_line else 1
    shown = [_cut_line(line.rstrip(), sought) for line in lines]
    if len(lines) <= max_lines and sum(len(line) + frame for line in shown) <= max_chars + 1:
        kept = set(range(len(lines)))
    else:
        costs = [len(line) + frame for line in shown]
        kept = _select_lines(lines, sought, chunk.symbol, _Room(max_lines, max_chars), costs)
    return "\n".join(_join_lines(shown, kept, first_line))[:max_chars]


def shorten_excerpt(excerpt: str, max_chars: int) -> str:
    """Cut an excerpt at the end of a line, or within its only line, with a mark of the gap."""
    if len(excerpt) <= max_chars:
        return excerpt
    whole = excerpt[: max_chars - 1].rfind("\n")
    if whole < 0:
        return f"{excerpt[: max_chars - 1]}{GAP}"
    return f"{excerpt[:whole].removesuffix(GAP).rstrip()}\n{GAP}"


def number_line(line: str, number: int) -> str:
    """Write a line with its number before it, as grep does; without one for the number 0."""
    return f"{number}:{line}" if number else line


def _select_lines(lines: Sequence[str], sought: _Sought, symbol: str, room: _Room, costs: Sequence[int]) -> set[int]:
    """Select groups of lines by importance until the room is used."""
    kept: set[int] = set()
    left_lines, left_chars = room
    for group in _rank_groups(lines, sought, symbol):
        if not left_lines:
            break
        new = group - kept
        cost = sum(costs[index] + 2 * (index - 1 not in kept | new) for index in new)
        if len(new) <= left_lines and cost <= left_chars - 2:
            kept |= new
            left_lines, left_chars = left_lines - len(new), left_chars - cost
    for index in range(1, len(lines) - 1):
        if index not in kept and {index - 1, index + 1} <= kept and costs[index] <= left_chars:
            kept.add(index)  # a gap of one line costs as much as most lines
            left_chars -= costs[index]
    return {index for index in kept if lines[index].strip() or {index - 1, index + 1} <= kept}


def _rank_groups(lines: Sequence[str], sought: _Sought, symbol: str) -> Iterator[set[int]]:
    """Rank groups of lines: the signature, matches with their blocks and neighbors, the rest."""
    head = find_symbol_line([line.strip() for line in lines], symbol)
    last = len(lines) - 1
    yield {head}
    signature = _find_signature_end(lines, head)
    yield from ({index} for index in range(head + 1, signature + 1))
    scores = _score_lines(lines, sought)
    best = sorted(scores, key=lambda at: (-scores[at], at))
    for some in (best[:_FIRST_MATCHES], best[_FIRST_MATCHES:]):
        yield from ({index, *_find_enclosing(lines, index, head)} for index in some)
        yield from ({index} for one in some for index in (min(one + 1, last), max(one - 1, 0)))
    yield from ({index} for index in range(head, last + 1))
    yield from ({index} for index in range(head))


def _find_signature_end(lines: Sequence[str], head: int) -> int:
    """Find the line that closes the brackets which the symbol's line opens."""
    depth = 0
    for index in range(head, min(head + _MAX_SIGNATURE, len(lines))):
        part = lines[index][:_MAX_SCANNED]
        depth += sum(map(part.count, "([")) - sum(map(part.count, ")]"))
        if depth <= 0:
            return index
    return head


def _score_lines(lines: Sequence[str], sought: _Sought) -> dict[int, float]:
    """Score the lines that match: a word counts the less, the more lines of the chunk contain it."""
    found: dict[int, set[str]] = {}
    for index, line in enumerate(lines):
        part = line[:_MAX_SCANNED]
        if words := {part[start:end].lower() for start, end in _iterate_matches(part, sought)}:
            found[index] = {word if word in sought.names else _stem_part(word) for word in words}
    counts = Counter(word for words in found.values() for word in words)
    return {index: sum(1 / counts[word] for word in words) for index, words in found.items()}


def _find_enclosing(lines: Sequence[str], index: int, head: int) -> set[int]:
    """Find the heads of the blocks around a line: above it, each indented less than the one before."""
    found: set[int] = set()
    indent = _measure_indent(lines[index])
    for above in range(index - 1, max(head, index - _MAX_ABOVE), -1):
        if not indent or len(found) == _MAX_ENCLOSING:
            break
        line = lines[above]
        if line.strip() and (here := _measure_indent(line)) < indent:
            indent = here
            found.add(above)
    return found


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _join_lines(lines: Sequence[str], kept: set[int], first_line: int) -> Iterator[str]:
    before = -1
    for index in sorted(kept):
        if index > before + 1:
            yield GAP
        yield number_line(lines[index], first_line and first_line + index)
        before = index
    if kept and before < len(lines) - 1:
        yield GAP


def _cut_line(line: str, sought: _Sought) -> str:
    """Cut a line that is too long around its first match."""
    if len(line) <= _MAX_LINE:
        return line
    first = next(_iterate_matches(line[:_MAX_SCANNED], sought), (0, 0))[0]
    start = 0 if first < _MAX_LINE - 20 else first - 20
    end = start + _MAX_LINE - 1 - (start > 0)
    return (GAP if start else "") + line[start:end] + (GAP if end < len(line) else "")


_RUN = re.compile(r"[^\W_]+")
"""A word, or what is between the underscores of an identifier."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""A part of such a run: `HTTPAdapter` has two."""


class _Sought(NamedTuple):
    """Matches of a query: stems of words, and names and literals, also as a pattern."""

    words: frozenset[str]
    names: frozenset[str]
    texts: re.Pattern[str] | None


def find_matches(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """Find the parts of a text that match the words, names and literals of a query.

    Args:
        text: a line or more.
        query: the query as typed.

    Returns:
        Start and end of each match in characters, in order, without overlap.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(_iterate_matches(text, _read_query(query)), key=lambda one: (one[0], -one[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return tuple(found)


def _iterate_matches(text: str, sought: _Sought) -> Iterator[tuple[int, int]]:
    if sought.texts is not None:
        yield from (match.span() for match in sought.texts.finditer(text))
    for run in _RUN.finditer(text):
        word = run[0]
        if _stem_part(word) in sought.words:
            yield run.span()
        elif word.isascii() and not (word.isalpha() and word.islower()):  # else it is its only part
            parts = _PART.finditer(text, *run.span())
            yield from (part.span() for part in parts if _stem_part(part[0]) in sought.words)


@lru_cache(maxsize=1 << 14)
def _stem_part(word: str) -> str:
    """Stem a word of a text; the same few thousand words make most of a project."""
    return stem_word(word.lower())


@lru_cache(maxsize=1)
def _read_query(query: str) -> _Sought:
    read = parse_query(query)
    names = frozenset({*read.literals, *read.likely_literals, *read.names})
    texts = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return _Sought(frozenset(read.words), names, re.compile(texts, re.IGNORECASE) if texts else None)


_COMMENT_PREFIXES = ("//", "/*", "*", "@", "#", "--", ";", '"', "'", "<")


def find_symbol_line(lines: Sequence[str], symbol: str) -> int:
    """Find the first line with the symbol's last name, not a comment or decorator."""
    name = re.split(r"\W+", symbol)[-1]
    if name:
        for i, line in enumerate(lines):
            if not line.startswith(_COMMENT_PREFIXES) and _contains_word(line, name):
                return i
    return 0


def _contains_word(line: str, word: str) -> bool:
    """Return True when a word is in a line as a whole, without compiling a pattern for each hit."""
    start = line.find(word)
    while start >= 0:
        neighbours = line[max(start - 1, 0) : start] + line[start + len(word) : start + len(word) + 1]
        if not _WORD.search(neighbours):
            return True
        start = line.find(word, start + 1)
    return False
