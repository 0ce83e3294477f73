"""Tools `mem.get` and `mem.related`: texts in pages, and the chunks that are linked with one."""

from __future__ import annotations

import re
from itertools import count, zip_longest
from typing import TYPE_CHECKING, NamedTuple, Self

from pydantic import Field, model_validator

from aurora import memory
from aurora.errors import Code, Fault, quote_names
from aurora.memory.search import number_line
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.files import read_text
from aurora.tools.graph import MinConfidence, PagedInput
from aurora.tools.text import count_json_chars, cut_page

from .hits import describe_left_out, record_line_uses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from aurora.memory import Chunk, Link, Node
    from aurora.tools.core import Context
    from aurora.tools.files import FileText
    from aurora.tools.text import TextPage


_MAX_CHARS = 17_500
"""Characters of compact JSON for all texts; the limit of a response is 19,000, and pointers and notes need some."""
_POINTER_CHARS = 300
"""Characters that an id, a path and a symbol add to a text, roughly."""
_MIN_PAGE_CHARS = 400
"""Characters of the shortest page; a text with less room left is returned by the next call."""
_MAX_ID_CHARS = 80
"""Characters of an unknown id that are quoted in a message."""
_MAX_NAMED = 3
_MAX_GAP = 3
"""Lines between two chunks that belong to neither: the blank lines between two definitions, or a lone bracket."""
_CHUNK_ID = re.compile(r"(?:code|know|reas):[^/.]*")
_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<lines>[0-9]{1,9}(?:-(?:[0-9]{1,9})?)?))?", re.DOTALL)


class GetInput(StrictModel):
    """Chunks by id and files by path, or one file with its lines apart."""

    ids: tuple[str, ...] = Field(
        default=(),
        max_length=50,
        title="Ids of chunks, and files or lines of files, as src/a.py:10-40.",
        description='Of aurora_search, and "src/a.py", "src/a.py:10-40".',
    )
    path: str | None = Field(default=None, min_length=1, description="Instead of ids: a file of the project.")
    lines: str | None = Field(default=None, pattern=r"^[0-9]{1,9}(-([0-9]{1,9})?)?$", description='With path: "10-40".')
    around: int = Field(
        default=0, ge=0, le=1000, title="So many lines more on both sides.", description="Lines more on both sides."
    )
    numbers: bool = Field(default=True, title="Put the line's number before each line of a file.")
    offset: int = Field(default=0, ge=0, description="The last next_offset.")

    @model_validator(mode="after")
    def _check_exclusive(self) -> Self:
        if bool(self.ids) == (self.path is not None):
            message = 'either "ids" or "path", not both' if self.ids else 'given "ids" or "path"'
            raise ValueError(message)
        if self.lines is not None and self.path is None:
            message = '"lines" goes with "path", not with "ids"'
            raise ValueError(message)
        return self


class RetrievedText(CompactModel):
    """Text of a chunk or file, or a page of it when `total_chars` is set."""

    id: str | None = None
    path: str | None = None
    lines: str | None = None
    symbol: str = ""
    type: str | None = None
    language: str = ""
    encoding: str = Field(default="", description="The guessed encoding of a file that is not UTF-8.")
    stale: bool = Field(default=False, description="The file has changed: request path and lines for its text now.")
    offset: int = 0
    total_chars: int | None = None
    text: str


class GetOutput(CompactModel):
    """Texts in the order of the request."""

    chunks: tuple[RetrievedText, ...]
    remaining: tuple[str, ...] = Field(default=(), description="Ids to request next, beginning with an unfinished one.")
    next_offset: int | None = Field(default=None, description="Request again with it for the rest.")
    note: str = ""


def get_texts(given: GetInput, context: Context) -> GetOutput:
    """Read texts by chunk id or by place.

    Raises:
        Fault: NOT_FOUND for an id or file that does not exist, naming which; FORBIDDEN for a path that leads out of
            the project, or a file of secrets or without text; INVALID_INPUT for an offset or lines past the end.
    """
    files = _Files(context.root)
    if given.path is not None:
        parts, heirs = [files.read_place(given.path, given.lines, given.around)], dict[str, str]()
    else:
        parts, heirs = _read_parts(given, files, context)
    left_out = describe_left_out((part.name, part.text) for part in parts)
    output = _fill_response(parts, given, context, f"{_describe_merged(heirs)} {left_out}".strip())
    if used := [one.id for one in output.chunks if one.id is not None]:
        context.project.memory.try_record_use(used)
    return output


def _read_parts(given: GetInput, files: _Files, context: Context) -> tuple[list[_Part], dict[str, str]]:
    """Read chunks and places in order; also return the heirs of merged records by id.

    An empty name is no place, and is reported as a chunk that does not exist.
    """
    names = dict.fromkeys(given.ids)
    chunks, heirs = _read_chunks([name for name in names if not name or _CHUNK_ID.fullmatch(name)], context)
    parts: list[_Part] = []
    for name in dict.fromkeys(heirs.get(name, name) for name in names):
        if (chunk := chunks.get(name)) is not None:
            parts.append(files.read_chunk(chunk, given.around))
        elif (place := _PLACE.fullmatch(name)) is not None:
            parts.append(files.read_place(place["path"], place["lines"], given.around))
    return [_close_gap(part, following, files) for part, following in zip_longest(parts, parts[1:])], heirs


def _read_chunks(ids: Sequence[str], context: Context) -> tuple[dict[str, Chunk], dict[str, str]]:
    """Read chunks; return them by id, and the heirs of merged records by id."""
    if not ids:  # lines of files need no memory
        return {}, {}
    memory = context.project.memory
    missing = memory.find_missing(ids)
    heirs = memory.map_merged_ids(missing) if missing else {}
    if lost := [id_[:_MAX_ID_CHARS] for id_ in missing if id_ not in heirs]:
        raise Fault(
            Code.NOT_FOUND,
            f"there is no chunk {quote_names(lost[:_MAX_NAMED])}"
            + (f" and {len(lost) - _MAX_NAMED} more" if len(lost) > _MAX_NAMED else ""),
            help="Take ids from a search: a chunk has a new id after its text was edited.",
            details={"missing": lost},
        )
    return {chunk.id: chunk for chunk in memory.get([heirs.get(id_, id_) for id_ in ids])}, heirs


def _describe_merged(heirs: Mapping[str, str]) -> str:
    """Describe the records that were merged into the ones returned."""
    merges = list(heirs.items())
    sentences = [f'"{old}" was merged into "{kept}", which is returned.' for old, kept in merges[:_MAX_NAMED]]
    if len(merges) > _MAX_NAMED:
        sentences.append(f"So were {len(merges) - _MAX_NAMED} more.")
    return " ".join(sentences)


class _Part(NamedTuple):
    """Text to return: of a chunk, or lines of a file as they are now.

    Attributes:
        start, end: first and last line; 0 for a record, whose lines have no numbers.
        chunk: the chunk; None for lines of a file.
        stale: the file has changed since the text was indexed.
    """

    path: str | None
    start: int
    end: int
    text: str
    language: str
    encoding: str = ""
    chunk: Chunk | None = None
    stale: bool = False

    @property
    def name(self) -> str:
        """Path, or the id of a record."""
        return self.path or (self.chunk.id if self.chunk else "")


class _Files:
    """Files of the project that one call reads, each once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, FileText] = {}

    def read_place(self, path: str, lines: str | None, around: int) -> _Part:
        """Read lines of a file.

        Raises:
            Fault: as `files.read_text` and `FileText.select`.
        """
        found = self._get(path).select(lines, around)
        return _Part(found.path, found.start, found.end, found.text, found.language, found.encoding)

    def read_chunk(self, chunk: Chunk, around: int) -> _Part:
        """Read a chunk as it was indexed, with the lines around it if the file has not changed."""
        if chunk.path is None:
            return _Part(None, 0, 0, mask_secrets(chunk.text), chunk.language, chunk=chunk)
        lines = self._read_lines(chunk.path, chunk.start_line, chunk.end_line)
        stale = lines is None or "\n".join(lines) != chunk.text
        encoding = str(chunk.metadata.get("encoding", ""))
        part = _Part(
            chunk.path,
            chunk.start_line,
            chunk.end_line,
            mask_secrets(chunk.text),
            chunk.language,
            encoding,
            chunk,
            stale,
        )
        return part if stale or not around else self.widen(part, around, around)

    def widen(self, part: _Part, before: int, after: int) -> _Part:
        """Add lines before and after a part from its file; return it as it is when the file cannot be read."""
        start, end = max(1, part.start - before), part.end + after
        lines = self._read_lines(part.path or "", start, end)
        if lines is None:
            return part
        return part._replace(start=start, end=start + len(lines) - 1, text=mask_secrets("\n".join(lines)))

    def _read_lines(self, path: str, start: int, end: int) -> Sequence[str] | None:
        """Read lines; None from a file that is gone, or that something else has taken the place of."""
        try:
            return self._get(path).lines[start - 1 : end]
        except (Fault, OSError):
            return None

    def _get(self, path: str) -> FileText:
        if path not in self._read:
            self._read[path] = read_text(self._root, path)
        return self._read[path]


def _close_gap(part: _Part, following: _Part | None, files: _Files) -> _Part:
    """Add the lines between a chunk and its neighbour, so that nothing is left out."""
    if following is None or part.stale or part.path is None or part.path != following.path:
        return part
    gap = following.start - part.end - 1
    return files.widen(part, 0, gap) if 0 < gap <= _MAX_GAP else part


def _fill_response(parts: Sequence[_Part], given: GetInput, context: Context, said: str) -> GetOutput:
    """Fill one response; cut the first text that does not fit, or leave it for the next call."""
    got: list[RetrievedText] = []
    room = _MAX_CHARS
    for number, part in enumerate(parts):
        begin = given.offset if number == 0 else 0
        if got and room < min(count_json_chars(part.text), _MIN_PAGE_CHARS) + _POINTER_CHARS:
            return _to_partial_output(got, parts[number:], None, given, said)
        page, shown = _cut_part(part, begin, room - _POINTER_CHARS, has_numbers=given.numbers)
        got.append(_to_retrieved(part, page, shown))
        if part.chunk is None and part.path is not None:
            first = part.start + part.text.count("\n", 0, page.offset)
            record_line_uses(part.path, first, page.text, context, is_first=not page.offset)
        if page.next is not None:
            return _to_partial_output(got, parts[number:], page.next, given, said)
        room -= count_json_chars(shown) + _POINTER_CHARS
    return GetOutput(chunks=tuple(got), note=said)


def _cut_part(part: _Part, begin: int, room: int, *, has_numbers: bool) -> tuple[TextPage, str]:
    """Cut a page of a text; return it, and its text with the numbers of its lines."""
    page = cut_page(part.text, begin, room)
    if not has_numbers or not part.start:
        return page, page.text
    first = part.start + part.text.count("\n", 0, begin)
    while True:
        text = page.text if page.next is None else page.text.removesuffix("\n")
        shown = "\n".join(map(number_line, text.split("\n"), count(first)))
        if (size := count_json_chars(shown)) <= room:
            return page, shown
        page = cut_page(part.text, begin, len(page.text) * room // size - 1)


def _to_retrieved(part: _Part, page: TextPage, shown: str) -> RetrievedText:
    chunk = part.chunk
    return RetrievedText(
        id=chunk.id if chunk else None,
        path=part.path,
        lines=f"{part.start}-{part.end}" if part.path else None,
        symbol=chunk.symbol if chunk else "",
        type=chunk.type if chunk else None,
        language=part.language,
        encoding=part.encoding,
        stale=part.stale,
        offset=page.offset,
        total_chars=None if page.next is None and not page.offset else page.total,
        text=shown,
    )


def _to_partial_output(
    got: list[RetrievedText], left: Sequence[_Part], next_offset: int | None, given: GetInput, said: str
) -> GetOutput:
    """Name what does not fit: chunks by id, lines of files by place; the first may be unfinished."""
    names = [part.chunk.id if part.chunk else f"{part.path}:{part.start}-{part.end}" for part in left]
    first = left[0]
    if next_offset is not None and first.chunk is None:
        rest = f"{first.start + first.text.count(chr(10), 0, next_offset)}-{first.end}"
        if given.path is not None:
            note = f"{said} Truncated; request again with offset={next_offset} for the rest, lines {rest}.".lstrip()
            return GetOutput(chunks=tuple(got), next_offset=next_offset, note=note)
        if first.text[next_offset - 1] == "\n":
            names[0], next_offset = f"{first.path}:{rest}", None
    also = f" and offset={next_offset}" if next_offset is not None else ""
    return GetOutput(
        chunks=tuple(got),
        remaining=tuple(names),
        next_offset=next_offset,
        note=f"{said} Truncated; request again with ids=remaining{also} for the rest.".lstrip(),
    )


GET_TOOL = Tool(
    name="mem.get",
    title="Read whole texts of the project",
    description=(
        "Read the whole text of chunks by id, or of files of this project by path and lines, several at once, with "
        "line numbers. What does not fit is named in remaining."
    ),
    input=GetInput,
    output=GetOutput,
    run=get_texts,
    family="core",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    constraints=("A path outside the project is FORBIDDEN.",),
    examples=(
        Example("Lines of a file", {"path": "README.md", "lines": "1-2"}),
        Example("Several places at once", {"ids": ["README.md:1-1", "README.md:2-2"]}),
    ),
    mcp="aurora_get",
    command=Command(
        "mem get",
        "Read chunks by id, or lines of a file.",
        arguments=("ids",),
        files=("path",),
        opened_place="ids",
    ),
)


_MAX_LINKS = 500


class RelatedInput(PagedInput):
    """Chunk, least confidence of a link, and page."""

    chunk: str = Field(min_length=1, max_length=500, description="A chunk's id, or a name in the graph.")
    min_confidence: MinConfidence = 0.3


class RelatedChunk(CompactModel):
    """Related chunk with the links that lead to it."""

    chunk: str
    path: str
    lines: str
    symbol: str = ""
    score: float = Field(description="Sum of the confidences of its links.")
    why: tuple[str, ...]


class RelatedOutput(CompactModel):
    """Related chunks, the most closely linked first."""

    chunk: str
    total: int
    related: tuple[RelatedChunk, ...]
    note: str = ""


def list_related(given: RelatedInput, context: Context) -> RelatedOutput:
    """List the chunks one link away from the definitions of a chunk.

    Raises:
        Fault: NOT_FOUND for a chunk that does not exist; CONFLICT for a name that may mean several definitions.
    """
    graph = context.project.memory.graph
    if ":" in given.chunk and context.project.memory.get((given.chunk,)):
        start = graph.find_in_chunk(given.chunk)
        if not start:
            return RelatedOutput(chunk=given.chunk, total=0, related=(), note="The graph has no node in this chunk.")
    else:
        start = (graph.find_one(given.chunk),)
    links_by_chunk: dict[str, tuple[Node, list[Link]]] = {}
    link_filter = memory.LinkFilter(least=given.min_confidence, limit=_MAX_LINKS)
    for node in start:
        for link in graph.list_neighbors(node, link_filter).links:
            chunk = graph.find_chunk(link.node)
            if chunk is not None and chunk != given.chunk:
                links_by_chunk.setdefault(chunk, (link.node, []))[1].append(link)
    related = [_to_related_chunk(chunk, node, links) for chunk, (node, links) in links_by_chunk.items()]
    related.sort(key=lambda row: (-row.score, row.chunk))
    return RelatedOutput(
        chunk=given.chunk,
        total=len(related),
        related=tuple(related[given.offset : given.offset + given.limit]),
        note="" if related else "No chunk is linked with it.",
    )


def _to_related_chunk(chunk: str, node: Node, links: list[Link]) -> RelatedChunk:
    why = dict.fromkeys(
        f"{link.kind} {'→' if link.outward else '←'} {link.path}:{link.line} ({link.how})" for link in links
    )
    return RelatedChunk(
        chunk=chunk,
        path=node.path,
        lines=node.lines,
        symbol=node.symbol,
        score=round(sum(link.confidence for link in links), 2),
        why=tuple(why)[:3],
    )


RELATED_TOOL = Tool(
    name="mem.related",
    title="List related chunks",
    description=(
        "List the chunks that the code graph links with a chunk: what it calls and who calls it, what it imports, "
        "inherits or mentions, what contains it; the most closely linked first, each with its reason."
    ),
    input=RelatedInput,
    output=RelatedOutput,
    run=list_related,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    constraints=("It needs an index of the project.",),
    examples=(Example("Chunks related to a document", {"chunk": "README.md", "limit": 5}),),
    mcp="aurora_mem_related",
    command=Command("mem related", "List the chunks related to a chunk.", arguments=("chunk",)),
)


TOOLS = (
    GET_TOOL,
    RELATED_TOOL,
)
