"""Values of the code graph: nodes, links and filters; all frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Side = Literal["out", "in"]
Direction = Literal[Side, "both"]


@dataclass(frozen=True, slots=True)
class Node:
    """Node of the graph: a definition, a file, or a section of a document.

    Attributes:
        n: its number in this database; only the id is stable.
        id: `path` of a file, `path::Class.method` of a definition in it; the same after every indexing.
        start, end: first and last line, counted from 1.
    """

    n: int
    id: str
    path: str
    symbol: str
    name: str
    kind: str
    language: str
    start: int
    end: int

    @property
    def lines(self) -> str:
        """First and last line, `3-17`."""
        return f"{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class Link:
    """Edge as seen from a node.

    Attributes:
        kind: `calls`, `imports`, `inherits`, `implements`, `mentions`, `contains`.
        outward: True when it leads from the queried node to `node`.
        node: the other end.
        confidence: 1.0 when scope or an import proves it; less for a guess.
        how: the resolution method, in words.
        path, line: its location.
    """

    kind: str
    outward: bool
    node: Node
    confidence: float
    how: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class UnresolvedUse:
    """Reference that no definition of the project resolves, with its location."""

    kind: str
    name: str
    via: str
    node: Node
    line: int


@dataclass(frozen=True, slots=True)
class LinkPage:
    """Page of links and their total number."""

    total: int
    links: Sequence[Link]


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Filter for links.

    Attributes:
        kinds: only these; all when empty.
        direction: as seen from the node.
        least: the minimum confidence, 0..1.
    """

    kinds: Sequence[str] = ()
    direction: Direction = "both"
    least: float = 0.0
    limit: int = 50
    offset: int = 0
