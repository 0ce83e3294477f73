"""Check of an answer as a whole: findings of a review against the changed lines, and the parts of the question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.tools.files import open_worktree
from aurora.tools.text import stem_words

from .findings import say_place

if TYPE_CHECKING:
    from .findings import Check, Cited

_NEAR = 3
"""Lines around a changed one: git shows as many as context."""
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_MAX_RANGES = 5


def check_changes(check: Check, base: str) -> None:
    """Check that each finding of a review has a place in or next to a changed line.

    A finding is a paragraph, an item or a section of the answer: its other places may be anywhere.

    Raises:
        Fault: NOT_FOUND when git knows no such base; INVALID_INPUT in a project without git.
    """
    tree = open_worktree(check.sources.root)
    if tree is None:
        raise Fault(
            Code.INVALID_INPUT, "this project is not in git, so its changes are unknown", help="Leave out base."
        )
    commit = tree.resolve_base(base)
    changed = parse_hunks(tree.diff_lines(commit))
    changed |= {path: [] for path in tree.list_untracked()}
    findings: dict[int, list[Cited]] = {}
    for one in check.cited:
        if one.citation.first:
            findings.setdefault(one.sentence.topic, []).append(one)
    for cited in findings.values():
        if not any(_is_changed(one, changed) for one in cited):
            one = cited[0]
            check.report(one.sentence.line, "outside", say_place(one.citation), _describe_outside(one, changed, base))


def parse_hunks(diff: str) -> dict[str, list[tuple[int, int]]]:
    """Parse the changed lines of each file from a diff without context; lines between which some were removed count."""
    changed: dict[str, list[tuple[int, int]]] = {}
    for part in re.split(r"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        named = re.search(r"^\+\+\+ (?:b/)?(.+?)\t?$", part, re.MULTILINE)
        if named:
            hunks = ((int(found[1]), int(found[2] or 1)) for found in _HUNK.finditer(part))
            changed[named[1].strip('"')] = [(first, first + max(count, 1) - 1) for first, count in hunks]
    return changed


def _is_changed(one: Cited, changed: dict[str, list[tuple[int, int]]]) -> bool:
    hunks = changed.get(one.file.path)
    if hunks is None:
        return False
    near = (first - _NEAR <= one.citation.last and one.citation.first <= last + _NEAR for first, last in hunks)
    return not hunks or any(near)


def _describe_outside(one: Cited, changed: dict[str, list[tuple[int, int]]], base: str) -> str:
    hunks = changed.get(one.file.path)
    if hunks is None:
        return f"{one.file.path} is not changed since {base[:80]}: name the changed line that causes it"
    shown = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in hunks[:_MAX_RANGES])
    more = " …" if len(hunks) > _MAX_RANGES else ""
    return f"{say_place(one.citation)} is not changed since {base[:80]}; {one.file.path} is at {shown}{more}"


_PARTS = re.compile(r"(?<=[?!.;])\s+|\n+(?=\s*(?:[-*]|\d+[.)])?\s*\S)")
_NO_TOPIC = frozenset(
    stem_words("does explain from happen have make that this what when where which will with your please")
)
_MIN_LETTERS = 4
_MIN_WORDS = 2
_MAX_PARTS = 12
_MAX_SHOWN = 120


def list_open_parts(question: str, answer: str) -> tuple[str, ...]:
    """List the parts of a question of several parts of which the answer has no word: it may have left them out."""
    parts = [part.strip() for part in _PARTS.split(question) if part.strip()][:_MAX_PARTS]
    if len(parts) < _MIN_WORDS:
        return ()
    said = stem_words(answer)
    topics = [_list_topic_words(part) - _NO_TOPIC for part in parts]
    left = (part for part, topic in zip(parts, topics, strict=True) if len(topic) >= _MIN_WORDS and not topic & said)
    return tuple(part if len(part) <= _MAX_SHOWN else f"{part[:_MAX_SHOWN]}…" for part in left)


def _list_topic_words(part: str) -> frozenset[str]:
    return frozenset(word for word in stem_words(part) if len(word) >= _MIN_LETTERS)
