"""Reads of a code graph with hubs: neighbors, and paths of any length.

The graph has 100,000 definitions and 500,000 links.

The graph is made as indexing makes it, out of files' definitions and references, written and linked; only the files
themselves are invented. A way is searched between two definitions that are far apart on a chain of their own.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, emit, median, percentile

from aurora.memory import LinkFilter
from aurora.memory.database import open_store
from aurora.memory.graph.linking import link_references, store_packed, write_facts
from aurora.memory.graph.query.graph import Graph
from aurora.memory.model.symbols import CALL, GraphDefinition, GraphFacts, ReferenceColumns

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.memory.storage import Store

A_FILE = 100
LINKS = 5
HUBS = 10
CHAIN = 2_000
ROUNDS = 200


def facts(number: int, files: int, chance: random.Random) -> GraphFacts:
    """Make the facts of a file whose functions call others.

    Each calls one hub and four functions anywhere; the first files are a long chain.
    """
    defs = [GraphDefinition("", f"file{number}", "module", 1, A_FILE + 1, -1)]
    defs += [GraphDefinition(name(number, i), name(number, i), "function", i + 2, i + 2, 0) for i in range(A_FILE)]
    refs = {}
    for i in range(A_FILE):
        at = number * A_FILE + i
        if at < CHAIN:
            targets = [at + 1]
        else:
            targets = [CHAIN + at % HUBS] + [chance.randrange(CHAIN, files * A_FILE) for _ in range(LINKS - 1)]
        for target in dict.fromkeys(targets):
            file, place = divmod(target, A_FILE)
            refs[i + 1, CALL, name(file, place), f"in:/pkg/file{file}"] = i + 2
    return GraphFacts("python", tuple(defs), ReferenceColumns.from_rows(refs, refs.values()))


def name(file: int, place: int) -> str:
    """Return the name of a function."""
    return f"f{file}_{place}"


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds that some work takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Build the graph, measure its reads, print the rows."""
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    files = nodes // A_FILE
    chance = random.Random(7)  # noqa: S311 - the same graph every time
    with tempfile.TemporaryDirectory(prefix="aurora-graph-") as folder:
        database = Path(folder) / "memory.db"
        store = open_store(database)
        with store.begin_write() as db:
            for number in range(files):
                write_facts(db, f"pkg/file{number}.py", facts(number, files, chance))
        linked = timed(lambda: _link(store))
        store.close()
        emit([*_reads(database, files), _row_of_linking(linked, files)])


def _link(store: Store) -> None:
    with store.begin_write() as db:
        link_references(db)
        store_packed(db)


def _row_of_linking(linked: float, files: int) -> Row:
    count = files * A_FILE * LINKS
    return Row("graph: linking all", f"{linked / 1000:.1f} s", f"{count:,} references", linked / count, "", None)


def _reads(database: Path, files: int) -> list[Row]:
    store = open_store(database)
    graph = Graph(store)
    hub = graph.find_one(f"pkg/file{CHAIN // A_FILE}.py::{name(CHAIN // A_FILE, 3)}")
    some = [
        graph.find_one(f"pkg/file{n}.py::{name(n, 5)}") for n in range(CHAIN // A_FILE + 1, files, max(1, files // 50))
    ]
    plain = [timed(lambda one=one: graph.list_neighbors(one, LinkFilter(limit=20))) for one in some for _ in range(4)]
    hubs = [timed(lambda: graph.list_neighbors(hub, LinkFilter(limit=20))) for _ in range(ROUNDS)]
    ends = (
        graph.find_one(f"pkg/file0.py::{name(0, 0)}"),
        graph.find_one(f"pkg/file{CHAIN // A_FILE - 1}.py::{name(19, 99)}"),
    )
    calls = LinkFilter(("calls",))
    cold = timed(lambda: graph.find_path(*ends, calls))
    far = [timed(lambda: _between(graph, store, ends[0].n, ends[1].n, calls)) for _ in range(10)]
    near = [timed(lambda one=one: graph.find_path(some[0], one, calls)) for one in some[1:]]
    store.close()
    size = f"{files * A_FILE:,} definitions"
    return [
        _row("neighbours", plain, size, 2),
        _row(f"neighbours of a hub, {graph_size(hub, database):,} links", hubs, size, 2),
        _row("way between any two", near, size, 50),
        _row(f"way of {CHAIN - 1:,} links", far, size, 50),
        Row("graph: first way, arrays loaded, every link told", f"{cold:.0f} ms", size, 1.0),
    ]


def _between(graph: Graph, store: Store, start: int, end: int, wanted: LinkFilter) -> None:
    with store.begin_read() as db:
        way = graph._path_finder.find_path(db, store.epoch, start, end, wanted)  # noqa: SLF001 - without telling every link
    assert way is not None  # noqa: S101 - a measurement of nothing would be fast
    assert len(way) == CHAIN  # noqa: S101 - as above


def graph_size(hub: object, database: Path) -> int:
    """Count the links of a hub."""
    store = open_store(database)
    total = Graph(store).list_neighbors(hub, LinkFilter(limit=1)).total  # type: ignore[arg-type] # a node, as `one` gave it
    store.close()
    return total


def _row(what: str, times: list[float], size: str, aim: float) -> Row:
    middle = median(times)
    return Row(
        f"graph: {what}",
        f"{middle:.2f} ms, 99 % {percentile(times, 0.99):.2f} ms",
        size,
        middle / aim,
        f"under {aim:.0f} ms",
        met=middle < aim,
    )


if __name__ == "__main__":
    main()
