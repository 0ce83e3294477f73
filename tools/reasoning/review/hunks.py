"""Hunks of a diff: read, shown with the line numbers of the new file, and the one nearest to a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.errors import show_hidden_line
from aurora.memory.files import detect_secret_name
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.files import MAX_NEW_FILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.files import Worktree

CONTEXT_LINES = 3
"""Unchanged lines that are shown around a change; a finding on one of them is next to it."""
MAX_SHOWN_LINES = 5_000
"""Changed lines above which a file is not shown at all: nobody reads them in a prompt."""
_MAX_LINE_CHARS = 400

_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@ ?(.*)")


@dataclass(slots=True)
class Hunk:
    """Part of a diff.

    Attributes:
        path: the file, relative to the project.
        start: the number of the first line in the new file, from 1.
        count: the number of lines in the new file; 0 where lines are only removed, behind the line `start`.
        section: what git says that the lines are in; may be empty.
        lines: ` `, `+` or `-`, and the text.
    """

    path: str
    start: int
    count: int
    section: str
    lines: list[str] = field(default_factory=list)

    def list_numbered(self) -> Iterator[tuple[int, str, str]]:
        """Yield number in the new file, mark and text; a removed line has the number of what follows it."""
        number = self.start
        for line in self.lines:
            yield number, line[0], line[1:]
            number += line[0] != "-"


def parse_diff(diff: str) -> Iterator[Hunk]:
    """Parse the output of `git diff`.

    The header of a file ends where its first hunk begins, so an added line `++ b/x` is not taken for a header.
    """
    path, hunk = "", None
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            if hunk:
                yield hunk
            path, hunk = "", None
        elif hunk is None and line.startswith(("--- ", "+++ ")):
            path = _parse_path(line[4:]) or path
        elif found := _HUNK.match(line):
            if hunk:
                yield hunk
            hunk = Hunk(path, int(found[1]), int(found[2] or 1), found[3])
        elif hunk and line[:1] in ("+", "-", " ") and line:
            hunk.lines.append(line)
    if hunk:
        yield hunk


def _parse_path(header: str) -> str:
    """Parse the path after `a/` or `b/`; empty for `/dev/null`. Git quotes a name with special characters."""
    path = header.rstrip("\t")
    if path.startswith('"') and path.endswith('"'):
        path = re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), path[1:-1])
    return path[2:] if path.startswith(("a/", "b/")) else ""


def read_hunks(tree: Worktree, base: str, paths: Sequence[str], context: int = CONTEXT_LINES) -> dict[str, list[Hunk]]:
    """Read what differs from a commit in these files; of an untracked file, all of it.

    Args:
        tree: the project.
        base: a commit from `Worktree.resolve_base`.
        paths: the files; those that do not differ are not in the result, nor are binary ones.
        context: the number of unchanged lines around a change.
    """
    hunks: dict[str, list[Hunk]] = {}
    if not paths:
        return hunks
    for hunk in parse_diff(tree.diff_lines(base, context, paths)):
        hunks.setdefault(hunk.path, []).append(hunk)
    untracked = set(tree.list_untracked())
    for path in untracked.intersection(paths):
        lines = decode_text(tree.read_untracked(path)).splitlines()
        hunks[path] = [Hunk(path, 1, len(lines), "", [f"+{line}" for line in lines])]
    return hunks


def decode_text(data: bytes | None) -> str:
    """Decode a file; empty for one that is too long or no text."""
    if data is None or len(data) > MAX_NEW_FILE_BYTES or b"\0" in data:
        return ""
    return data.decode("utf-8", "replace")


def format_hunks(path: str, hunks: Sequence[Hunk], most: int) -> str:
    """Format a file's change with the numbers of its new lines; empty for a file of secrets.

    Args:
        path: the file.
        hunks: its hunks.
        most: the most characters; what exceeds them is counted.
    """
    if detect_secret_name(path):
        return ""
    width = len(str(max((hunk.start + hunk.count for hunk in hunks), default=0)))
    shown: list[str] = []
    used = left = 0
    for hunk in hunks:
        block = _format_hunk(hunk, width)
        if left or (used + sum(map(len, block)) > most and shown):
            left += len(block)
            continue
        for line in block:
            used += len(line) + 1
            if used > most:
                left += 1
            else:
                shown.append(line)
    return "\n".join([*shown, *([f"[{left} more lines]"] if left else [])])


def _format_hunk(hunk: Hunk, width: int) -> list[str]:
    texts = mask_secrets("\n".join(text for _, _, text in hunk.list_numbered())).split("\n")
    lines = [f"@@ {show_hidden_line(hunk.section)[:_MAX_LINE_CHARS]}".rstrip()]
    for (number, mark, _), whole in zip(hunk.list_numbered(), texts, strict=False):
        text = show_hidden_line(whole.rstrip("\r"))
        shown = text if len(text) <= _MAX_LINE_CHARS else f"{text[:_MAX_LINE_CHARS]}…"
        lines.append(f"{'' if mark == '-' else number:>{width}} {mark}{shown}".rstrip())
    return lines


def find_nearest(hunks: Sequence[Hunk], line: int) -> tuple[int, int] | None:
    """Return the range of changed lines nearest to a line; None if that is changed or next to a change.

    Args:
        hunks: the hunks of the file, without context.
        line: its number, from 1.
    """
    ranges = [(hunk.start, max(hunk.start, hunk.start + hunk.count - 1)) for hunk in hunks]
    distances = [(max(first - line, line - last, 0), first, last) for first, last in ranges]
    if not distances:
        return None
    distance, first, last = min(distances)
    return None if distance <= CONTEXT_LINES else (first, last)
