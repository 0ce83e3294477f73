"""Macro bodies: the definitions that Rust's `cfg_rt! { … }` surrounds, which the grammar does not see."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from .grammar import parse_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from aurora.memory.model.chunks import Piece
    from aurora.memory.parsing.languages import Grammar

    from .outline import Definition

_HEAD = re.compile(rb"^([ \t]*)(?!macro_rules)(?:\w+::)*\w+![ \t]*\{[ \t]*$", re.MULTILINE)
_ITEM = re.compile(
    rb"(?:\s|//[^\n]*|/\*.*?\*/|#!?\[(?:[^\[\]]|\[[^\]]*\])*\])*+"
    rb"(?:(?:pub|fn|mod|use|struct|enum|union|impl|trait|const|static|type|unsafe|async|extern)\b|\w+![ \t]*\{)",
    re.DOTALL,
)


class _MacroBlock(NamedTuple):
    """A macro around items: the bytes of `name! {`, and the position of its `}`."""

    start: int
    end: int
    close: int


def parse_macro_bodies(grammar: Grammar, source: bytes) -> tuple[bytes, Node] | None:
    """Parse the source with the macros around items blanked out, byte for byte as long.

    Text in a macro's braces that begins like an item is tried as one. Where that leads to errors the macro stays as it
    is, for then it has a syntax of its own.

    Returns:
        The blanked source and the root of its tree; None when no macro can be opened.
    """
    blocks = list(_find_macro_blocks(source))
    while blocks:
        blanked = _blank_macros(source, blocks)
        if (tree := parse_source(grammar, blanked)) is None:
            return None
        errors = list(_find_errors(tree.root_node)) if tree.root_node.has_error else []
        clean = [block for block in blocks if not _has_error(block, errors)]
        if len(clean) == len(blocks):
            return blanked, tree.root_node
        blocks = clean
    return None


def _has_error(block: _MacroBlock, errors: Iterable[tuple[int, int]]) -> bool:
    return any(low < block.close and block.start < high for low, high in errors)


def add_macro_names(
    pieces: Sequence[Piece], plain: Sequence[Definition], opened: Sequence[Definition]
) -> tuple[Piece, ...]:
    """Add to each piece the names that macros hid when the file was split.

    Splitting with the macros opened answers questions worse: a function's long documentation is then one piece with
    the function.

    Args:
        pieces: in the order of the text, split with the macros closed.
        plain: the definitions found with the macros closed.
        opened: the definitions found with the macros opened.
    """
    known = {(each.head, each.symbol) for each in plain}
    starts = [piece.start_line for piece in pieces]
    more: dict[int, list[str]] = {}
    for each in opened:
        at = bisect_right(starts, each.head + 1) - 1
        if at >= 0 and each.kind != "impl" and (each.head, each.symbol) not in known:
            more.setdefault(at, []).append(each.symbol)
    return tuple(_add_defines(piece, more[at]) if at in more else piece for at, piece in enumerate(pieces))


def _add_defines(piece: Piece, names: Sequence[str]) -> Piece:
    defines = list(dict.fromkeys([*piece.metadata.get("defines", ()), *names]))
    return piece._replace(metadata={**piece.metadata, "defines": defines})


def _find_macro_blocks(source: bytes) -> Iterator[_MacroBlock]:
    """Find macros with braces as a formatter writes them: the closing one below the name."""
    for head in _HEAD.finditer(source):
        if _ITEM.match(source, head.end()) is None:
            continue
        close = re.compile(rb"\n" + head[1] + rb"\}").search(source, head.end())
        if close is not None:
            yield _MacroBlock(head.end(1), head.end(), close.end() - 1)


def _blank_macros(source: bytes, blocks: Sequence[_MacroBlock]) -> bytes:
    """Replace the head and the closing brace of each macro by blanks."""
    blanked = bytearray(source)
    for start, end, close in blocks:
        blanked[start:end] = b" " * (end - start)
        blanked[close : close + 1] = b" "
    return bytes(blanked)


def _find_errors(root: Node) -> Iterator[tuple[int, int]]:
    """Find the byte ranges of syntax errors."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node.start_byte, max(node.end_byte, node.start_byte + 1)
        elif node.has_error:
            stack.extend(node.children)
