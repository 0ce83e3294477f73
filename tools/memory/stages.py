"""Tools `mem.normalize`, `mem.extract`, `mem.link`: reports of an indexing that write nothing."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import SkippedFile, open_store
from aurora.memory.indexing.stages import extract_tree, link_tree, normalize_tree
from aurora.memory.model.graph import EDGE_KINDS
from aurora.memory.model.json_columns import clean_text
from aurora.tools.core import Command, Example, StrictModel, Tool
from aurora.tools.files import require_project, resolve_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory.files import SourceText
    from aurora.memory.model.chunks import ParsedFile
    from aurora.tools.core import Context


class ListLimit(StrictModel):
    """Length of the list of files."""

    limit: int = Field(default=200, ge=0, le=100_000, description="Most files that are listed; all are counted.")


class StageScope(ListLimit):
    """Part of the project, and the length of the list of files."""

    path: str | None = Field(
        default=None, min_length=1, description="A file or folder of the project; by default the whole project."
    )


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


class LinkCounts(StrictModel):
    """References, and those of them with a definition in the project."""

    references: int
    resolved: int
    unresolved: int = Field(description="Names from outside of the project, or of nothing.")


class LinkedReferences(LinkCounts):
    """References of a file."""

    path: str


class LinkOutput(StrictModel):
    """Totals of all files, and files up to the limit, most unresolved references first."""

    files: int = Field(description="Files with references.")
    total: LinkCounts
    kinds: dict[str, LinkCounts] = Field(description="By kind: calls, imports, inherits, implements, mentions.")
    links: tuple[LinkedReferences, ...]


def normalize_project(given: StageScope, context: Context) -> NormalizeOutput:
    """Read the files that an indexing would read, and report their texts.

    Raises:
        Fault: as `mem.index`.
    """
    found: list[NormalizedText] = []
    skipped: Counter[str] = Counter()
    for one in normalize_tree(context.root, _resolve_scope(given, context)):
        if isinstance(one, SkippedFile):
            skipped[one.reason] += 1
        else:
            found.append(_describe_text(one))
            context.progress(len(found), None, f"read {len(found)} files")
    return NormalizeOutput(
        files=len(found),
        bytes=sum(one.bytes for one in found),
        characters=sum(one.characters for one in found),
        lines=sum(one.lines for one in found),
        left_out=sum(one.left_out for one in found),
        encodings=_sort_counts(one.encoding for one in found),
        line_ends=_sort_counts(one.line_ends for one in found if one.line_ends),
        skipped=dict(sorted(skipped.items())),
        texts=tuple(sorted(found, key=lambda one: one.path)[: given.limit]),
    )


def extract_project(given: StageScope, context: Context) -> ExtractOutput:
    """Parse the files that an indexing would read, and report their parts.

    Raises:
        Fault: as `mem.index`.
    """
    found: list[ExtractedParts] = []
    skipped: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for one in extract_tree(context.root, _resolve_scope(given, context), context.progress):
        if isinstance(one, SkippedFile):
            skipped[one.reason] += 1
        else:
            found.append(_describe_parts(one))
            kinds.update(found[-1].definitions)
    return ExtractOutput(
        files=len(found),
        unparsed=sum(not one.parsed for one in found),
        chunks=sum(one.chunks for one in found),
        definitions=dict(sorted(kinds.items())),
        references=sum(one.references for one in found),
        skipped=dict(sorted(skipped.items())),
        parts=tuple(sorted(found, key=lambda one: one.path)[: given.limit]),
    )


def link_project(given: ListLimit, context: Context) -> LinkOutput:
    """Link the project's references in a temporary database, and report them.

    Raises:
        Fault: as `mem.index`.
    """
    require_project(context.root)
    with (
        tempfile.TemporaryDirectory(prefix="aurora-link-") as folder,
        closing(open_store(Path(folder) / "link.db")) as scratch,
    ):
        rows = link_tree(scratch, context.root, context.progress)
    files = [
        LinkedReferences(path=path, **_count_links(group).model_dump())
        for path, group in groupby(rows, key=itemgetter(0))
    ]
    by_number = sorted(rows, key=itemgetter(1))
    by_kind = ((EDGE_KINDS[kind], _count_links(group)) for kind, group in groupby(by_number, key=itemgetter(1)))
    return LinkOutput(
        files=len(files),
        total=_count_links(rows),
        kinds=dict(sorted(by_kind)),
        links=tuple(sorted(files, key=lambda one: (-one.unresolved, one.path))[: given.limit]),
    )


def _resolve_scope(given: StageScope, context: Context) -> Sequence[Path]:
    """Resolve the path of a stage; empty for the whole project."""
    require_project(context.root)
    return () if given.path is None else (resolve_part(given.path, context),)


def _sort_counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _describe_text(source: SourceText) -> NormalizedText:
    text = clean_text(source.text)
    return NormalizedText(
        path=source.path,
        language=source.language,
        encoding=source.encoding or "utf-8",
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


def _describe_parts(file: ParsedFile) -> ExtractedParts:
    graph = file.graph
    return ExtractedParts(
        path=file.path,
        language=file.language,
        parsed=file.parsed,
        chunks=len(file.rows or ()),
        definitions=_sort_counts(one.kind for one in graph.defs if one.symbol) if graph else {},
        references=len(graph.refs.names) if graph else 0,
    )


def _count_links(rows: Iterable[tuple[str, int, int, int]]) -> LinkCounts:
    references = resolved = 0
    for _, _, count, linked in rows:
        references, resolved = references + count, resolved + linked
    return LinkCounts(references=references, resolved=resolved, unresolved=references - resolved)


_ALSO_ALL = "The memory is not changed; `mem.index` does all stages."
_OUTSIDE = ("A path outside the project is FORBIDDEN.",)

TOOLS = (
    Tool(
        name="mem.normalize",
        title="Report the first stage of an indexing",
        description=(
            "Report how an indexing reads each file: the encoding, the line ends, and the size of the text. "
            f"{_ALSO_ALL}"
        ),
        input=StageScope,
        output=NormalizeOutput,
        run=normalize_project,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=600.0,
        constraints=_OUTSIDE,
        examples=(Example("The whole project", {}), Example("Totals only", {"limit": 0})),
        mcp="aurora_mem_normalize",
        command=Command("mem normalize", "Report how each file's text is read.", arguments=("path",), files=("path",)),
    ),
    Tool(
        name="mem.extract",
        title="Report the second stage of an indexing",
        description=(
            f"Report what an indexing extracts from each file: chunks, definitions by kind, and references. {_ALSO_ALL}"
        ),
        input=StageScope,
        output=ExtractOutput,
        run=extract_project,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=1800.0,
        constraints=_OUTSIDE,
        examples=(Example("The whole project", {}), Example("Totals only", {"limit": 0})),
        mcp="aurora_mem_extract",
        command=Command(
            "mem extract", "Report the chunks and symbols of each file.", arguments=("path",), files=("path",)
        ),
    ),
    Tool(
        name="mem.link",
        title="Report the third stage of an indexing",
        description=(
            "Report the references of each file with and without a definition in the project, as an indexing links "
            "them. It indexes the project into a temporary database; the memory is not changed. `mem.index` does all "
            "stages."
        ),
        input=ListLimit,
        output=LinkOutput,
        run=link_project,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=3600.0,
        examples=(Example("The whole project", {}),),
        mcp="aurora_mem_link",
        command=Command("mem link", "Report the references that have a definition in the project."),
    ),
)
