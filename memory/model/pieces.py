"""What cutting a file gives: pieces, and whether its grammar was content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .chunks import ChunkType
    from .symbols import GraphFacts


class Piece(NamedTuple):
    """A part of one file, whole lines of it; a tuple, since a large project has a hundred thousand of them.

    Attributes:
        kind: `function`, `method`, `class`, `constant` …; `module` for what stands between definitions; `section` of
            a document; `text` where there is no structure to go by.
        symbol: qualified name with dots, `Class.method`, or the path of headings, `Install > From source`; may be
            empty.
        start_line, end_line: first and last line, counted from 1.
        text: those lines joined by a newline, without carriage returns.
        language: the file's language.
        metadata: what is known beside it, each key only where there is something to say: `parent` (the symbol that
            holds it), `signature`, `doc` (first line of its docstring or comment), `imports` (module names as
            written), `defines` (further symbols that have no piece of their own), `part` ("2/3" of a long one).
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
    """A file in pieces, in the order of its lines.

    Attributes:
        type: `code`, or `know` for documents.
        parsed: False when the grammar found errors or gave up; a language without a grammar has nothing to fail.
        graph: the file's part in the code graph; None for what has no structure.
    """

    type: ChunkType
    pieces: tuple[Piece, ...]
    parsed: bool
    graph: GraphFacts | None = None
