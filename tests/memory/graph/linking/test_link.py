"""Incremental linking: the order of writes and links does not change the graph."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.database import open_store
from aurora.memory.graph.documents import make_file_definition
from aurora.memory.graph.link import link_references, write_facts
from aurora.memory.model.graph import CALL, IMPLEMENTS, IMPORT, MENTIONS, GraphDefinition, GraphFacts, ReferenceColumns

_PATHS = ("a.py", "pkg/__init__.py", "pkg/b.py", "pkg/c.go")
_NAMES = ("f", "größe", "a")
_KINDS = ("class", "struct", "interface", "method")
_VIAS = ("", "in:/a", "in:pkg.b", "of:f", "of:f@/pkg/b", "self:f|a", "on:x")

_WHOLE = (
    "SELECT id, kind, start_line, (SELECT id FROM nodes p WHERE p.n = o.parent) FROM nodes o ORDER BY id",
    "SELECT s.id, r.kind, r.name, via, line, linked FROM refs r JOIN nodes s ON s.n = source ORDER BY 1, 2, 3, 4, 5",
    """SELECT s.id, e.kind, t.id, e.confidence, e.how, r.line FROM edges e JOIN refs r ON r.n = e.ref
    JOIN nodes s ON s.n = e.source JOIN nodes t ON t.n = e.target ORDER BY 1, 2, 3, 4, 5, 6""",
)


@st.composite
def draw_file(draw: st.DrawFn) -> tuple[str, GraphFacts | None]:
    """A file, what it defines, some of it twice or inside something else, and what it refers to; None when it goes."""
    path = draw(st.sampled_from(_PATHS))
    if draw(st.integers(0, 5)) == 0:
        return path, None
    defs = [make_file_definition(path, 9)]
    for name in draw(st.lists(st.sampled_from(_NAMES), max_size=3)):
        parent, line = draw(st.integers(0, len(defs) - 1)), draw(st.integers(1, 9))
        symbol = f"{defs[parent].symbol}.{name}".lstrip(".")
        defs.append(GraphDefinition(symbol, name, draw(st.sampled_from(_KINDS)), line, line, parent))
    sources = st.integers(0, len(defs) - 1)
    keys = st.tuples(
        sources, st.sampled_from((CALL, IMPORT, MENTIONS)), st.sampled_from(_NAMES), st.sampled_from(_VIAS)
    )
    refs = draw(st.dictionaries(keys, st.integers(1, 9), min_size=1, max_size=5))
    return path, GraphFacts(
        "go" if path.endswith("go") else "python", tuple(defs), ReferenceColumns.from_rows(refs, refs.values())
    )


_STEPS = st.lists(st.tuples(draw_file(), st.booleans()), min_size=4, max_size=12)
"""The files in the order of writing, and whether linking follows."""


def read_graph(database: Path) -> list[list[tuple[Any, ...]]]:
    with closing(apsw.Connection(str(database), apsw.SQLITE_OPEN_READONLY)) as db:
        return [db.execute(sql).fetchall() for sql in _WHOLE]


@settings(max_examples=50)
@given(steps=_STEPS)
def test_links_depend_only_on_the_present_files_not_on_the_order_of_changes(
    steps: list[tuple[tuple[str, GraphFacts | None], bool]],
) -> None:
    last: dict[str, GraphFacts | None] = {}
    with TemporaryDirectory() as folder, closing(open_store(Path(folder) / "kept.db")) as kept:
        for (path, found), linked in steps:
            last[path] = found
            with kept.begin_write() as db:
                write_facts(db, path, found)
                if linked:
                    link_references(db)
        with (
            closing(open_store(Path(folder) / "made.db")) as made,
            kept.begin_write() as db,
            made.begin_write() as fresh,
        ):
            link_references(db)
            for path, found in sorted(last.items()):
                write_facts(fresh, path, found)
            link_references(fresh)
            assert not db.references.has_pending()
        # row numbers may differ, contents must not
        assert read_graph(kept.path) == read_graph(made.path)


def test_the_link_from_a_go_type_to_its_interface_follows_the_line_of_the_type(tmp_path: Path) -> None:
    def make_shifted(by: int) -> GraphFacts:
        defs = [
            GraphDefinition("", "c", "module", 1, 20, -1),
            GraphDefinition("T", "T", "struct", 1 + by, 1 + by, 0),
            GraphDefinition("T.Run", "Run", "method", 2 + by, 2 + by, 1),
            GraphDefinition("I", "I", "interface", 3 + by, 3 + by, 0),
            GraphDefinition("I.Run", "Run", "method", 3 + by, 3 + by, 3),
        ]
        return GraphFacts("go", tuple(defs))

    with closing(open_store(tmp_path / "memory.db")) as store, store.begin_write() as db:
        for by in (0, 4):
            write_facts(db, "c.go", make_shifted(by))
            link_references(db)
    *_, links = read_graph(tmp_path / "memory.db")
    assert links == [("c.go::T", IMPLEMENTS, "c.go::I", 0.6, "method set", 5)]
