"""`mem.index`: index the project's files; unchanged files cost nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Alias, Command, Example, StrictModel, Tool
from aurora.tools.files import require_project, resolve_part

from .hits import SkippedFile

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory import IndexReport
    from aurora.tools.core import Context

_MAX_SKIPPED = 200
"""Skipped files that are listed; all of them are counted by reason."""


class IndexInput(StrictModel):
    """Part of the project to index."""

    path: str | None = Field(
        default=None, min_length=1, description="A file or folder of the project; by default the whole project."
    )


class LeftOutLine(StrictModel):
    """Line of a file that was left out, and the kind of the secret in it."""

    path: str
    line: int
    kind: str


class IndexOutput(StrictModel):
    """Counts of files, of all chunks in the memory, and of chunks embedded now."""

    root: str
    files: int
    added: int
    changed: int
    unchanged: int
    removed: int
    chunks: int
    embedded: int
    unparsed: int
    bytes: int
    seconds: float = Field(description="Duration of the whole run.")
    embedding_seconds: float = Field(description="Of these for embeddings, at the end: word search works before them.")
    skipped: dict[str, int] = Field(description="Skipped files, counted by reason.")
    skipped_files: tuple[SkippedFile, ...] = Field(description="Skipped files, secrets first.")
    left_out_lines: int = Field(description="Lines left out of the files read now: they contain a secret.")
    left_out: tuple[LeftOutLine, ...] = Field(description="Their places.")
    note: str = Field(default="", description="A setting that had no effect, with the remedy; mostly empty.")


def index_project(given: IndexInput, context: Context) -> IndexOutput:
    """Bring the memory up to date with the project's files.

    Raises:
        Fault: NOT_FOUND or FORBIDDEN for a path that does not exist or leads out of the project; INVALID_INPUT for the
            whole home folder or disk, unless it is a repository.
    """
    require_project(context.root)
    paths: tuple[Path, ...] = ()
    if given.path is not None:
        paths = (resolve_part(given.path, context),)
    return to_index_output(context.project.memory.index(context.root, paths=paths, progress=context.progress))


def to_index_output(report: IndexReport) -> IndexOutput:
    """Convert the report of an indexing run to the tool's output."""
    by_weight = sorted(report.skipped, key=lambda one: (one.reason != "secret", one.reason, one.path))
    return IndexOutput.from_value(
        report,
        seconds=round(report.seconds, 3),
        embedding_seconds=round(report.embedding_seconds, 3),
        skipped=dict(sorted(Counter(one.reason for one in report.skipped).items())),
        skipped_files=by_weight[:_MAX_SKIPPED],
        left_out_lines=len(report.left_out),
        left_out=report.left_out[:_MAX_SKIPPED],
    )


TOOL = Tool(
    name="mem.index",
    title="Index the project",
    description="Read the project's code and documents into its memory. Unchanged files cost nothing.",
    input=IndexInput,
    output=IndexOutput,
    run=index_project,
    family="admin",
    risk="write",
    idempotent=True,
    timeout=3600.0,
    jobs=True,
    constraints=(
        "A path outside the project is FORBIDDEN.",
        "Ignored files, binaries, files over 1 MB and files of secrets are skipped, and lines that contain a secret.",
    ),
    aliases=(Alias("ag_ingest"), Alias("ag_normalize"), Alias("ag_extract"), Alias("ag_link"), Alias("ag_index")),
    examples=(Example("The whole project", {}),),
    mcp="aurora_mem_index",
    command=Command(
        "mem index",
        "Index the project.",
        arguments=("path",),
        files=("path",),
        verbose="List every file that is left out, with the reason.",
        interrupted="`aur mem index` continues; files that are indexed already are kept.",
    ),
)
