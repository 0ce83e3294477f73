"""Lines that a change has added, each with its file and number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.tools.files import MAX_NEW_FILE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.files import Worktree

_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,\d+)? @@")

AddedLine = tuple[str, int, str]
"""Path, number from 1, text."""


def read_added_lines(tree: Worktree, base: str) -> Iterator[AddedLine]:
    """Read all lines that the base does not have, also of untracked text files."""
    yield from parse_diff(tree.diff_lines(base))
    for path in tree.list_untracked():
        for number, text in enumerate(_decode_text(tree.read_untracked(path)).splitlines(), 1):
            yield path, number, text


def parse_diff(diff: str) -> Iterator[AddedLine]:
    """Parse the added lines of `git diff -U0`.

    The header of a file ends where its first hunk begins, so an added line `++ b/x` is not taken for a header.
    """
    path, number, in_hunk = "", 0, False
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            path, in_hunk = "", False
        elif not in_hunk and line.startswith("+++ "):
            path = _parse_path(line[4:])
        elif hunk := _HUNK.match(line):
            number, in_hunk = int(hunk[1]), True
        elif in_hunk and path and line.startswith("+"):
            yield path, number, line[1:]
            number += 1


def _parse_path(header: str) -> str:
    """Parse the path after `b/`; empty for a deleted file. Git quotes a name with special characters."""
    path = header.rstrip("\t")
    if path.startswith('"') and path.endswith('"'):
        path = re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), path[1:-1])
    return path[2:] if path.startswith("b/") else ""


def _decode_text(data: bytes | None) -> str:
    if data is None or len(data) > MAX_NEW_FILE_BYTES or b"\0" in data:
        return ""
    return data.decode("utf-8", "replace")
