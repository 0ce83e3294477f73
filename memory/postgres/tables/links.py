"""Table of links between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory.model.graph import CONTAINS, EDGE_KINDS, Link, StrongestLink
from aurora.memory.postgres.table import NameTable

from .nodes import COLUMNS, to_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.graph import LinkFilter, LinkRow, Side


_END_COLUMNS = {"out": ("source", "target"), "in": ("target", "source")}
"""Direction -> the column of the given node, and the column of the other."""

_INSERT_LINKS = """
INSERT INTO edges (ref, target, source, kind, confidence, how) SELECT * FROM unnest(
    $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::float8[], $6::text[]
)
"""
_SELECT_PAGE = """
SELECT e.kind, e.confidence, e.how, r.line, s.path, {columns}
FROM edges AS e JOIN refs AS r ON r.n = e.ref JOIN nodes AS o ON o.n = e.{other} JOIN nodes AS s ON s.n = e.source
WHERE e.{own} = $1 AND e.confidence >= $2 AND e.kind = ANY($3::bigint[])
ORDER BY e.confidence DESC, e.kind, e.ref, e.target LIMIT $4 OFFSET $5
"""
_COUNT_LINKS = "SELECT count(*) FROM edges WHERE {own} = $1 AND confidence >= $2 AND kind = ANY($3::bigint[])"
_SELECT_STRONGEST = """
SELECT e.kind, e.confidence, e.how, s.path, r.line FROM edges AS e JOIN refs AS r ON r.n = e.ref
JOIN nodes AS s ON s.n = e.source WHERE e.source = $1 AND e.target = $2 AND e.confidence >= $3
AND e.kind = ANY($4::bigint[]) ORDER BY e.confidence DESC, e.kind, e.ref LIMIT 1
"""
_SELECT_ENDPOINTS = """
SELECT DISTINCT s.id, e.kind, t.id FROM edges AS e
JOIN nodes AS s ON s.n = e.source JOIN nodes AS t ON t.n = e.target WHERE e.confidence >= $1
"""
_SELECT_WITH_NESTING = f"""
SELECT source, target, kind, confidence FROM edges
UNION ALL SELECT parent, n, {CONTAINS}, 1.0 FROM nodes WHERE parent IS NOT NULL
"""
_DELETE_PENDING = """
DELETE FROM edges WHERE ref IN (
    SELECT n FROM refs WHERE name IN (SELECT name FROM graph_pending) AND via != 'methods'
)
"""


class LinkTable(NameTable):
    """Links between nodes, without nesting, which `NodeTable` contains.

    Kinds are given by name; no name means all.
    """

    def list_page(self, n: int, side: Side, page: LinkFilter) -> list[Link]:
        """List a page of links of a node, the most confident first."""
        own, other = _END_COLUMNS[side]
        sql = _SELECT_PAGE.format(columns=COLUMNS, own=own, other=other)
        rows = self._fetch_rows(sql, n, page.least, _get_kind_numbers(page.kinds), page.limit, page.offset)
        return [
            Link(EDGE_KINDS[row[0]], side == "out", to_node(row[5:]), row[1], row[2], row[4], row[3]) for row in rows
        ]

    def count(self, n: int, side: Side, kinds: Sequence[str], least: float) -> int:
        """Count the links that `list_page` can return."""
        sql = _COUNT_LINKS.format(own=_END_COLUMNS[side][0])
        return int(self._fetch_value(sql, n, least, _get_kind_numbers(kinds)))

    def count_by_kind(self, n: int, side: Side) -> dict[str, int]:
        """Count a node's links by kind."""
        own = _END_COLUMNS[side][0]
        rows = self._fetch_rows(f"SELECT kind, count(*) FROM edges WHERE {own} = $1 GROUP BY kind", n)
        return {EDGE_KINDS[kind]: count for kind, count in sorted(rows)}

    def find_strongest(self, source: int, target: int, kinds: Sequence[str], least: float) -> StrongestLink | None:
        """Find the most confident link between two nodes; None if there is none."""
        for kind, *rest in self._fetch_rows(_SELECT_STRONGEST, source, target, least, _get_kind_numbers(kinds)):
            return StrongestLink(EDGE_KINDS[kind], *rest)
        return None

    def iter_endpoints(self, least: float) -> Iterator[tuple[str, str, str]]:
        """Yield the distinct source id, kind and target id of all links, unordered."""
        rows = self._iter_rows(_SELECT_ENDPOINTS, least)
        return ((source, EDGE_KINDS[kind], target) for source, kind, target in rows)

    def iter_with_nesting(self) -> Iterator[tuple[int, int, int, float]]:
        """Yield source, target, kind number and confidence, with nesting, unordered."""
        return self._iter_rows(_SELECT_WITH_NESTING)

    def insert(self, rows: Iterable[LinkRow]) -> None:
        """Insert links."""
        self._write_rows(_INSERT_LINKS, rows)

    def remove_pending(self) -> None:
        """Remove the links of pending names, except for those made by methods."""
        self._execute(_DELETE_PENDING)

    def load_packed(self, generation: int) -> bytes | None:
        """Load the packed graph of this generation; None if it is not stored."""
        rows = self._fetch_column("SELECT body FROM graph_packed WHERE generation = $1", generation)
        return next(iter(rows), None)

    def save_packed(self, generation: int, body: bytes) -> None:
        """Replace the packed graph."""
        self._execute("DELETE FROM graph_packed")
        self._execute("INSERT INTO graph_packed (generation, body) VALUES ($1, $2)", generation, body)


def _get_kind_numbers(kinds: Sequence[str]) -> list[int]:
    return [EDGE_KINDS.index(kind) for kind in kinds] if kinds else list(range(len(EDGE_KINDS)))
