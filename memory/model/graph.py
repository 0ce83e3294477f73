"""Values of the code graph: symbols, nodes, links and filters, and their rows in the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

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
class NamedReference:
    """Reference to a name, with the definition that has it and those that it may be to.

    Attributes:
        source, symbol: number and symbol of the definition that has it.
        via: how the file reaches the name, see `Reference`.
        targets: numbers of definitions, each with the confidence.
    """

    kind: str
    path: str
    line: int
    source: int
    symbol: str
    via: str
    targets: tuple[tuple[int, float], ...]


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


NodeRow = tuple[int, str, str, str, str, str, str, int, int, int | None]
"""Row of a node: number, id, path, symbol, name, kind, language, first and last line, number of the parent."""


NodeUpdate = tuple[str, str, int, int, int | None, int]
"""Update of a node: kind, language, first and last line, the number of the parent, and its own number."""


StoredNode = tuple[int, str, str]
"""Number, kind and language of a stored node."""


ReferenceRow = tuple[int, int, str, str, int]
"""Row of a reference: number of its node, kind, name, via and line."""


StoredReference = tuple[int, int, str, str, int, int]
"""Stored reference: number of its node, kind, name, via, its own number, and line."""


PendingReference = tuple[int, int, int, str, str, str, str, str]
"""Pending reference: its number, number of its node, kind, name and via; path, symbol and language of the node."""


NameCandidate = tuple[str, int, str, str, str, str]
"""Name and a node with that name: number, path, symbol, kind and language."""


LinkRow = tuple[int, int, int, int, float, str]
"""Row of a link: numbers of the reference, target and source, then kind, confidence, and the method."""


class StrongestLink(NamedTuple):
    """Link from one node to another, with its kind and position."""

    kind: str
    confidence: float
    how: str
    path: str
    line: int


CALL, IMPORT, INHERITS, IMPLEMENTS, MENTIONS, CONTAINS = range(6)


EDGE_KINDS = ("calls", "imports", "inherits", "implements", "mentions", "contains")
"""Names of the edge kinds, by number."""


IMPL_PREFIX = "impl "
"""Prefix of the symbol of Rust's `impl` blocks, which distinguishes them from the type itself."""


class GraphDefinition(NamedTuple):
    """Definition in a file; the first of a file is the file itself.

    Attributes:
        symbol: qualified by the enclosing symbols, joined by dots; empty for the file.
        name: the last part of the symbol; for a file, its import name.
        start, end: first and last line, counted from 1.
        parent: position of the enclosing definition in the same list; -1 for the file.
    """

    symbol: str
    name: str
    kind: str
    start: int
    end: int
    parent: int


class Reference(NamedTuple):
    """Reference by name from a definition.

    Attributes:
        source: position of the definition in its file's list.
        kind: `CALL`, `IMPORT` …
        name: the last part of the name, with an alias replaced by its target.
        via: how the file reaches the name: empty for a bare one; `in:MODULE` when it is imported from or through that
            module; `of:CLASS` or `of:CLASS@MODULE` for a member of a known class; `self:CLASS|BASE,BASE` on the
            object itself; `on:TEXT` on a value of unknown type.
        line: its line, counted from 1.
    """

    source: int
    kind: int
    name: str
    via: str
    line: int


class ReferenceColumns(NamedTuple):
    """References as columns; `Reference` documents the fields."""

    sources: tuple[int, ...] = ()
    kinds: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    vias: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @classmethod
    def from_rows(cls, found: Collection[tuple[int, int, str, str]], lines: Iterable[int]) -> ReferenceColumns:
        """Build the columns from rows without lines, and the lines."""
        # `zip` of no rows has no columns.
        return cls._make((*zip(*found, strict=True), tuple(lines))) if found else cls()

    def iter_rows(self) -> Iterator[Reference]:
        """Iterate over the references."""
        return map(Reference._make, zip(*self, strict=True))


class GraphFacts(NamedTuple):
    """Graph facts of one file; its references differ in more than their line."""

    language: str
    defs: tuple[GraphDefinition, ...]
    refs: ReferenceColumns = ReferenceColumns()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as columns; row by row would take longer than the extraction itself."""
        return _restore_facts, (self.language, tuple(zip(*self.defs, strict=True)), tuple(self.refs))


def _restore_facts(language: str, defs: tuple[Any, ...], refs: tuple[Any, ...]) -> GraphFacts:
    return GraphFacts(
        language, tuple(map(GraphDefinition._make, zip(*defs, strict=True))), ReferenceColumns._make(refs)
    )


class ImportBinding(NamedTuple):
    """Name that an import binds in a file: `alias` stands for `name` of `module`.

    Without a `name` the alias is the module itself; `*` imports every name of the module.
    """

    module: str
    name: str
    alias: str
