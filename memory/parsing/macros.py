"""Lets a grammar see what macros of Rust stand around: the functions in `cfg_rt! { … }` are functions of the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from .grammar import parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from aurora.memory.model import Piece
    from aurora.memory.parsing.languages import Rules

    from .outline import Definition

_HEAD = re.compile(rb"^([ \t]*)(?!macro_rules)(?:\w+::)*\w+![ \t]*\{[ \t]*$", re.MULTILINE)
_ITEM = re.compile(
    rb"(?:\s|//[^\n]*|/\*.*?\*/|#!?\[(?:[^\[\]]|\[[^\]]*\])*\])*+"
    rb"(?:(?:pub|fn|mod|use|struct|enum|union|impl|trait|const|static|type|unsafe|async|extern)\b|\w+![ \t]*\{)",
    re.DOTALL,
)


class _MacroBlock(NamedTuple):
    """What stands around some items: the bytes of `name! {`, and where its `}` is."""

    start: int
    end: int
    close: int


def parse_macro_bodies(rules: Rules, source: bytes) -> tuple[bytes, Node] | None:
    """The source without what stands around items, byte for byte as long, and the root of its tree.

    What begins like an item inside a macro's braces is tried as one; where that leads to errors, the macro is left as
    it is, for then it has a syntax of its own. None when there is nothing to open.
    """
    around = list(_find_macro_blocks(source))
    while around:
        shown = _blank_macros(source, around)
        if (tree := parse_source(rules, shown)) is None:
            return None
        errors = list(_find_errors(tree.root_node)) if tree.root_node.has_error else []
        fine = [one for one in around if not any(low < one.close and one.start < high for low, high in errors)]
        if len(fine) == len(around):
            return shown, tree.root_node
        around = fine
    return None


def add_macro_names(
    pieces: Sequence[Piece], plain: Sequence[Definition], opened: Sequence[Definition]
) -> tuple[Piece, ...]:
    """The pieces as they were cut, each with the names that macros hid from the cutting.

    Cutting where the macros open would be neater, and answers questions worse: a function's long documentation is
    then one piece with it.

    Args:
        pieces: in the order of the text, cut without opening macros.
        plain: what was found without opening them.
        opened: what is found now.
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
    """Macros whose braces stand as a formatter sets them: the closing one below the name."""
    for head in _HEAD.finditer(source):
        if _ITEM.match(source, head.end()) is None:
            continue
        close = re.compile(rb"\n" + head[1] + rb"\}").search(source, head.end())
        if close is not None:
            yield _MacroBlock(head.end(1), head.end(), close.end() - 1)


def _blank_macros(source: bytes, around: Sequence[_MacroBlock]) -> bytes:
    """The head and the closing brace become blanks."""
    out = bytearray(source)
    for start, end, close in around:
        out[start:end] = b" " * (end - start)
        out[close : close + 1] = b" "
    return bytes(out)


def _find_errors(root: Node) -> Iterator[tuple[int, int]]:
    """Where the tree is broken."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node.start_byte, max(node.end_byte, node.start_byte + 1)
        elif node.has_error:
            stack.extend(node.children)
