"""What reading the graph gives; all frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Side = Literal["out", "in"]
Direction = Literal[Side, "both"]


@dataclass(frozen=True, slots=True)
class Node:
    """A definition, a file, or a section of a document.

    Attributes:
        n: its number in this database; the id is what lasts.
        id: `path` of a file, `path::Class.method` of what it defines; the same after every indexing.
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


@dataclass(frozen=True, slots=True)
class Link:
    """An edge as it is seen from a node.

    Attributes:
        kind: `calls`, `imports`, `inherits`, `implements`, `mentions`, `contains`.
        outward: True when it leads from the node that was asked about to `node`.
        node: the other end.
        confidence: 1.0 when scope or an import says so; less for a guess.
        how: how it was found, in words.
        path, line: where it is written.
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
    """A reference by name that no definition of the project answers: where it stands, and how its file knows it."""

    kind: str
    name: str
    via: str
    node: Node
    line: int


@dataclass(frozen=True, slots=True)
class LinkPage:
    """One page of links, and how many there are in all."""

    total: int
    links: Sequence[Link]


@dataclass(frozen=True, slots=True)
class LinkFilter:
    """Which links are wanted.

    Attributes:
        kinds: only these; all when empty.
        direction: seen from the node.
        least: the least confidence, 0..1.
    """

    kinds: Sequence[str] = ()
    direction: Direction = "both"
    least: float = 0.0
    limit: int = 50
    offset: int = 0
