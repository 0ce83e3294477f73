"""Pieces of a chunked file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .chunks import ChunkType
    from .symbols import GraphFacts


class Piece(NamedTuple):
    """Range of lines of a file; a tuple, since a large project has 100,000 of them.

    Attributes:
        kind: `function`, `method`, `class`, `constant` …; `module` for lines between definitions; `section` of a
            document; `text` where there is no structure.
        symbol: qualified name with dots, `Class.method`, or the path of headings, `Install > From source`; may be
            empty.
        start_line, end_line: first and last line, counted from 1.
        text: those lines joined by a newline, without carriage returns.
        language: the file's language.
        metadata: further facts, each key only where it has a value: `parent` (the enclosing symbol),
            `signature`, `doc` (first line of its docstring or comment), `imports` (module names as
            written), `defines` (further symbols that have no piece of their own), `part` ("2/3" of a long one). A
            stored chunk has `encoding` as well, for a file that is not UTF-8.
    """

    kind: str
    symbol: str
    start_line: int
    end_line: int
    text: str
    language: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """Pieces of a file in line order.

    Attributes:
        type: `code`, or `know` for documents.
        parsed: False when the grammar found errors or timed out; True for a language without a grammar.
        graph: the file's part in the code graph; None for a file without structure.
    """

    type: ChunkType
    pieces: tuple[Piece, ...]
    parsed: bool
    graph: GraphFacts | None = None
