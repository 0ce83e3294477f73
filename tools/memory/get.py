"""Tools `mem.get` and `mem.related`: texts in pages, and the chunks that are linked with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from aurora import memory
from aurora.errors import Code, Fault, quote_names
from aurora.memory.files import decode_text
from aurora.system.paths.resolve import resolve_inside
from aurora.system.secrets.masks import count_left_out, leave_out_lines, mask_secrets, mask_text
from aurora.tools import files
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.graph import MinConfidence, PagedInput
from aurora.tools.text import count_json_chars, cut_page

from .hits import describe_left_out, record_line_uses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import Chunk, Link, Node
    from aurora.tools.core import Context


_MAX_CHARS = 17_500
"""Characters of compact JSON for all texts; the limit of a response is 19,000, and pointers and notes need some."""
_POINTER_CHARS = 300
"""Characters that an id, a path and a symbol add to a text, roughly."""
_MIN_PAGE_CHARS = 400
"""Characters of the shortest page; a text with less room left is returned by the next call."""
_MAX_ID_CHARS = 80
"""Characters of an unknown id that are quoted in a message."""
_MAX_NAMED = 3


class GetInput(StrictModel):
    """Chunk ids, or a path with lines."""

    ids: tuple[str, ...] = Field(default=(), max_length=50, description="As aurora_search returns them.")
    path: str | None = Field(default=None, min_length=1, description="Instead of ids: a file of the project.")
    lines: str | None = Field(default=None, pattern=r"^[0-9]{1,9}(-([0-9]{1,9})?)?$", description='With path: "10-40".')
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
    """Read texts by chunk id or by path.

    Raises:
        Fault: NOT_FOUND for an id or file that does not exist, naming which; FORBIDDEN for a path that leads out of
            the project, or a file of secrets or without text; INVALID_INPUT for an offset or lines past the end.
    """
    if given.path is not None:
        return _get_file(given.path, given, context)
    ids = tuple(dict.fromkeys(given.ids))
    memory = context.project.memory
    missing = memory.find_missing(ids)
    heirs = memory.map_merged_ids(missing) if missing else {}
    lost = [id_ for id_ in missing if id_ not in heirs]
    if lost:
        shown = [id_[:_MAX_ID_CHARS] for id_ in lost]
        raise Fault(
            Code.NOT_FOUND,
            f"there is no chunk {quote_names(shown[:_MAX_NAMED])}"
            + (f" and {len(shown) - _MAX_NAMED} more" if len(shown) > _MAX_NAMED else ""),
            help=_suggest_remedy(shown[0]),
            details={"missing": shown},
        )
    ids = tuple(dict.fromkeys(heirs.get(id_, id_) for id_ in ids))
    memory.try_record_use(ids)
    chunks = memory.get(ids)
    left_out = describe_left_out((chunk.path or chunk.id, chunk.text) for chunk in chunks)
    return _get_chunks(chunks, given.offset, context, f"{_describe_merged(heirs)} {left_out}".strip())


def _describe_merged(heirs: Mapping[str, str]) -> str:
    """Describe the records that were merged into the ones returned."""
    merges = list(heirs.items())
    sentences = [f'"{old}" was merged into "{kept}", which is returned.' for old, kept in merges[:_MAX_NAMED]]
    if len(merges) > _MAX_NAMED:
        sentences.append(f"So were {len(merges) - _MAX_NAMED} more.")
    return " ".join(sentences)


def _suggest_remedy(id_: str) -> str:
    """Suggest a remedy for an unknown id: it may be a path, since an id has a type and a colon."""
    if ":" not in id_ and ("/" in id_ or "." in id_):
        return f'To read a file, pass it as path: "{id_}".'
    return "Take ids from a search: a chunk has a new id after its text was edited."


def _get_file(path: str, given: GetInput, context: Context) -> GetOutput:
    found = files.read_lines(context.root, path, given.lines)
    part = cut_page(found.text, given.offset, _MAX_CHARS)
    whole = part.next is None and not part.offset
    before = found.text[: part.offset].count("\n")
    record_line_uses(found.path, found.start + before, part.text, context, is_first=not part.offset)
    got = RetrievedText(
        path=found.path,
        lines=f"{found.start}-{found.end}",
        language=found.language,
        encoding=found.encoding,
        offset=part.offset,
        total_chars=None if whole else part.total,
        text=part.text,
    )
    rest = "" if part.next is None else f"Truncated; request again with offset={part.next} for the rest."
    note = f"{describe_left_out([(found.path, part.text)])} {rest}".strip()
    return GetOutput(chunks=(got,), next_offset=part.next, note=note)


def _get_chunks(chunks: tuple[Chunk, ...], offset: int, context: Context, said: str) -> GetOutput:
    """Fill one response with chunks; truncate the first that does not fit, or leave it for the next call."""
    got: list[RetrievedText] = []
    room = _MAX_CHARS
    for number, chunk in enumerate(chunks):
        begin = offset if number == 0 else 0
        if got and room < min(count_json_chars(chunk.text), _MIN_PAGE_CHARS) + _POINTER_CHARS:
            return _to_partial_output(got, chunks[number:], None, said)
        part = cut_page(mask_secrets(chunk.text), begin, room - _POINTER_CHARS)
        whole = part.next is None and not part.offset
        got.append(
            RetrievedText(
                id=chunk.id,
                path=chunk.path,
                lines=f"{chunk.start_line}-{chunk.end_line}" if chunk.path else None,
                symbol=chunk.symbol,
                type=chunk.type,
                language=chunk.language,
                encoding=str(chunk.metadata.get("encoding", "")) if chunk.path else "",
                stale=_is_stale(chunk, context),
                offset=part.offset,
                total_chars=None if whole else part.total,
                text=part.text,
            )
        )
        if part.next is not None:
            return _to_partial_output(got, chunks[number:], part.next, said)
        room -= count_json_chars(part.text) + _POINTER_CHARS
    return GetOutput(chunks=tuple(got), note=said)


def _to_partial_output(
    got: list[RetrievedText], left: tuple[Chunk, ...], next_offset: int | None, said: str
) -> GetOutput:
    also = f" and offset={next_offset}" if next_offset is not None else ""
    return GetOutput(
        chunks=tuple(got),
        remaining=tuple(chunk.id for chunk in left),
        next_offset=next_offset,
        note=f"{said} Truncated; request again with ids=remaining{also} for the rest.".lstrip(),
    )


def _is_stale(chunk: Chunk, context: Context) -> bool:
    """Return whether the file differs from the indexed text at these lines."""
    if chunk.path is None:
        return False
    try:
        file = resolve_inside(context.root, chunk.path)
        decoded = decode_text(file.read_bytes()) if file.is_file() else None
    except (Fault, OSError):
        return True
    if decoded is None:  # a folder, a pipe or a binary file has taken its place
        return True
    text = decoded.text
    lines = text.replace("\r\n", "\n").split("\n")[chunk.start_line - 1 : chunk.end_line]
    if count_left_out(chunk.text):
        lines = leave_out_lines(lines, chunk.start_line, mask_text(text).left_out)
    return "\n".join(lines) != chunk.text


GET_TOOL = Tool(
    name="mem.get",
    title="Read whole texts of the project",
    description=(
        "Read the whole text of chunks by id, or of a file of this project by path and lines. "
        "Long texts come in pages: request again with next_offset."
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
    examples=(Example("Lines of a file", {"path": "README.md", "lines": "1-2"}),),
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
