"""Pieces of a parsed file, each with its metadata.

There is one per definition; long ones are split between statements.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from aurora.memory.model.chunks import Piece
from aurora.memory.parsing.languages import CONSTANT, read_text
from aurora.memory.parsing.outline import LONG_LINES, get_last_row

from .windows import MAX_CHARS, MAX_TEXT_LINES, split_windows, trim_blank_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from aurora.memory.parsing.languages import Language
    from aurora.memory.parsing.outline import Definition, Outline

MAX_MODULE_LINES = 60
"""The rows of a window of code between definitions."""


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A file with its syntax tree."""

    language: Language
    source: bytes
    lines: Sequence[str]
    root: Node


def split_file(file: SourceTree, outline: Outline) -> tuple[Piece, ...]:
    """Split a parsed file into pieces; together they contain every line that is not blank."""
    kept, folded = fold_definitions(outline.definitions)
    imports = sorted(outline.imports, key=itemgetter(0))
    cuts: dict[int, list[int]] = {}
    pieces: list[Piece] = []
    for rows in assign_ranges(file.lines, kept, file.language.outline.line_comments):
        pieces += _make_pieces(file, rows, folded, imports, cuts)
    return tuple(pieces)


def _make_pieces(
    file: SourceTree,
    rows: RowRange,
    folded: Mapping[int, list[str]],
    imports: Sequence[tuple[int, str]],
    cuts: dict[int, list[int]],
) -> list[Piece]:
    """Make the pieces of a range; all metadata but the parent goes to the first."""
    kind = _choose_kind(file, rows)
    symbol, spans = _choose_symbol(rows), _split_range(file, rows, cuts)
    metadata = _build_metadata(file, rows, symbol, folded)
    pieces: list[Piece] = []
    for number, (start, end, text) in enumerate(spans, 1):
        if number > 1:
            metadata = {"parent": metadata["parent"]} if "parent" in metadata else {}
        if len(spans) > 1:
            metadata["part"] = f"{number}/{len(spans)}"
        if imports and (names := _list_imports(imports, start, end)):
            metadata["imports"] = names
        pieces.append(Piece(kind, symbol, start + 1, end + 1, text, file.language.name, metadata))
    return pieces


def _choose_kind(file: SourceTree, rows: RowRange) -> str:
    if rows.owner is not None:
        return rows.owner.kind
    return "text" if file.root.has_error else "module"


def _split_range(file: SourceTree, rows: RowRange, cuts: dict[int, list[int]]) -> Sequence[tuple[int, int, str]]:
    """Split a long range between statements, each part with its text.

    `cuts` caches where statements begin, by owner.
    """
    lines, start, end = file.lines, rows.start, rows.end
    text = "\n".join(lines[start : end + 1])
    unowned = MAX_TEXT_LINES if file.root.has_error else MAX_MODULE_LINES
    size = unowned if rows.owner is None else LONG_LINES
    if end - start < size and len(text) - (end - start) <= MAX_CHARS:
        return ((start, end, text),)
    key = id(rows.owner)
    if key not in cuts:
        nodes = [rows.owner.node, *rows.owner.clauses] if rows.owner is not None else [file.root]
        inner = (row for node in nodes for row in _find_statement_rows(node))
        cuts[key] = sorted({*inner, *(node.start_point[0] for node in nodes[1:])})
    parts = split_windows(lines, start, end, size, cuts[key])
    return [(first, last, "\n".join(lines[first : last + 1])) for first, last in parts]


def _find_statement_rows(top: Node) -> list[int]:
    """Find the rows where a statement begins with the comments above it, at any depth of a long node."""
    rows: set[int] = set()
    stack = [top]
    while stack:
        above = -1  # the first row of comments that belong to the next statement
        for child in stack.pop().named_children:
            row, end = child.start_point[0], get_last_row(child)
            above = row if above < 0 else above
            if "comment" in child.type:
                continue
            rows.add(above)
            above = -1
            if end - row >= MAX_TEXT_LINES:
                stack.append(child)
    return sorted(rows)


def _build_metadata(file: SourceTree, rows: RowRange, symbol: str, folded: Mapping[int, list[str]]) -> dict[str, Any]:
    """Build the metadata of a range, without empty values."""
    owner, docstring = rows.owner, file.language.outline.docstring
    if owner is None:
        doc = extract_module_doc(file.lines, rows.start, rows.end) if docstring and not rows.start else ""
        return {"doc": doc} if doc else {}
    metadata: dict[str, Any] = {"parent": owner.parent.symbol} if owner.parent is not None else {}
    if not rows.first:
        return metadata
    if len(rows.group) <= 1:
        if signature := extract_signature(file.source, owner):
            metadata["signature"] = signature
        if doc := extract_doc(file.lines, file.source, owner, docstring=docstring):
            metadata["doc"] = doc
    if defines := _list_defined(rows.group, owner, symbol, folded):
        metadata["defines"] = defines
    return metadata


def _list_defined(
    group: Sequence[Definition], owner: Definition, symbol: str, folded: Mapping[int, list[str]]
) -> list[str]:
    """List the symbols that a range defines besides its own, each once."""
    defines = [each.symbol for each in group if each.symbol != symbol]
    for each in group or [owner]:
        defines += [*each.more, *folded.get(id(each), ())]
    return list(dict.fromkeys(defines))


def _choose_symbol(rows: RowRange) -> str:
    """Choose the symbol of a range: a group of several names has that of its parent."""
    if rows.owner is None:
        return ""
    if all(each.symbol == rows.owner.symbol for each in rows.group[1:]):
        return rows.owner.symbol
    return rows.owner.parent.symbol if rows.owner.parent is not None else ""


def _list_imports(imports: Sequence[tuple[int, str]], start: int, end: int) -> list[str]:
    """List the modules that rows `start..end` import, each once; `imports` is sorted by row."""
    if start > imports[-1][0]:
        return []
    low, high = bisect_left(imports, (start, "")), bisect_left(imports, (end + 1, ""))
    return list(dict.fromkeys(name for _row, name in imports[low:high]))


MAX_FOLDED_LINES = 20
"""A class of at most this many lines is one piece; `defines` lists its members."""


def fold_definitions(definitions: Sequence[Definition]) -> tuple[list[Definition], Mapping[int, list[str]]]:
    """Fold small definitions into the definition around them.

    These are definitions without room for a piece, and members of short classes.

    Returns:
        The definitions that become pieces, and by their `id()` the symbols folded into them.
    """
    kept: list[Definition] = []
    folded: dict[int, list[str]] = defaultdict(list)
    holders: dict[int, Definition] = {}  # from a folded or short definition to the one that takes its members
    latest: dict[int, Definition] = {}  # the last piece so far under each parent
    for each in definitions:
        parent = id(each.parent)
        holder = (
            holders.get(parent)
            or (each.parent if each.is_local else None)
            or _resolve_overlap(each, latest.get(parent))
        )
        if holder is not None:
            folded[id(holder)].extend((each.symbol, *each.more))
            holders[id(each)] = holder
            continue
        kept.append(each)
        latest[parent] = each
        if each.end - each.start < MAX_FOLDED_LINES:
            holders[id(each)] = each
    return kept, folded


def _resolve_overlap(each: Definition, before: Definition | None) -> Definition | None:
    """Move a definition's start below its parent's head and its neighbour's end.

    Returns:
        None; or, when no row is left, the definition that takes it.
    """
    parent = each.parent
    if parent is not None and each.start <= parent.head:
        each.start = parent.head + 1
        if each.start > each.end:
            return parent
    if before is not None and each.start <= before.end:
        each.start = before.end + 1
        if each.start > each.end:
            return before
    each.head = max(each.head, each.start)
    return None


_MAX_CHARS = 200

_COMMENT_MARKERS = "/*#!<>-= \t"

_TAG_PATTERN = re.compile(r"</?[a-z]+[^<>]*>")  # <summary> in C#, <p> in Java

_STRING_PREFIXES = b"\"'rRbBuUfF"  # the first byte of a string

_STRING_START = re.compile(r"""[rRbBuUfF]{0,2}("{3}|'{3}|"|')""")

_STRING_ENDS = ('"' * 3, "'" * 3, '"', "'")


def extract_signature(source: bytes, made: Definition) -> str:
    """Extract a definition up to its body, on one line: `def raw_decode(self, s, idx=0)`."""
    start = made.signature_start
    end = made.body.start_byte if made.body is not None else made.node.end_byte
    if made.body is None or end <= start:
        end = source.find(b"\n", start, made.node.end_byte)
        end = made.node.end_byte if end < 0 else end
    raw = source[start : min(end, start + 4 * _MAX_CHARS)].decode("utf-8", "ignore")
    return " ".join(raw.split())[:_MAX_CHARS].removesuffix("=>").rstrip(" {:=")


def extract_doc(lines: Sequence[str], source: bytes, made: Definition, *, docstring: bool) -> str:
    """Extract the first line of its docstring, else of the comment above it; empty without either."""
    if docstring and made.body is not None and (text := _read_docstring(made, source)):
        return text
    for row in range(made.start, made.head):
        text = _TAG_PATTERN.sub("", lines[row]).strip(_COMMENT_MARKERS)
        if text and not lines[row].lstrip().startswith(("@", "#[", "[")):
            return text[:_MAX_CHARS]
    return ""


def extract_module_doc(lines: Sequence[str], start: int, end: int) -> str:
    """Extract the first line of the string at the start of a file."""
    for row in range(start, min(end, start + 3) + 1):
        if (match := _STRING_START.match(lines[row])) and (text := _strip_end(lines[row][match.end() :].strip())):
            return text[:_MAX_CHARS]
    return ""


def _strip_end(text: str) -> str:
    """Strip the quotation marks at the end of a string."""
    end = next((end for end in _STRING_ENDS if text.endswith(end)), "")
    return text.removesuffix(end).rstrip()


def _read_docstring(made: Definition, source: bytes) -> str:
    """Read the first line of text of the string at the start of the body."""
    body = made.body
    if (
        body is None
        or source[body.start_byte : body.start_byte + 1] not in _STRING_PREFIXES
        or not body.named_child_count
    ):
        return ""
    first = body.named_child(0)
    text = first.named_child(0) if first is not None and first.type == "expression_statement" else None
    if text is None or text.type != "string":
        return ""
    content = next((child for child in text.named_children if child.type == "string_content"), None)
    for line in read_text(content, source)[: 4 * _MAX_CHARS].splitlines():
        if line.strip():
            return line.strip()[:_MAX_CHARS]
    return ""


_GROUPED_KINDS = frozenset({CONSTANT, "macro", "property", "type"})

_MAX_GROUP_LINES = 30
"""Adjacent definitions of one grouped kind make one piece of at most this many lines."""

_MAX_SHORT_LINES = 5
"""The most lines of a definition in a group."""

_MAX_GAP = 2
"""The most rows from one definition of a group to the next: one blank line between them."""

_MAX_LEFTOVER_LINES = 4

_MAX_BETWEEN_ROWS = 2

_CLOSING_SIGNS = frozenset(" \t})];,")

_CLOSING_WORDS = frozenset({"end", "#endif"})


@dataclass(slots=True)
class RowRange:
    """Consecutive rows of one owner, without blank rows at the ends.

    Attributes:
        owner: None for the file itself.
        first: True when the owner begins here; a later range comes after one of its members.
        group: the small definitions that share the range, the owner included.
    """

    owner: Definition | None
    start: int
    end: int
    first: bool
    group: list[Definition] = field(default_factory=list)


def assign_ranges(lines: Sequence[str], kept: Sequence[Definition], comments: tuple[str, ...]) -> list[RowRange]:
    """Assign each row that is not blank to exactly one range, in order.

    Args:
        lines: the file's lines.
        kept: the definitions that become pieces, each after its parent.
        comments: prefixes of a line that is only a comment.
    """
    return _group_small(_merge_leftovers(lines, _assign_owners(lines, kept), comments))


def _assign_owners(lines: Sequence[str], kept: Sequence[Definition]) -> list[RowRange]:
    """Assign each row to its innermost definition, and collect the ranges of one owner."""
    owners = [-1] * len(lines)
    for index, each in enumerate(kept):
        owners[each.start : each.end + 1] = [index] * (each.end - each.start + 1)
    ranges: list[RowRange] = []
    seen: set[int] = set()
    rows = sorted({len(lines), *(each.start for each in kept), *(each.end + 1 for each in kept)})
    start = 0
    for row in rows:  # the owner changes nowhere else
        if row < len(lines) and owners[row] == owners[start]:
            continue
        index = owners[start]
        if (span := trim_blank_rows(lines, start, row - 1)) is not None:
            ranges.append(RowRange(kept[index] if index >= 0 else None, *span, first=index not in seen))
            seen.add(index)
        start = row
    return ranges


def _merge_leftovers(lines: Sequence[str], ranges: Sequence[RowRange], comments: tuple[str, ...]) -> list[RowRange]:
    """Merge closing brackets into the range above them, and a lone comment or field into the range below."""
    kept: list[RowRange] = []
    start: int | None = None  # the first row of a leftover that belongs to the next range
    for index, current in enumerate(ranges):
        rows = _read_leftover(lines, current) if start is None else []
        if rows and kept and _belongs_above(current, kept[-1], rows):
            kept[-1].end = current.end
            continue
        if rows and index + 1 < len(ranges) and _belongs_below(current, ranges[index + 1], rows, comments):
            start = current.start
            continue
        if start is not None:
            current.start, start = start, None
        kept.append(current)
    return kept


def _read_leftover(lines: Sequence[str], current: RowRange) -> list[str]:
    """Read the rows of a range that is too short for a piece of its own; none for any other range."""
    if current.end - current.start >= _MAX_LEFTOVER_LINES or (current.owner is not None and current.first):
        return []
    return [line.strip() for line in lines[current.start : current.end + 1] if line.strip()]


def _belongs_above(current: RowRange, above: RowRange, rows: Sequence[str]) -> bool:
    """Return whether the rows belong to the range above.

    They close it, or follow a small definition, as its docstring or `#else`.
    """
    return all(map(_is_closing, rows)) or (above.end + 1 == current.start and _is_small(above.owner))


def _belongs_below(current: RowRange, below: RowRange, rows: Sequence[str], comments: tuple[str, ...]) -> bool:
    """Return whether the rows are a comment, or a field or `private:` between two members."""
    return all(line.startswith(comments) for line in rows) or _is_between(current, below, len(rows))


def _is_between(current: RowRange, below: RowRange, rows: int) -> bool:
    """Return whether a range is a field or `private:` between two members."""
    return (
        current.owner is not None
        and below.owner is not None
        and below.owner.parent is current.owner
        and rows <= _MAX_BETWEEN_ROWS
    )


def _is_small(owner: Definition | None) -> bool:
    return owner is not None and owner.kind in _GROUPED_KINDS


def _is_closing(line: str) -> bool:
    """Return whether a line only closes: `}`, `});`, `end`, `} // namespace`."""
    code = line.split("//", 1)[0].split("/*", 1)[0].strip()
    return line in _CLOSING_WORDS or (bool(code) and set(code) <= _CLOSING_SIGNS)


def _group_small(ranges: Sequence[RowRange]) -> list[RowRange]:
    """Group short adjacent constants and the like into one range."""
    kept: list[RowRange] = []
    for current in ranges:
        if current.owner is not None and _is_small(current.owner):
            if kept and _can_join(kept[-1], current):
                kept[-1].group.append(current.owner)
                kept[-1].end = current.end
                continue
            current.group.append(current.owner)
        kept.append(current)
    return kept


def _can_join(last: RowRange, current: RowRange) -> bool:
    """Return whether a small definition can share the range of the one before it.

    It has the same kind, and is near enough.
    """
    if not last.group or current.owner is None or last.group[0].parent is not current.owner.parent:
        return False
    if last.group[0].kind != current.owner.kind:
        return False
    near = current.start - last.end <= _MAX_GAP
    short = current.end - current.start < _MAX_SHORT_LINES
    open_ = len(last.group) > 1 or last.end - last.start < _MAX_SHORT_LINES
    return near and short and open_ and current.end - last.start < _MAX_GROUP_LINES
