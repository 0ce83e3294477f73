"""Protocols of the stored code graph: nodes, references, links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.graph import (
        Link,
        LinkFilter,
        LinkRow,
        NameCandidate,
        Node,
        NodeRow,
        NodeUpdate,
        PendingReference,
        ReferenceRow,
        Side,
        StoredNode,
        StoredReference,
        StrongestLink,
        UnresolvedUse,
    )


class Nodes(Protocol):
    """Definitions with a stable id and a number that is never reused.

    Lists are sorted by file and line unless documented otherwise.
    """

    def get_by_number(self, n: int) -> Node:
        """Return the existing node with this number."""

    def get_by_id(self, id_: str) -> Node | None:
        """Return the node with this id, or None."""

    def find_by_name(self, name: str) -> list[Node]:
        """List the nodes with this name."""

    def find_by_name_in(self, name: str, path: str) -> list[Node]:
        """List the nodes with this name in files whose path ends so."""

    def find_files(self, name: str) -> list[Node]:
        """List files by import name or by the end of their path, ignoring case."""

    def find_innermost(self, path: str, line: int) -> Node | None:
        """Return the innermost node at a line; None if the file is unknown."""

    def find_starting_between(self, path: str, first: int, last: int) -> list[Node]:
        """List the nodes that start between two lines, both included."""

    def get_parent(self, n: int) -> Node | None:
        """Return the enclosing node; None for a file."""

    def list_children(self, n: int) -> list[Node]:
        """List the direct children."""

    def list_descendants(self, symbol: str) -> list[Node]:
        """List the descendants of all definitions with this symbol."""

    def get_inner(self, first: int, second: int) -> Node:
        """Return the child of two nodes of which one contains the other."""

    def count_children(self, n: int) -> int:
        """Count the direct children."""

    def has_parent(self, n: int) -> bool:
        """Check whether the node has a parent."""

    def list_names(self, shortest: int, longest: int, most: int) -> list[str]:
        """List distinct names of a length, except of sections, unordered."""

    def iter_numbers(self) -> Iterator[int]:
        """Yield all numbers in order."""

    def iter_kinds(self) -> Iterator[tuple[str, str]]:
        """Yield id and kind of every node, unordered."""

    def iter_go_types(self) -> Iterator[tuple[int, str, str, str, int]]:
        """Yield number, path, symbol, kind and line of Go types, then methods."""

    def list_package_files(self) -> list[str]:
        """List the `__init__.py` files."""

    def list_rows(self, path: str) -> list[NodeRow]:
        """List the nodes of a file, unordered."""

    def get_by_file(self, path: str) -> dict[str, StoredNode]:
        """Return number, kind and language of a file's nodes by id."""

    def get_next_number(self) -> int:
        """Return the first free number; all above it are free too."""

    def insert(self, rows: Iterable[NodeRow]) -> None:
        """Insert new nodes; references to their names become pending separately."""

    def update(self, rows: Iterable[NodeUpdate]) -> None:
        """Update the changed columns of existing nodes."""

    def remove(self, ids: Iterable[str]) -> None:
        """Remove nodes and their references; names that link to them become pending."""

    def remove_file(self, path: str) -> None:
        """Remove all nodes of a file, as `remove` does."""

    def cancel_file_removal(self, path: str) -> None:
        """Keep the nodes of a file that was removed and written again."""

    def remove_deleted_files(self) -> None:
        """Remove the nodes of all files removed since the last call."""

    def clear(self) -> None:
        """Remove the whole code graph and its pending work."""


class References(Protocol):
    """References by name, from files and, `via` methods, of Go types."""

    def list_external(self, name: str, receiver: str, limit: int, offset: int) -> list[UnresolvedUse]:
        """List the references to a name from outside of the project.

        They come in the order of files and lines, without mentions in running text.

        Args:
            name: the last part of the name.
            receiver: the module, class or value before the name; empty matches any.
            limit: the size of the page.
            offset: the number of skipped rows.
        """

    def count_external(self, name: str, receiver: str) -> int:
        """Count the references that `list_external` can return."""

    def count_by_file(self) -> list[tuple[str, int, int, int]]:
        """Return path, kind number, references and those with a link, by path and kind.

        References of Go types `via` methods are not counted: linking makes them.
        """

    def list_by_file(self, path: str) -> list[StoredReference]:
        """List the references of a file, unordered."""

    def insert(self, rows: Iterable[ReferenceRow]) -> None:
        """Insert references and mark them or their names as pending.

        In a graph that was never linked, every name of a node is pending.
        """

    def update_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of references, given as line and number."""

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove references and their links."""

    def insert_methods(self, source: int, name: str, line: int) -> int:
        """Insert an "implements" reference by methods and return its number."""

    def update_method_lines(self, rows: Iterable[tuple[int, int]]) -> None:
        """Update the lines of method references, given as line and type number."""

    def remove_methods(self) -> None:
        """Remove all method references."""

    def mark_pending(self, names: Iterable[str]) -> None:
        """Mark all references to these names for linking."""

    def mark_folders_pending(self, folders: Iterable[str]) -> None:
        """Mark all references to definitions in these folders for linking.

        The project's root is "".
        """

    def has_pending(self) -> bool:
        """Check whether anything waits for linking or removal."""

    def iter_pending(self) -> Iterator[PendingReference]:
        """Yield the pending references that may have a target, by name."""

    def iter_candidates(self) -> Iterator[NameCandidate]:
        """Yield the definitions of pending names, in order.

        The last of several with the same name in one file comes last.
        """

    def clear_pending(self) -> None:
        """Clear all pending marks."""


class Links(Protocol):
    """Links between nodes, without nesting, which `NodeTable` contains.

    Kinds are given by name; no name means all.
    """

    def list_page(self, n: int, side: Side, page: LinkFilter) -> list[Link]:
        """List a page of links of a node, the most confident first.

        Args:
            n: the number of the node.
            side: `out` for links from the node, `in` for links to it.
            page: kinds, least confidence, limit and offset; its direction is ignored.
        """

    def count(self, n: int, side: Side, kinds: Sequence[str], least: float) -> int:
        """Count the links that `list_page` can return."""

    def count_by_kind(self, n: int, side: Side) -> dict[str, int]:
        """Count a node's links by kind."""

    def find_strongest(self, source: int, target: int, kinds: Sequence[str], least: float) -> StrongestLink | None:
        """Find the most confident link between two nodes; None if there is none."""

    def iter_endpoints(self, least: float) -> Iterator[tuple[str, str, str]]:
        """Yield the distinct source id, kind and target id of all links, unordered."""

    def iter_with_nesting(self) -> Iterator[tuple[int, int, int, float]]:
        """Yield source, target, kind number and confidence, with nesting, unordered."""

    def insert(self, rows: Iterable[LinkRow]) -> None:
        """Insert links."""

    def remove_pending(self) -> None:
        """Remove the links of pending names, except for those made by methods."""

    def load_packed(self, generation: int) -> bytes | None:
        """Load the packed graph of this generation; None if it is not stored."""

    def save_packed(self, generation: int, body: bytes) -> None:
        """Replace the packed graph."""
