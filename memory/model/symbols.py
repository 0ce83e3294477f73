"""Definitions and references of a file for the code graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

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
