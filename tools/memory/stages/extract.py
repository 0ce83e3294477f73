"""`mem.extract`: report the chunks and symbols of each file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import SkippedFile, indexing
from aurora.tools.core import Command, Example, StrictModel, Tool

from .scope import StageScope, count_reasons, resolve_scope

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ExtractedParts(StrictModel):
    """Parts of a file that are indexed."""

    path: str
    language: str
    parsed: bool = Field(description="False: its grammar found errors, or there is none.")
    chunks: int
    definitions: dict[str, int] = Field(description="Definitions by kind.")
    references: int = Field(description="Uses of a name, which `mem.link` resolves.")


class ExtractOutput(StrictModel):
    """Totals of all files, and the files up to the limit, by path."""

    files: int
    unparsed: int
    chunks: int
    definitions: dict[str, int] = Field(description="Definitions by kind.")
    references: int
    skipped: dict[str, int] = Field(
        description="Skipped files, counted by reason; `aur mem stats --left-out` lists them."
    )
    parts: tuple[ExtractedParts, ...]


def extract_project(given: StageScope, context: Context) -> ExtractOutput:
    """Parse the files that an indexing would read, and report their parts.

    Raises:
        Fault: as `mem.index`.
    """
    found, skipped = [], []
    kinds: Counter[str] = Counter()
    for one in indexing.extract_tree(context.root, resolve_scope(given, context), context.progress):
        if isinstance(one, SkippedFile):
            skipped.append(one)
        else:
            found.append(one)
            kinds.update(one.definitions)
    found.sort(key=lambda one: one.path)
    return ExtractOutput(
        files=len(found),
        unparsed=sum(not one.parsed for one in found),
        chunks=sum(one.chunks for one in found),
        definitions=dict(sorted(kinds.items())),
        references=sum(one.references for one in found),
        skipped=count_reasons(skipped),
        parts=tuple(
            ExtractedParts(**{**one._asdict(), "definitions": dict(sorted(one.definitions.items()))})
            for one in found[: given.limit]
        ),
    )


TOOL = Tool(
    name="mem.extract",
    title="Report the second stage of an indexing",
    description=(
        "Report what an indexing extracts from each file: chunks, definitions by kind, and references. The memory is "
        "not changed; `mem.index` does all stages."
    ),
    input=StageScope,
    output=ExtractOutput,
    run=extract_project,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=1800.0,
    constraints=("A path outside the project is FORBIDDEN.",),
    examples=(Example("The whole project", {}), Example("Totals only", {"limit": 0})),
    mcp="aurora_mem_extract",
    command=Command(
        "mem extract",
        "Report the chunks and symbols of each file.",
        arguments=("path",),
        files=("path",),
    ),
)
