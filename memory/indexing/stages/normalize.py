"""Stage 1, normalize: bytes of each file become text with one kind of line end, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.files import discover_files, read_source
from aurora.memory.indexing.changes import is_inside
from aurora.memory.indexing.scope import resolve_paths, resolve_root
from aurora.memory.model import SkippedFile, clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aurora.memory.files import SourceText

UTF8 = "utf-8"


class NormalizedFile(NamedTuple):
    """Text of a file as the next stage takes it.

    Attributes:
        encoding: as Python names it; other than UTF-8 it is a guess.
        line_ends: of the file: `lf`, `crlf`, `cr`, `mixed`, or empty for a text of one line; of the text always `lf`.
        bytes: size of the file.
        characters, lines: of the normalized text.
        left_out: lines that contain a secret.
    """

    path: str
    language: str
    encoding: str
    line_ends: str
    bytes: int
    characters: int
    lines: int
    left_out: int


def normalize_tree(root: Path, paths: Sequence[Path] = ()) -> Iterator[NormalizedFile | SkippedFile]:
    """Read the files that an indexing would read, one at a time.

    Args:
        root: the project's folder.
        paths: only these files and folders inside it; empty for all.

    Raises:
        Fault: as `index_tree`.
    """
    root = resolve_root(root)
    within = resolve_paths(root, paths, ())
    for entry in discover_files(root, within):
        if not is_inside(entry.path, within):
            continue
        source = entry if isinstance(entry, SkippedFile) else read_source(entry, root)
        yield source if isinstance(source, SkippedFile) else _describe_text(source)


def _describe_text(source: SourceText) -> NormalizedFile:
    text = clean_text(source.text)
    return NormalizedFile(
        path=source.path,
        language=source.language,
        encoding=source.encoding or UTF8,
        line_ends=_detect_line_ends(source.text),
        bytes=source.size,
        characters=len(text),
        lines=text.count("\n") + (text != "" and not text.endswith("\n")),
        left_out=len(source.left_out),
    )


def _detect_line_ends(text: str) -> str:
    both = text.count("\r\n")
    counts = {"crlf": both, "cr": text.count("\r") - both, "lf": text.count("\n") - both}
    found = [name for name, count in counts.items() if count]
    return found[0] if len(found) == 1 else "mixed" if found else ""
