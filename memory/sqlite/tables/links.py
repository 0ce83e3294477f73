"""What refers to what: links as they are drawn, looked at from one end, from a file, or all at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, cast

from aurora.memory.model import CONTAINS, EDGE_KINDS, Link
from aurora.memory.sqlite.table import Table

from .nodes import COLUMNS, to_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model import Side

    LinkRow = tuple[int, int, int, int, float, str]
    """A link as it is written: the numbers of the reference, of what is meant and of what refers to it, kind,
    confidence, and how it was found."""

_END_COLUMNS = {"out": ("source", "target"), "in": ("target", "source")}
"""Where the node is that is asked about, and where the other."""

_INSERT_LINK = "INSERT INTO edges (ref, target, source, kind, confidence, how) VALUES (?, ?, ?, ?, ?, ?)"
_SELECT_PAGE = """
SELECT e.kind, e.confidence, e.how, r.line, s.path, {columns}
FROM edges e CROSS JOIN refs r ON r.n = e.ref CROSS JOIN nodes o ON o.n = e.{other} CROSS JOIN nodes s ON s.n = e.source
WHERE e.{own} = ? AND e.confidence >= ? AND e.kind IN (SELECT value FROM json_each(?))
ORDER BY e.confidence DESC, e.kind, e.ref LIMIT ? OFFSET ?
"""
_COUNT_LINKS = """
SELECT count(*) FROM edges
WHERE {own} = ? AND confidence >= ? AND kind IN (SELECT value FROM json_each(?))
"""
_SELECT_STRONGEST = """
SELECT e.kind, e.confidence, e.how, s.path, r.line FROM edges e JOIN refs r ON r.n = e.ref
JOIN nodes s ON s.n = e.source WHERE e.source = ? AND e.target = ? AND e.confidence >= ?
AND e.kind IN (SELECT value FROM json_each(?)) ORDER BY e.confidence DESC, e.kind LIMIT 1
"""
_SELECT_ENDPOINTS = """
SELECT DISTINCT s.id, e.kind, t.id FROM edges e
JOIN nodes s ON s.n = e.source JOIN nodes t ON t.n = e.target WHERE e.confidence >= ?
"""
_SELECT_WITH_NESTING = f"""
SELECT source, target, kind, confidence FROM edges
UNION ALL SELECT parent, n, {CONTAINS}, 1.0 FROM nodes WHERE parent IS NOT NULL
"""  # noqa: S608 - a constant
_DELETE_PENDING = """
DELETE FROM edges WHERE ref IN (
    SELECT n FROM refs WHERE name IN (SELECT name FROM graph_pending) AND via != 'methods'
)
"""


class StrongestLink(NamedTuple):
    """A link from one node to another: its kind in words, and where it is written."""

    kind: str
    confidence: float
    how: str
    path: str
    line: int


class LinkTable(Table):
    """What refers to what; that a definition holds another is no link here, `nodes` knows it.

    Kinds are asked for by their words, all of them by none.
    """

    def list_page(  # noqa: PLR0913, PLR0917 - all that is asked of a page
        self, n: int, side: Side, kinds: Sequence[str], least: float, limit: int, offset: int
    ) -> list[Link]:
        """The links that lead out of a node, or into it, of at least this confidence: the surest first."""
        own, other = _END_COLUMNS[side]
        sql = _SELECT_PAGE.format(columns=COLUMNS, own=own, other=other)
        rows = self._fetch_rows(sql, n, least, _encode_kinds(kinds), limit, offset)
        return [
            Link(EDGE_KINDS[row[0]], side == "out", to_node(row[5:]), row[1], row[2], row[4], row[3]) for row in rows
        ]

    def count(self, n: int, side: Side, kinds: Sequence[str], least: float) -> int:
        """How many links `page` could give."""
        return int(self._fetch_value(_COUNT_LINKS.format(own=_END_COLUMNS[side][0]), n, least, _encode_kinds(kinds)))

    def count_by_kind(self, n: int, side: Side) -> dict[str, int]:
        """How many links of each kind lead out of a node, or into it; of those kinds that are there, in their order."""
        own = _END_COLUMNS[side][0]
        rows = self._fetch_rows(f"SELECT kind, count(*) FROM edges WHERE {own} = ? GROUP BY kind", n)  # noqa: S608 - two words
        return {EDGE_KINDS[kind]: count for kind, count in sorted(rows)}

    def find_strongest(self, source: int, target: int, kinds: Sequence[str], least: float) -> StrongestLink | None:
        """The surest link from one node to another, of at least this confidence; None when there is none."""
        for kind, *rest in self._fetch_rows(_SELECT_STRONGEST, source, target, least, _encode_kinds(kinds)):
            return StrongestLink(EDGE_KINDS[kind], *rest)
        return None

    def iter_endpoints(self, least: float) -> Iterator[tuple[str, str, str]]:
        """Which id refers how to which, of all links of at least this confidence: each once, in no order."""
        rows = cast("Iterator[tuple[str, int, str]]", self._db.execute(_SELECT_ENDPOINTS, (least,)))
        return ((source, EDGE_KINDS[kind], target) for source, kind, target in rows)

    def iter_with_nesting(self) -> Iterator[tuple[int, int, int, float]]:
        """Source, target, number of the kind, and confidence of every link, and of what holds what, in no order."""
        return cast("Iterator[tuple[int, int, int, float]]", self._db.execute(_SELECT_WITH_NESTING))

    def insert(self, rows: Iterable[LinkRow]) -> None:
        """Write links."""
        self._db.executemany(_INSERT_LINK, rows)

    def remove_pending(self) -> None:
        """Let go of what the references were linked to whose names wait, but for those that methods made."""
        if self._fetch_rows("SELECT 1 FROM edges LIMIT 1"):
            self._db.execute(_DELETE_PENDING)

    def load_packed(self, generation: int) -> bytes | None:
        """The whole graph of this generation as `graph_packed` packs it; None when it was not kept."""
        return next(iter(self._fetch_column("SELECT body FROM graph_packed WHERE generation = ?", generation)), None)

    def save_packed(self, generation: int, body: bytes) -> None:
        """Keep this one, in place of what was kept before."""
        self._db.execute("DELETE FROM graph_packed")
        self._db.execute("INSERT INTO graph_packed (generation, body) VALUES (?, ?)", (generation, body))


def _encode_kinds(kinds: Sequence[str]) -> str:
    return json.dumps([EDGE_KINDS.index(kind) for kind in kinds] if kinds else list(range(len(EDGE_KINDS))))
