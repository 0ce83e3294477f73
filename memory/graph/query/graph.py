"""Reading the graph: what leads where, from one node and from many."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from aurora.memory.files.language import PROSE
from aurora.memory.graph.linking.adjacency import Roads
from aurora.memory.model.graph import Filter, Link, Links

from .diff import compare
from .find import find, line_at, of_chunk, one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.graph import Node, Side, Use
    from aurora.memory.sqlite.store import Store
    from aurora.memory.sqlite.tables.all import Tables

    from .diff import Change

_SIDES: tuple[Side, ...] = ("out", "in")
_DEEPEST = 12
_WIDEST = 5_000


class Graph:
    """The code graph of one store; every method is one read transaction.

    Args:
        store: the open database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._roads = Roads()

    def find(self, name: str) -> tuple[Node, ...]:
        """All that a name may mean; see `graph_find.find`."""
        with self._store.reading() as db:
            return tuple(find(db, name))

    def one(self, name: str) -> Node:
        """The one node that a name means.

        Raises:
            Fault: NOT_FOUND with near names, CONFLICT with the candidates.
        """
        with self._store.reading() as db:
            return one(db, name)

    def parent(self, node: Node) -> Node | None:
        """What holds it; None for a file."""
        with self._store.reading() as db:
            return db.nodes.holder(node.n)

    def chunk(self, node: Node) -> str | None:
        """The id of the chunk where it begins."""
        with self._store.reading() as db:
            return db.chunks.at(node.path, node.start)

    def of_chunk(self, id_: str) -> tuple[Node, ...]:
        """What a chunk defines, or is a part of."""
        with self._store.reading() as db:
            return tuple(of_chunk(db, id_))

    def counts(self, node: Node) -> dict[str, dict[str, int]]:
        """How many links of each kind lead out of a node and into it."""
        with self._store.reading() as db:
            return {side: _counted(db, node.n, side) for side in _SIDES}

    def neighbors(self, node: Node, wanted: Filter) -> Links:
        """The links of one node, the surest first; what holds it and what it holds come before the rest."""
        with self._store.reading() as db:
            return _page(db, node, wanted)

    def members(self, node: Node) -> tuple[Node, ...]:
        """What it holds, in the order of the text; methods that stand elsewhere in its folder come after."""
        with self._store.reading() as db:
            held = db.nodes.held(node.n)
            if node.symbol and node.language in {"go", "rust", "cpp", "csharp", "ruby"}:
                folder = node.path.rpartition("/")[0]
                known = {each.n for each in held}
                held += [
                    each
                    for each in db.nodes.within(node.symbol)
                    if each.n not in known and each.path.rpartition("/")[0] == folder and each.language == node.language
                ]
        return tuple(held)

    def users(self, start: Node, kinds: Sequence[str], wanted: Filter, depth: int) -> list[tuple[int, Link]]:
        """Who leads to a node by these kinds of link, and who to them, and so on: `(steps, link)`, nearest first."""
        seen, front = {start.n}, [start]
        found: list[tuple[int, Link]] = []
        with self._store.reading() as db:
            for step in range(1, min(depth, _DEEPEST) + 1):
                following: list[Node] = []
                for node in front:
                    page = Filter(kinds, "in", wanted.least, _WIDEST)
                    for link in _page(db, node, page).links:
                        if link.node.n not in seen and len(found) < _WIDEST:
                            seen.add(link.node.n)
                            found.append((step, link))
                            following.append(link.node)
                front = following
        return found

    def overridden(self, method: Node) -> list[Link]:
        """The methods of the same name in the classes that inherit from a method's class, or implement it."""
        holder = self.parent(method)
        if holder is None or not holder.symbol:
            return []
        below = self.users(holder, ("inherits", "implements"), Filter(), _DEEPEST)
        found = []
        for _step, link in below:
            for each in self.members(link.node):
                if each.name == method.name:
                    how = f"{link.kind} {holder.name}"
                    found.append(Link(link.kind, False, each, link.confidence, how, each.path, each.start))  # noqa: FBT003
        return found

    def outside(self, name: str, limit: int, offset: int = 0) -> tuple[int, tuple[Use, ...]]:
        """Who refers to a name that is not the project's own: how many, and these."""
        before, _, last = name.replace("::", ".").removesuffix("()").rpartition(".")
        with self._store.reading() as db:
            total = db.references.count_outside(last, before)
            return total, tuple(db.references.outside(last, before, limit, offset))

    def path(self, start: Node, end: Node, wanted: Filter) -> tuple[Link, ...] | None:
        """The shortest way between two nodes, whichever way its links point; None when there is none."""
        with self._store.reading() as db:
            steps = self._roads.between(db, self._store.epoch, start.n, end.n, wanted)
            if steps is None:
                return None
            return tuple(_step(db, here, there, wanted) for here, there in pairwise(steps))

    def compared(self, old: Graph, least: float) -> list[Change]:
        """What leads from an older graph to this one, by links of at least this confidence."""
        return compare(self._store, old._store, least)

    def is_linked(self, node: Node) -> bool:
        """Whether files in its language are asked what they refer to; of others only the definitions are known."""
        from aurora.memory.graph.extract.imports import READERS  # noqa: PLC0415 - indexing needs it, and hardly a question does

        return node.language in READERS or node.language in PROSE

    def line(self, path: str, line: int) -> str:
        """The text of one line as it was indexed; empty when no chunk holds it."""
        with self._store.reading() as db:
            return line_at(db, path, line)


def _counted(db: Tables, n: int, side: Side) -> dict[str, int]:
    counts = db.links.counts(n, side)
    if held := db.nodes.count_held(n) if side == "out" else int(db.nodes.is_held(n)):
        counts["contains"] = held
    return counts


def _page(db: Tables, node: Node, wanted: Filter) -> Links:
    total, links, skip = 0, [], wanted.offset
    if not wanted.kinds or "contains" in wanted.kinds:
        held = _contained(db, node, wanted.direction)
        total = len(held)
        links = held[skip : skip + wanted.limit]
        skip = max(0, skip - total)
    for side in _SIDES:
        if wanted.direction not in {side, "both"}:
            continue
        count = db.links.count(node.n, side, wanted.kinds, wanted.least)
        total += count
        room = wanted.limit - len(links)
        if room > 0 and skip < count:
            links += db.links.page(node.n, side, wanted.kinds, wanted.least, room, skip)
        skip = max(0, skip - count)
    return Links(total, tuple(links))


def _contained(db: Tables, node: Node, direction: str) -> list[Link]:
    held: list[Link] = []
    if direction != "out" and (above := db.nodes.holder(node.n)):
        held.append(Link("contains", False, above, 1.0, "nesting", node.path, node.start))  # noqa: FBT003
    if direction != "in":
        below = db.nodes.held(node.n)
        held += [Link("contains", True, each, 1.0, "nesting", each.path, each.start) for each in below]  # noqa: FBT003
    return held


def _step(db: Tables, here: int, there: int, wanted: Filter) -> Link:
    """The surest link between two nodes that are next to each other."""
    best: Link | None = None
    other = db.nodes.numbered(there)
    for source, target, outward in ((here, there, True), (there, here, False)):
        found = db.links.surest(source, target, wanted.kinds, wanted.least)
        if found is not None and (best is None or found.confidence > best.confidence):
            best = Link(found.kind, outward, other, found.confidence, found.how, found.path, found.line)
    if best is not None:
        return best
    inner = db.nodes.inner(here, there)
    return Link("contains", inner.n == there, other, 1.0, "nesting", inner.path, inner.start)
