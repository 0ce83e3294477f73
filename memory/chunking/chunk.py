"""Chunking: definitions by grammar, sections by headings, windows of lines for everything else."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aurora.memory.files import PROSE_LANGUAGES
from aurora.memory.graph.documents import extract_document_facts, extract_facts, make_file_definition
from aurora.memory.model.chunks import ChunkedFile, Piece
from aurora.memory.model.graph import GraphDefinition, GraphFacts
from aurora.memory.parsing.grammar import parse_source
from aurora.memory.parsing.languages import LANGUAGES, Language, load_language
from aurora.memory.parsing.macros import add_macro_names, parse_macro_bodies
from aurora.memory.parsing.outline import build_outline
from aurora.memory.parsing.without_grammar import find_definitions

from .split import SourceTree, split_file
from .windows import MAX_TEXT_LINES, chunk_text, split_lines, split_windows, trim_blank_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory.parsing.without_grammar import LineDefinition

MAX_PIECES = 5_000
"""Pieces of one file; 1 MB of `# h` lines would be 250,000 sections, and 170 MB of a database."""


def chunk_file(path: str, language: str, text: str, *, parses: bool = True) -> ChunkedFile:
    """Chunk a file; a pure function that any process may run, and that raises for no text.

    Every line that is not blank is in at least one piece. The same text gives the same pieces. A file with more than
    `MAX_PIECES` of them is divided into lines of text, as one that does not parse.

    Args:
        path: project-relative, with forward slashes.
        language: as `detect_language` names it.
        text: the file's content.
        parses: False for a text that its grammar's parser does not survive.
    """
    lines = split_lines(text)
    chunked = _chunk_by_structure(path, language, text, lines, parses=parses)
    if len(chunked.pieces) <= MAX_PIECES:
        return chunked
    pieces = _chunk_many_lines(lines, language)
    if language in PROSE_LANGUAGES or language in LANGUAGES:
        return ChunkedFile(chunked.type, pieces, parsed=False)
    return replace(chunked, pieces=pieces)


def _chunk_many_lines(lines: Sequence[str], language: str) -> tuple[Piece, ...]:
    """Split a file into at most `MAX_PIECES` windows; one may have half the lines of the longest."""
    return chunk_text(lines, language, max(MAX_TEXT_LINES, -(-2 * len(lines) // MAX_PIECES)))


def _chunk_by_structure(path: str, language: str, text: str, lines: list[str], *, parses: bool) -> ChunkedFile:
    """Chunk a file by its headings or its grammar, or by windows where it has none."""
    if language in PROSE_LANGUAGES:
        pieces = chunk_document(lines, language)
        graph = extract_document_facts(path, language, lines, pieces)
        return ChunkedFile("know", pieces, parsed=True, graph=graph)
    if language not in LANGUAGES:
        return chunk_without_grammar(path, lines, language)
    if not parses:
        return ChunkedFile("code", chunk_text(lines, language), parsed=False)
    # The grammar gets no carriage returns either: near a syntax error that one byte changes the tree.
    source = "\n".join(lines) if "\r" in text else text
    return _chunk_with_grammar(path, lines, load_language(language), source.encode("utf-8", "replace"))


def _chunk_with_grammar(path: str, lines: list[str], language: Language, source: bytes) -> ChunkedFile:
    """Chunk a file by its grammar; by windows when the parser gave up."""
    try:
        tree = parse_source(language.grammar, source)
    except ImportError:  # a platform without that wheel: the file can still be found by its words
        tree = None
    if tree is None:
        return ChunkedFile("code", chunk_text(lines, language.name), parsed=False)
    root, rules = tree.root_node, language.outline
    outline = build_outline(root, rules, source)
    pieces, parsed = split_file(SourceTree(language, source, lines, root), outline), not root.has_error
    if rules.macros and (opened := parse_macro_bodies(language.grammar, source)) is not None:
        source, root = opened
        inner = build_outline(root, rules, source)
        pieces, outline = add_macro_names(pieces, outline.definitions, inner.definitions), inner
    graph = extract_facts(path, language, source, root, outline.definitions)
    return ChunkedFile("code", pieces, parsed=parsed, graph=graph)


def chunk_without_grammar(path: str, lines: Sequence[str], language: str) -> ChunkedFile:
    """Split a file into windows, and put the likely definitions into the graph only.

    As symbols of chunks such names make the ranking worse: the windows contain them anyway.

    Args:
        path: project-relative.
        lines: the file's lines.
        language: a language without a grammar.
    """
    found = list(find_definitions(lines, language))
    graph = _build_facts(path, lines, language, found) if found else None
    return ChunkedFile("code", chunk_text(lines, language), parsed=True, graph=graph)


def _build_facts(path: str, lines: Sequence[str], language: str, found: Sequence[LineDefinition]) -> GraphFacts:
    """Make definitions of one line each: the end of a definition is unknown."""
    defs = [GraphDefinition(line.name, line.name, line.kind, line.row + 1, line.row + 1, 0) for line in found]
    return GraphFacts(language, (make_file_definition(path, len(lines)), *defs))


MAX_SECTION_LINES = 60


MAX_SECTION_CHARS = 6_000
"""A longer section is split between paragraphs."""


_MAX_FENCE_LINES = 200  # a longer fenced block is a pasted file

_MAX_PATH_CHARS = 200


def chunk_document(lines: Sequence[str], language: str) -> tuple[Piece, ...]:
    """Split a document into sections, named by the path of their headings: `Install > From source`.

    A heading without text belongs to the section below it, which then begins at that heading.
    """
    layout = parse_layout(lines, language)
    pieces: list[Piece] = []
    for start, end, path in _find_sections(lines, layout):
        parts = list(_pack_blocks(lines, layout, start, end))
        symbol = " > ".join(path)[:_MAX_PATH_CHARS]
        for number, (first, last) in enumerate(parts, 1):
            metadata: dict[str, Any] = {"parent": " > ".join(path[:-1])} if len(path) > 1 else {}
            if len(parts) > 1:
                metadata["part"] = f"{number}/{len(parts)}"
            text = "\n".join(lines[first : last + 1])
            pieces.append(Piece("section" if path else "text", symbol, first + 1, last + 1, text, language, metadata))
    return tuple(pieces)


def _find_sections(lines: Sequence[str], layout: Layout) -> Iterator[tuple[int, int, list[str]]]:
    """Find the first row, last row and heading path of each section.

    Text before the first heading is a section too.
    """
    path: list[tuple[int, str]] = []
    following = [*layout.headings, Heading(len(lines), len(lines), 0, "")]
    if span := trim_blank_rows(lines, 0, following[0].row - 1):
        yield (*span, [])
    waiting: int | None = None
    for heading, after in zip(layout.headings, following[1:], strict=True):
        path = [part for part in path if part[0] < heading.level] + [(heading.level, heading.title)]
        start, waiting = (heading.row if waiting is None else waiting), None
        is_empty = trim_blank_rows(lines, heading.last + 1, after.row - 1) is None
        if is_empty and after.level > heading.level:
            waiting = start
        elif span := trim_blank_rows(lines, start, after.row - 1):
            yield (*span, [title for _level, title in path])


def _pack_blocks(lines: Sequence[str], layout: Layout, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pack the blocks of a section into parts within the limits."""
    first, last, chars = start, start - 1, 0
    for top, bottom in _find_blocks(lines, layout, start, end):
        size = sum(map(len, lines[top : bottom + 1]))
        if last >= first and (bottom - first >= MAX_SECTION_LINES or chars + size > MAX_SECTION_CHARS):
            yield first, last
            first, chars = top, 0
        last, chars = bottom, chars + size
    if last >= first:
        yield first, last


def _find_blocks(lines: Sequence[str], layout: Layout, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Find the paragraphs and fenced blocks of a section.

    A paragraph over the limit is split between lines.
    """
    row = start
    while row <= end:
        if not lines[row].strip():
            row += 1
            continue
        last = row
        fence = layout.fences.get(row)
        while fence is None and last < end and lines[last + 1].strip() and last + 1 not in layout.fences:
            last += 1
        last = min(end, fence) if fence is not None else last
        if last - row >= (_MAX_FENCE_LINES if fence is not None else MAX_SECTION_LINES):
            yield from split_windows(lines, row, last, MAX_SECTION_LINES)
        else:
            yield row, last
        row = last + 1


_MAX_TITLE_CHARS = 120

_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")

_ATX = re.compile(r"^ {0,3}(#{1,6})(?![^ \t])")

_HTML = re.compile(r"^\s*<h([1-6])\b[^>]*>(.+?)</h\1>", re.IGNORECASE)

_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")

_NO_TITLE = re.compile(r"^\s*(?:[|>+*-]|\d+[.)]\s|$|`{3}|~{3})|^(?: {4}|\t)")

_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}\s*$")

# A repetition below stops where the same markup begins again, or each of many beginnings would read to the end.
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^\[\]]*\])")


_IMAGE = re.compile(rf"!{_LINK.pattern}")

_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|\{#[^{}]*\}|:[a-z]+:(?=`)|[`*]")

_MAX_FRONT_MATTER_LINES = 200


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its first and last row from 0, its level from 1, and its title without markup."""

    row: int
    last: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The headings of a document in order, and the last row of each fence by its first."""

    headings: Sequence[Heading]
    fences: Mapping[int, int]


def parse_layout(lines: Sequence[str], language: str) -> Layout:
    """Parse the layout of Markdown, reStructuredText or plain text with underlined titles."""
    return _parse_markdown(lines) if language == "markdown" else Layout(_parse_underlined(lines), {})


def _parse_markdown(lines: Sequence[str]) -> Layout:
    headings: list[Heading] = []
    fences: dict[int, int] = {}
    row = _skip_front_matter(lines)
    while row < len(lines):
        if match := _FENCE.match(lines[row]):
            fences[row] = row = _find_fence_end(lines, row, match[1])
        elif heading := _match_heading(lines, row):
            headings.append(heading)
            row = heading.last
        row += 1
    return Layout(headings, fences)


def _skip_front_matter(lines: Sequence[str]) -> int:
    """Return the row after the front matter, the settings between two `---` at the start of a file."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for row in range(1, min(len(lines), _MAX_FRONT_MATTER_LINES)):
        if lines[row].rstrip() in {"---", "..."}:
            return row + 1
    return 0


def _find_fence_end(lines: Sequence[str], row: int, mark: str) -> int:
    """Find the row that closes a fence, or the last row of the file."""
    closing = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
    return next((below for below in range(row + 1, len(lines)) if closing.match(lines[below])), len(lines) - 1)


def _match_heading(lines: Sequence[str], row: int) -> Heading | None:
    """Match a heading with `#` signs, in HTML, or underlined."""
    line = lines[row]
    if match := _ATX.match(line):
        return Heading(row, row, len(match[1]), _clean_title(_drop_closing_signs(line[match.end() :])))
    if match := _HTML.match(line):
        return Heading(row, row, int(match[1]), _clean_title(match[2]))
    if row + 1 < len(lines) and (match := _SETEXT.match(lines[row + 1])):
        is_separate = row == 0 or not lines[row - 1].strip()
        if is_separate and not _NO_TITLE.match(line):
            return Heading(row, row + 1, 1 if match[1][0] == "=" else 2, _clean_title(line))
    return None


def _drop_closing_signs(title: str) -> str:
    """Drop the `#` signs that close a title, after a space."""
    title = title.strip(" \t")
    bare = title.rstrip("#")
    return bare if bare.endswith((" ", "\t")) else title


def _parse_underlined(lines: Sequence[str]) -> list[Heading]:
    """Parse titles underlined with one sign, and maybe overlined.

    The first style in the file is the highest level.
    """
    headings: list[Heading] = []
    styles: list[tuple[str, bool]] = []
    for row in range(1, len(lines)):
        rule, title = _UNDERLINE.match(lines[row]), lines[row - 1]
        text = title.strip()
        if not rule or not text or _UNDERLINE.match(title) or len(lines[row].rstrip()) < len(text) - 1:
            continue
        over = row > 1 and lines[row - 2].rstrip() == lines[row].rstrip()
        if not over and (title[0].isspace() or (row > 1 and lines[row - 2].strip())):
            continue
        style = (rule[1], over)
        if style not in styles:
            styles.append(style)
        headings.append(Heading(row - 2 if over else row - 1, row, styles.index(style) + 1, _clean_title(text)))
    return headings


def _clean_title(raw: str) -> str:
    """Clean a title: keep the words of links, remove markup and tags.

    The words of images remain when nothing else is left.
    """
    return _strip_markup(_IMAGE.sub("", raw)) or _strip_markup(_IMAGE.sub(r"\1", raw)) or "…"


def _strip_markup(raw: str) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", raw)).split())[:_MAX_TITLE_CHARS]
