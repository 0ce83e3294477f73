"""The whole graph as arrays: kept for one generation, and made of the tables when it is of an older one."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from aurora.memory import LinkFilter
from aurora.memory.database import open_store
from aurora.memory.graph.extract.extract import make_file_definition
from aurora.memory.graph.linking.adjacency import pack_graph, read_generation, store_packed
from aurora.memory.graph.linking.link import link_references
from aurora.memory.graph.linking.write import write_facts
from aurora.memory.graph.query.graph import Graph
from aurora.memory.model.symbols import CALL, GraphDefinition, GraphFacts, ReferenceColumns

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.memory.storage import Store


def calling(name: str, *called: str) -> GraphFacts:
    """A file with one function that calls others."""
    defs = (make_file_definition(f"{name}.py", 9), GraphDefinition(name, name, "function", 2, 3, 0))
    return GraphFacts(
        "python",
        defs,
        ReferenceColumns.from_rows([(1, CALL, each, f"in:/{each}") for each in called], [3] * len(called)),
    )


def written(store: Store, name: str, *called: str) -> None:
    """That file, and all that waits linked."""
    with store.begin_write() as db:
        write_facts(db, f"{name}.py", calling(name, *called))
        link_references(db)


def way(store: Store, start: str, end: str) -> list[str]:
    """The symbols on the shortest way, but for its start, found by a reader that holds nothing yet."""
    graph = Graph(store)
    links = graph.find_path(
        graph.find_one(f"{start}.py::{start}"), graph.find_one(f"{end}.py::{end}"), LinkFilter(("calls",))
    )
    return [each.node.symbol for each in links or ()]


def test_what_is_kept_is_read_and_what_was_kept_before_a_change_is_not(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "memory.db")) as store:
        for name, called in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "")):
            written(store, name, *called)
        assert way(store, "a", "d") == ["b", "c", "d"]
        with store.begin_write() as db:
            store_packed(db)
        with store.begin_read() as db:
            assert db.links.load_packed(read_generation(db)) == pack_graph(db)
        assert way(store, "a", "d") == ["b", "c", "d"]
        written(store, "a", "b", "d")
        with store.begin_read() as db:
            assert db.links.load_packed(read_generation(db)) is None
        assert way(store, "a", "d") == ["d"]
