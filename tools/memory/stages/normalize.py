"""`mem.normalize`: report how the text of each file is read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import SkippedFile, indexing
from aurora.tools.core import Command, Example, StrictModel, Tool

from .scope import StageScope, count_reasons, resolve_scope

if TYPE_CHECKING:
    from aurora.tools.core import Context


class NormalizedText(StrictModel):
    """Text of a file as it is indexed: lines end with a line feed; secrets are left out."""

    path: str
    language: str
    encoding: str = Field(description="As Python names it; other than utf-8 it is a guess.")
    line_ends: str = Field(description="Of the file: `lf`, `crlf`, `cr`, `mixed`; empty for one line.")
    bytes: int = Field(description="Size of the file.")
    characters: int = Field(description="Of the normalized text.")
    lines: int = Field(description="Of the normalized text.")
    left_out: int = Field(description="Lines that contain a secret.")


class NormalizeOutput(StrictModel):
    """Totals of all files, and the files up to the limit, by path."""

    files: int
    bytes: int
    characters: int
    lines: int
    left_out: int
    encodings: dict[str, int] = Field(description="Files by encoding.")
    line_ends: dict[str, int] = Field(description="Files by line ends.")
    skipped: dict[str, int] = Field(
        description="Skipped files, counted by reason; `aur mem stats --left-out` lists them."
    )
    texts: tuple[NormalizedText, ...]


def normalize_project(given: StageScope, context: Context) -> NormalizeOutput:
    """Read the files that an indexing would read, and report their texts.

    Raises:
        Fault: as `mem.index`.
    """
    found, skipped = [], []
    for one in indexing.normalize_tree(context.root, resolve_scope(given, context)):
        if isinstance(one, SkippedFile):
            skipped.append(one)
        else:
            found.append(one)
            context.progress(len(found), None, f"read {len(found)} files")
    found.sort(key=lambda one: one.path)
    return NormalizeOutput(
        files=len(found),
        bytes=sum(one.bytes for one in found),
        characters=sum(one.characters for one in found),
        lines=sum(one.lines for one in found),
        left_out=sum(one.left_out for one in found),
        encodings=dict(sorted(Counter(one.encoding for one in found).items())),
        line_ends=dict(sorted(Counter(one.line_ends for one in found if one.line_ends).items())),
        skipped=count_reasons(skipped),
        texts=tuple(NormalizedText(**one._asdict()) for one in found[: given.limit]),
    )


TOOL = Tool(
    name="mem.normalize",
    title="Report the first stage of an indexing",
    description=(
        "Report how an indexing reads each file: the encoding, the line ends, and the size of the text. The memory is "
        "not changed; `mem.index` does all stages."
    ),
    input=StageScope,
    output=NormalizeOutput,
    run=normalize_project,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=600.0,
    constraints=("A path outside the project is FORBIDDEN.",),
    examples=(Example("The whole project", {}), Example("Totals only", {"limit": 0})),
    mcp="aurora_mem_normalize",
    command=Command(
        "mem normalize",
        "Report how each file's text is read.",
        arguments=("path",),
        files=("path",),
    ),
)
