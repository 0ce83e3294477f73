"""Stage 2, extract: texts become chunks, definitions and references."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.indexing.changes import find_changes
from aurora.memory.indexing.run import ignore_progress
from aurora.memory.indexing.scope import resolve_paths, resolve_root
from aurora.memory.indexing.workers import parse_jobs
from aurora.memory.model import SkippedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.indexing.run import Progress
    from aurora.memory.model import ParsedFile


class ExtractedFile(NamedTuple):
    """Parts of a file that an indexing would store.

    Attributes:
        parsed: False when its grammar found errors, or there is none and it became plain text.
        chunks: pieces that can be found.
        definitions: nodes of the code graph by kind, without the file itself.
        references: uses of a name, before they are linked.
    """

    path: str
    language: str
    parsed: bool
    chunks: int
    definitions: Mapping[str, int]
    references: int


def extract_tree(
    root: Path, paths: Sequence[Path] = (), progress: Progress = ignore_progress
) -> Iterator[ExtractedFile | SkippedFile]:
    """Parse the files that an indexing would read, and yield their parts, those of a batch together.

    Args:
        root: the project's folder.
        paths: only these files and folders inside it; empty for all.
        progress: as in `index_tree`.

    Raises:
        Fault: as `index_tree`.
    """
    root = resolve_root(root)
    found = find_changes(root, {}, resolve_paths(root, paths, ()))
    yield from found.skipped
    done, todo = 0, len(found.jobs)
    with closing(parse_jobs(root, found.jobs)) as batches:
        for batch in batches:
            for file in batch.files:
                yield file if isinstance(file, SkippedFile) else _describe_file(file)
            done += len(batch.files)
            progress(done, todo, f"parsed {done} of {todo} files")


def _describe_file(file: ParsedFile) -> ExtractedFile:
    graph = file.graph
    return ExtractedFile(
        path=file.path,
        language=file.language,
        parsed=file.parsed,
        chunks=len(file.rows or ()),
        definitions=Counter(one.kind for one in graph.defs if one.symbol) if graph else {},
        references=len(graph.refs.names) if graph else 0,
    )
