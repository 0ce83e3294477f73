"""Adjacency arrays: stored for one generation, rebuilt for another."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.memory import LinkFilter
from aurora.memory.database import open_store
from aurora.memory.graph.adjacency import pack_graph, read_generation, store_packed
from aurora.memory.graph.documents import make_file_definition
from aurora.memory.graph.graph import Graph
from aurora.memory.graph.link import link_references, write_facts
from aurora.memory.model.graph import CALL, GraphDefinition, GraphFacts, ReferenceColumns

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.storage import Store


def make_facts(name: str, *called: str) -> GraphFacts:
    """A file with one function that calls others."""
    defs = (make_file_definition(f"{name}.py", 9), GraphDefinition(name, name, "function", 2, 3, 0))
    return GraphFacts(
        "python",
        defs,
        ReferenceColumns.from_rows([(1, CALL, each, f"in:/{each}") for each in called], [3] * len(called)),
    )


def write_and_link(store: Store, name: str, *called: str) -> None:
    """That file, and all that waits linked."""
    with store.begin_write() as db:
        write_facts(db, f"{name}.py", make_facts(name, *called))
        link_references(db)


def find_path_names(store: Store, start: str, end: str) -> list[str]:
    """The symbols on the shortest way, but for its start, found by a reader that holds nothing yet."""
    graph = Graph(store)
    links = graph.find_path(
        graph.find_one(f"{start}.py::{start}"), graph.find_one(f"{end}.py::{end}"), LinkFilter(("calls",))
    )
    return [each.node.symbol for each in links or ()]


def test_stored_arrays_are_used_until_the_graph_changes(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "memory.db")) as store:
        for name, called in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "")):
            write_and_link(store, name, *called)
        assert find_path_names(store, "a", "d") == ["b", "c", "d"]
        with store.begin_write() as db:
            store_packed(db)
        with store.begin_read() as db:
            assert db.links.load_packed(read_generation(db)) == pack_graph(db)
        assert find_path_names(store, "a", "d") == ["b", "c", "d"]
        write_and_link(store, "a", "b", "d")
        with store.begin_read() as db:
            assert db.links.load_packed(read_generation(db)) is None
        assert find_path_names(store, "a", "d") == ["d"]
