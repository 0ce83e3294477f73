"""What the rest of Aurora asks of a memory: the door that an engine on another database would have to offer.

`engine.Memory` is the one there is, on SQLite. Everything with SQL in it lies in this room and behind this door; what
belongs to a file on disk (backups, salvage) is an engine's own business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from .activation import Active
    from .graph_values import Filter, Links, Node
    from .model import Chunk, ChunkType, SearchResult
    from .model_reports import IndexReport, Stats
    from .model_runs import Journalled

    Progress = Callable[[float, float | None, str], None]


class ReadGraph(Protocol):
    """The code graph; see `graph_read.Graph`."""

    def one(self, name: str) -> Node:
        """The one node that a name means."""

    def of_chunk(self, id_: str) -> tuple[Node, ...]:
        """What a chunk defines, or is a part of."""

    def chunk(self, node: Node) -> str | None:
        """The id of the chunk where a node begins."""

    def neighbors(self, node: Node, wanted: Filter) -> Links:
        """The links of one node."""

    def members(self, node: Node) -> tuple[Node, ...]:
        """What it holds."""


class Engine(Protocol):
    """A project's memory; every method may raise `Fault`, and all may be called from several threads."""

    @property
    def journal(self) -> Journalled:
        """The runs and their steps."""

    @property
    def graph(self) -> ReadGraph:
        """Definitions, and what leads from one to another."""

    def index(self, root: Path, *, paths: Sequence[Path] = (), progress: Progress | None = None) -> IndexReport:
        """Bring the memory in line with the tree, or with a part of it."""

    def search(  # noqa: PLR0913 - as `engine.Memory.search`
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        types: Sequence[ChunkType] = ("code", "know", "reas"),
        path_glob: str | None = None,
        language: str | None = None,
        kinds: Sequence[str] = (),
        changed_since: str | None = None,
        embeddings: bool = True,
        root: Path | None = None,
    ) -> SearchResult:
        """The chunks that fit a query best."""

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """These chunks, in the order asked."""

    def missing(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Which of these ids do not exist."""

    def heirs(self, ids: Sequence[str]) -> dict[str, str]:
        """Which of these ids were merged away, and into what."""

    def everything(self) -> Iterator[Chunk]:
        """All chunks, of one moment."""

    def remember(
        self,
        *,
        type: ChunkType,  # noqa: A002 - the field's word
        kind: str,
        symbol: str,
        text: str,
        metadata: Mapping[str, Any],
    ) -> tuple[str, bool]:
        """Keep a record that no file holds."""

    def used(self, ids: Sequence[str]) -> None:
        """Note that chunks were read."""

    def active(self, focus: Sequence[str] = (), *, first: int = 10) -> tuple[list[Active], tuple[str, ...]]:
        """The chunks that are most active."""

    def holds(self, place: str) -> bool:
        """Whether there is this file, or one in this folder."""

    def indexed_once(self) -> bool:
        """Whether an index run has ever come to its end."""

    def free(self) -> bool:
        """Whether it could be written at this moment without waiting."""

    def stats(self) -> Stats:
        """What the memory holds."""

    def warm(self) -> None:
        """Make the next search fast."""

    def close(self) -> None:
        """Let go of everything."""
