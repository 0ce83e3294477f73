"""What refers to what: links as they are drawn, looked at from one end, from a file, or all at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, cast

from aurora.memory.model.graph import Link
from aurora.memory.model.symbols import CONTAINS, KINDS
from aurora.memory.sqlite.table import Part

from .nodes import COLUMNS, node_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory.model.graph import Side

    Drawn = tuple[int, int, int, int, float, str]
    """A link as it is written: the numbers of the reference, of what is meant and of what refers to it, kind,
    confidence, and how it was found."""

_ENDS = {"out": ("source", "target"), "in": ("target", "source")}
"""Where the node is that is asked about, and where the other."""

_DRAW = "INSERT INTO edges (ref, target, source, kind, confidence, how) VALUES (?, ?, ?, ?, ?, ?)"
_PAGE = """
SELECT e.kind, e.confidence, e.how, r.line, s.path, {columns}
FROM edges e CROSS JOIN refs r ON r.n = e.ref CROSS JOIN nodes o ON o.n = e.{other} CROSS JOIN nodes s ON s.n = e.source
WHERE e.{own} = ? AND e.confidence >= ? AND e.kind IN (SELECT value FROM json_each(?))
ORDER BY e.confidence DESC, e.kind, e.ref LIMIT ? OFFSET ?
"""
_COUNT = """
SELECT count(*) FROM edges
WHERE {own} = ? AND confidence >= ? AND kind IN (SELECT value FROM json_each(?))
"""
_SUREST = """
SELECT e.kind, e.confidence, e.how, s.path, r.line FROM edges e JOIN refs r ON r.n = e.ref
JOIN nodes s ON s.n = e.source WHERE e.source = ? AND e.target = ? AND e.confidence >= ?
AND e.kind IN (SELECT value FROM json_each(?)) ORDER BY e.confidence DESC, e.kind LIMIT 1
"""
_ENDS_OF_ALL = """
SELECT DISTINCT s.id, e.kind, t.id FROM edges e
JOIN nodes s ON s.n = e.source JOIN nodes t ON t.n = e.target WHERE e.confidence >= ?
"""
_WITH_NESTING = f"""
SELECT source, target, kind, confidence FROM edges
UNION ALL SELECT parent, n, {CONTAINS}, 1.0 FROM nodes WHERE parent IS NOT NULL
"""  # noqa: S608 - a constant
_LOOSEN = """
DELETE FROM edges WHERE ref IN (
    SELECT n FROM refs WHERE name IN (SELECT name FROM graph_pending) AND via != 'methods'
)
"""


class Between(NamedTuple):
    """A link from one node to another: its kind in words, and where it is written."""

    kind: str
    confidence: float
    how: str
    path: str
    line: int


class Links(Part):
    """What refers to what; that a definition holds another is no link here, `nodes` knows it.

    Kinds are asked for by their words, all of them by none.
    """

    def page(  # noqa: PLR0913, PLR0917 - all that is asked of a page
        self, n: int, side: Side, kinds: Sequence[str], least: float, limit: int, offset: int
    ) -> list[Link]:
        """The links that lead out of a node, or into it, of at least this confidence: the surest first."""
        own, other = _ENDS[side]
        sql = _PAGE.format(columns=COLUMNS, own=own, other=other)
        rows = self._all(sql, n, least, _numbers(kinds), limit, offset)
        return [Link(KINDS[row[0]], side == "out", node_of(row[5:]), row[1], row[2], row[4], row[3]) for row in rows]

    def count(self, n: int, side: Side, kinds: Sequence[str], least: float) -> int:
        """How many links `page` could give."""
        return int(self._one(_COUNT.format(own=_ENDS[side][0]), n, least, _numbers(kinds)))

    def counts(self, n: int, side: Side) -> dict[str, int]:
        """How many links of each kind lead out of a node, or into it; of those kinds that are there, in their order."""
        own = _ENDS[side][0]
        rows = self._all(f"SELECT kind, count(*) FROM edges WHERE {own} = ? GROUP BY kind", n)  # noqa: S608 - two words
        return {KINDS[kind]: count for kind, count in sorted(rows)}

    def surest(self, source: int, target: int, kinds: Sequence[str], least: float) -> Between | None:
        """The surest link from one node to another, of at least this confidence; None when there is none."""
        for kind, *rest in self._all(_SUREST, source, target, least, _numbers(kinds)):
            return Between(KINDS[kind], *rest)
        return None

    def ends(self, least: float) -> Iterator[tuple[str, str, str]]:
        """Which id refers how to which, of all links of at least this confidence: each once, in no order."""
        rows = cast("Iterator[tuple[str, int, str]]", self._db.execute(_ENDS_OF_ALL, (least,)))
        return ((source, KINDS[kind], target) for source, kind, target in rows)

    def with_nesting(self) -> Iterator[tuple[int, int, int, float]]:
        """Source, target, number of the kind, and confidence of every link, and of what holds what, in no order."""
        return cast("Iterator[tuple[int, int, int, float]]", self._db.execute(_WITH_NESTING))

    def draw(self, rows: Iterable[Drawn]) -> None:
        """Write links."""
        self._db.executemany(_DRAW, rows)

    def loosen(self) -> None:
        """Let go of what the references were linked to whose names wait, but for those that methods made."""
        if self._all("SELECT 1 FROM edges LIMIT 1"):
            self._db.execute(_LOOSEN)

    def packed(self, generation: int) -> bytes | None:
        """The whole graph of this generation as `graph_packed` packs it; None when it was not kept."""
        return next(iter(self._column("SELECT body FROM graph_packed WHERE generation = ?", generation)), None)

    def keep_packed(self, generation: int, body: bytes) -> None:
        """Keep this one, in place of what was kept before."""
        self._db.execute("DELETE FROM graph_packed")
        self._db.execute("INSERT INTO graph_packed (generation, body) VALUES (?, ?)", (generation, body))


def _numbers(kinds: Sequence[str]) -> str:
    return json.dumps([KINDS.index(kind) for kind in kinds] if kinds else list(range(len(KINDS))))
