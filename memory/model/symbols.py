"""What a file says of the code graph: its definitions, and what it refers to by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

CALL, IMPORT, INHERITS, IMPLEMENTS, MENTIONS, CONTAINS = range(6)

EDGE_KINDS = ("calls", "imports", "inherits", "implements", "mentions", "contains")
"""The words for the kinds of an edge, by number."""


IMPL_PREFIX = "impl "
"""What the symbol of Rust's `impl` blocks begins with, so that none is taken for the type itself."""


class GraphDefinition(NamedTuple):
    """A definition in a file; the first of a file is the file itself.

    Attributes:
        symbol: qualified by what holds it, parts joined by dots; empty for the file.
        name: the last part of the symbol; for a file, what others import it by.
        start, end: first and last line, counted from 1.
        parent: position of what holds it in the same list; -1 for the file.
    """

    symbol: str
    name: str
    kind: str
    start: int
    end: int
    parent: int


class Reference(NamedTuple):
    """Something that a definition refers to by name.

    Attributes:
        source: position of the definition in its file's list.
        kind: `CALL`, `IMPORT` …
        name: the last part of the name that is referred to, an alias already replaced by what it stands for.
        via: how its own file knows the name: empty for a bare one; `in:MODULE` when it was imported from there, or is
            reached through it; `of:CLASS` or `of:CLASS@MODULE` when it is a member of a class that is known;
            `self:CLASS|BASE,BASE` on the object itself; `on:TEXT` on a value that nothing is known of.
        line: where it is written, counted from 1.
    """

    source: int
    kind: int
    name: str
    via: str
    line: int


class ReferenceColumns(NamedTuple):
    """References as columns, one row's values at the same place of each; `Ref` says what they are."""

    sources: tuple[int, ...] = ()
    kinds: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    vias: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @classmethod
    def from_rows(cls, found: Collection[tuple[int, int, str, str]], lines: Iterable[int]) -> ReferenceColumns:
        """The columns of references, which are given without their lines."""
        return cls._make((*zip(*found, strict=True), tuple(lines))) if found else cls()

    def iter_rows(self) -> Iterator[Reference]:
        """One after the other."""
        return map(Reference._make, zip(*self, strict=True))


class GraphFacts(NamedTuple):
    """One file's part in the graph; no two of its references are equal but for their line."""

    language: str
    defs: tuple[GraphDefinition, ...]
    refs: ReferenceColumns = ReferenceColumns()

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process as columns: row by row takes longer than finding them did."""
        return _restore_facts, (self.language, tuple(zip(*self.defs, strict=True)), tuple(self.refs))


def _restore_facts(language: str, defs: tuple[Any, ...], refs: tuple[Any, ...]) -> GraphFacts:
    return GraphFacts(
        language, tuple(map(GraphDefinition._make, zip(*defs, strict=True))), ReferenceColumns._make(refs)
    )


class ImportBinding(NamedTuple):
    """A name that an import brings into a file: `alias` stands for `name` of `module`.

    Without a `name` the alias is the module itself; `*` brings everything that the module has.
    """

    module: str
    name: str
    alias: str
