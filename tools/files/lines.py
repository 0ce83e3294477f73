"""Reader of the lines of a project file, with a check that the file may be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.paths import resolve_inside
from aurora.faults.secrets import leave_out_lines
from aurora.memory import SkippedFile
from aurora.memory.files import DATA_FOLDER, DATABASE_NAME, SourceFile, SourceText, find_left_out, is_view, read_source

if TYPE_CHECKING:
    from pathlib import Path

_REASONS = {
    "secret": "is a file of secrets",
    "binary": "is not text",
    "huge": "is too large",
    "generated": "is generated",
    "special": "is not a regular file",
    "outside": "is outside the project",
    "unreadable": "cannot be read",
    "worktree": "is no part of the project",
    "clone": "is no part of the project",
    "assistant": "is no part of the project",
    "lfs": "is not here",
}


@dataclass(frozen=True, slots=True)
class FileLines:
    """Range of lines.

    Attributes:
        start, end: first and last line, counted from 1.
        total: the number of lines of the file.
        left_out_lines: the number of lines of the range that are left out for a secret.
        encoding: the guess that it was decoded with; empty for UTF-8.
    """

    path: str
    language: str
    start: int
    end: int
    total: int
    text: str
    left_out_lines: int = 0
    encoding: str = ""


def read_lines(root: Path, path: str, lines: str | None) -> FileLines:
    """Read a file that is part of the project, or that only an ignore file excludes, or a range of it.

    Args:
        root: the project's folder, resolved.
        path: relative to it, or absolute.
        lines: `"10-40"`, `"10"`, `"10-"`, or None for all; counted from 1. A range past the end is truncated.

    Raises:
        Fault: FORBIDDEN for a file outside the project, with the name of a secret file or without text;
            NOT_FOUND for an unknown file; INVALID_INPUT for a folder, or a range that starts past the end.
    """
    real = resolve_inside(root, path)
    if real.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{path}" is a folder',
            help="Give the path of a file; a search limited to the folder finds its files.",
            details={"faults": [{"path": "$.path", "expected": "a file"}]},
        )
    if (real.parent.name == DATA_FOLDER and real.name.startswith(DATABASE_NAME)) or is_view(real):
        # To close such a file would drop the locks that this process has on it (sqlite.org/howtocorrupt.html, 2.2).
        raise _make_refused_fault(path, SkippedFile(path, "binary", "a database"))
    status = real.stat()
    shown = real.relative_to(root).as_posix()
    if (skipped := find_left_out(root, shown)) is not None:
        raise _make_refused_fault(shown, skipped)
    source = read_source(SourceFile(shown, real, status.st_size, status.st_mtime_ns), root)
    if not isinstance(source, SourceText):
        raise _make_refused_fault(shown, source)
    every = source.text.replace("\r\n", "\n").split("\n")
    if every[-1] == "" and len(every) > 1:
        every.pop()
    start, end = _parse_range(lines, len(every))
    text = "\n".join(leave_out_lines(every[start - 1 : end], start, source.left_out))
    left_out = sum(start <= line <= end for line in source.left_out)
    return FileLines(shown, source.language, start, end, len(every), text, left_out, source.encoding)


def _parse_range(lines: str | None, total: int) -> tuple[int, int]:
    if lines is None:
        return 1, total
    first, dash, last = lines.partition("-")
    start = int(first)
    end = min(int(last), total) if last else (total if dash else start)
    if not 1 <= start <= total or end < start:
        raise Fault(
            Code.INVALID_INPUT,
            f'there are no lines "{lines}": the file has {total}',
            help=f"Give a range within 1-{total}, the smaller number first.",
            details={"faults": [{"path": "$.lines", "expected": f"within 1-{total}"}], "total_lines": total},
        )
    return start, end


def _make_refused_fault(path: str, skipped: SkippedFile) -> Fault:
    why = _REASONS.get(skipped.reason, f"is left out ({skipped.reason})")
    detail = f" ({skipped.detail})" if skipped.detail else ""
    gone = skipped.reason == "vanished"
    return Fault(
        Code.NOT_FOUND if gone else Code.FORBIDDEN,
        f'"{path}" {why}{detail}',
        help="Open it outside Aurora; Aurora neither stores nor shows such files.",
        details={"path": path, "reason": skipped.reason},
    )
