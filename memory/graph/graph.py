"""The code graph of a store: nodes, their links, and paths between them."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.memory.files import PROSE_LANGUAGES, is_test_file
from aurora.memory.model.graph import EDGE_KINDS, Link, LinkFilter, LinkPage
from aurora.memory.parsing.languages import LANGUAGES, load_language

from .diff import compare_graphs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model.graph import Node, Side, UnresolvedUse
    from aurora.memory.storage.store import Store, Tables

    from .adjacency import PathFinder
    from .diff import Change

_SIDES: tuple[Side, ...] = ("out", "in")

_MAX_DEPTH = 12

_MAX_LINKS = 5_000


class Graph:
    """The code graph of one store; every method is one read transaction.

    Args:
        store: the open database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _path_finder(self) -> PathFinder:
        """The path finder, which loads numpy."""
        from .adjacency import PathFinder  # noqa: PLC0415 - only a path needs numpy and the arrays of the whole graph

        return PathFinder()

    def find(self, name: str) -> tuple[Node, ...]:
        """Find the nodes that a name may refer to; see `find_nodes`."""
        with self._store.begin_read() as db:
            return tuple(find_nodes(db, name))

    def find_each(self, names: Sequence[str]) -> dict[str, Node]:
        """Find the first node of each name in one transaction; a name without a node is left out."""
        with self._store.begin_read() as db:
            found = {name: find_nodes(db, name) for name in dict.fromkeys(names)}
        return {name: nodes[0] for name, nodes in found.items() if nodes}

    def find_one(self, name: str) -> Node:
        """Find the one node that a name refers to.

        Raises:
            Fault: NOT_FOUND with near names, CONFLICT with the candidates.
        """
        with self._store.begin_read() as db:
            return find_one(db, name)

    def suggest(self, name: str) -> list[str]:
        """Suggest names of definitions with a similar spelling, the nearest first."""
        with self._store.begin_read() as db:
            return suggest_names(db, name)

    def find_parent(self, node: Node) -> Node | None:
        """Find the node that contains it; None for a file."""
        with self._store.begin_read() as db:
            return db.nodes.get_parent(node.n)

    def find_chunk(self, node: Node) -> str | None:
        """Find the id of the chunk where a node begins."""
        with self._store.begin_read() as db:
            return db.chunks.find_at_line(node.path, node.start)

    def find_in_chunk(self, id_: str) -> tuple[Node, ...]:
        """Find the definition that begins in a chunk, or that it is a part of."""
        with self._store.begin_read() as db:
            return tuple(find_in_chunk(db, id_))

    def count_links(self, node: Node) -> dict[str, dict[str, int]]:
        """Count the links of each kind out of a node and into it."""
        with self._store.begin_read() as db:
            return {side: _count_links(db, node.n, side) for side in _SIDES}

    def list_neighbors(self, node: Node, wanted: LinkFilter) -> LinkPage:
        """List the links of a node: its parent and children, then the others, the surest first."""
        with self._store.begin_read() as db:
            return _read_page(db, node, wanted)

    def list_members(self, node: Node) -> tuple[Node, ...]:
        """List its members in the order of the text, then its methods in other files of the folder."""
        with self._store.begin_read() as db:
            children = db.nodes.list_children(node.n)
            if node.symbol and _has_members_elsewhere(node.language):
                folder, known = node.path.rpartition("/")[0], {each.n for each in children}
                for each in db.nodes.list_descendants(node.symbol):
                    is_near = each.path.rpartition("/")[0] == folder and each.language == node.language
                    if is_near and each.n not in known:
                        children.append(each)
        return tuple(children)

    def find_users(self, start: Node, kinds: Sequence[str], wanted: LinkFilter, depth: int) -> list[tuple[int, Link]]:
        """Find the nodes that lead to a node by these kinds of link, transitively.

        Return `(steps, link)` for each, nearest first.
        """
        seen, front = {start.n}, [start]
        found: list[tuple[int, Link]] = []
        with self._store.begin_read() as db:
            for step in range(1, min(depth, _MAX_DEPTH) + 1):
                following: list[Node] = []
                for node in front:
                    page = LinkFilter(kinds, "in", wanted.least, _MAX_LINKS)
                    for link in _read_page(db, node, page).links:
                        # A cycle of calls would go round for ever.
                        if link.node.n not in seen and len(found) < _MAX_LINKS:
                            seen.add(link.node.n)
                            found.append((step, link))
                            following.append(link.node)
                front = following
        return found

    def find_overrides(self, method: Node) -> list[Link]:
        """Find the methods that override a method.

        They have the same name, in classes that inherit from the method's class or implement it.
        """
        holder = self.find_parent(method)
        if holder is None or not holder.symbol:
            return []
        below = self.find_users(holder, ("inherits", "implements"), LinkFilter(), _MAX_DEPTH)
        found = []
        for _step, link in below:
            for each in self.list_members(link.node):
                if each.name == method.name:
                    how = f"{link.kind} {holder.name}"
                    found.append(replace(link, node=each, outward=False, how=how, path=each.path, line=each.start))
        return found

    def find_outside_uses(self, name: str, limit: int, offset: int = 0) -> tuple[int, tuple[UnresolvedUse, ...]]:
        """Find references to a name that the project does not define: their number, and one page."""
        before, _, last = name.replace("::", ".").removesuffix("()").rpartition(".")
        with self._store.begin_read() as db:
            total = db.references.count_external(last, before)
            return total, tuple(db.references.list_external(last, before, limit, min(offset, total)))

    def find_path(self, start: Node, end: Node, wanted: LinkFilter) -> tuple[Link, ...] | None:
        """Find the shortest path between two nodes, in either direction of its links; None without a path.

        Without kinds, it goes through what contains a definition only where nothing else connects the two: each pair of
        methods of a class would be connected by the class, which says nothing.
        """
        kinds = wanted.kinds or tuple(kind for kind in EDGE_KINDS if kind != "contains")
        with self._store.begin_read() as db:
            for each in (replace(wanted, kinds=kinds), wanted):
                steps = self._path_finder.find_path(db, self._store.epoch, start.n, end.n, each)
                if steps is not None or wanted.kinds:
                    break
            if steps is None:
                return None
            return tuple(_find_step(db, here, there, wanted) for here, there in pairwise(steps))

    def compare_with(self, old: Graph, least: float) -> list[Change]:
        """Compare an older graph with this one, by links of at least this confidence."""
        return compare_graphs(self._store, old._store, least)

    def is_linked(self, node: Node) -> bool:
        """Return whether the references of its language are read; of others only the definitions are known."""
        return node.language in LANGUAGES or node.language in PROSE_LANGUAGES

    def read_line(self, path: str, line: int) -> str:
        """Read an indexed line; empty when no chunk contains it."""
        with self._store.begin_read() as db:
            return read_line(db, path, line)


def _has_members_elsewhere(language: str) -> bool:
    return language in LANGUAGES and load_language(language).graph.scope.classes_span_files


def _count_links(db: Tables, n: int, side: Side) -> dict[str, int]:
    counts = db.links.count_by_kind(n, side)
    if nested := db.nodes.count_children(n) if side == "out" else int(db.nodes.has_parent(n)):
        counts["contains"] = nested
    return counts


def _read_page(db: Tables, node: Node, wanted: LinkFilter) -> LinkPage:
    total, links, skip = 0, [], wanted.offset
    if not wanted.kinds or "contains" in wanted.kinds:
        nesting = _list_nesting(db, node, wanted.direction)
        total = len(nesting)
        links = nesting[skip : skip + wanted.limit]
        # The pages go on from the nesting to the links, so what was skipped there does not count here.
        skip = max(0, skip - total)
    for side in _SIDES:
        if wanted.direction not in {side, "both"}:
            continue
        count = db.links.count(node.n, side, wanted.kinds, wanted.least)
        total += count
        room = wanted.limit - len(links)
        if room > 0 and skip < count:
            links += db.links.list_page(node.n, side, replace(wanted, limit=room, offset=skip))
        skip = max(0, skip - count)
    return LinkPage(total, tuple(links))


def _list_nesting(db: Tables, node: Node, direction: str) -> list[Link]:
    links: list[Link] = []
    if direction != "out" and (parent := db.nodes.get_parent(node.n)):
        links.append(_make_nesting_link(parent, node.path, node.start, outward=False))
    if direction != "in":
        children = db.nodes.list_children(node.n)
        links += [_make_nesting_link(each, each.path, each.start, outward=True) for each in children]
    return links


def _make_nesting_link(node: Node, path: str, line: int, *, outward: bool) -> Link:
    return Link("contains", outward, node, 1.0, "nesting", path, line)


def _find_step(db: Tables, here: int, there: int, wanted: LinkFilter) -> Link:
    """Find the surest link between two adjacent nodes."""
    best: Link | None = None
    other = db.nodes.get_by_number(there)
    for source, target, outward in ((here, there, True), (there, here, False)):
        found = db.links.find_strongest(source, target, wanted.kinds, wanted.least)
        if found is not None and (best is None or found.confidence > best.confidence):
            best = Link(found.kind, outward, other, found.confidence, found.how, found.path, found.line)
    if best is not None:
        return best
    inner = db.nodes.get_inner(here, there)
    return _make_nesting_link(other, inner.path, inner.start, outward=inner.n == there)


_PLACE = re.compile(r"(.+):(\d{1,9})")

_IN_FILE = re.compile(r"(.+?):{1,2}([^:/\\]+(?:::[^:/\\]+)*)")

_CHUNK = re.compile(r"(?:code|know|reas):[0-9a-f]{12}")

_MAX_LISTED = 20

_MAX_NAME_CHARS = 120

_MAX_SUGGESTIONS = 3

_MIN_SIMILARITY = 0.78
"""The least similarity of a suggested name: "spwan" suggests "spawn", "nope" does not suggest "open"."""

_MAX_SCANNED = 200_000

_MAX_BASES = 200
"""Classes that are looked through for an inherited member."""

_BASES = LinkFilter(("inherits", "implements"), "out", limit=50)


def find_nodes(db: Tables, name: str) -> list[Node]:
    """Find the nodes that a name may refer to: the result of the first lookup that finds any.

    Args:
        db: inside a read transaction.
        name: an id, a chunk's id, `path:line`, `path:symbol`, a path, `Class.method`, or a plain name.
    """
    name = name.strip()
    if node := db.nodes.get_by_id(name):
        return [node]
    if _CHUNK.fullmatch(name):
        return find_in_chunk(db, name)
    if (match := _PLACE.fullmatch(name)) and (found := find_at_line(db, match[1], int(match[2]))):
        return found
    if (match := _IN_FILE.fullmatch(name)) and (found := _find_in_file(db, match[1], match[2])):
        return found
    dotted = name.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
    last = dotted.rpartition(".")[2]
    # The dots keep `Class.run` from matching `OtherClass.run`.
    named = [each for each in db.nodes.find_by_name(last) if f".{each.symbol}".endswith(f".{dotted}")]
    named = named or _find_inherited(db, dotted) or db.nodes.find_files(name)
    # Headings last: who names a function seldom means the section about it.
    return sorted(_deduplicate_symbols(named), key=_is_section)


def _is_section(node: Node) -> bool:
    return node.kind == "section"


def _find_inherited(db: Tables, dotted: str) -> list[Node]:
    """Find the member that a class inherits: `Child.run` of the nearest base class that defines `run`."""
    holder, _, member = dotted.rpartition(".")
    if not holder:
        return []
    named = db.nodes.find_by_name(holder.rpartition(".")[2])
    front = [each for each in named if f".{each.symbol}".endswith(f".{holder}") and not _is_section(each)]
    seen: set[int] = set()
    # Level by level, so that the nearest base that defines the member is found first.
    while front and len(seen) < _MAX_BASES:
        seen |= {each.n for each in front}
        front = _list_bases(db, front, seen)
        if found := [each for base in front for each in db.nodes.list_children(base.n) if each.name == member]:
            return found
    return []


def _list_bases(db: Tables, classes: Sequence[Node], seen: set[int]) -> list[Node]:
    """List the direct base classes that were not seen yet, each once."""
    links = [link for each in classes for link in db.links.list_page(each.n, "out", _BASES)]
    return list({link.node.n: link.node for link in links if link.node.n not in seen}.values())


def _find_in_file(db: Tables, path: str, symbol: str) -> list[Node]:
    """Find a symbol in the files with this end of a path: `handle.rs::spawn`, `src/handle.rs:spawn`."""
    dotted = symbol.replace("::", ".").replace("#", ".").removesuffix("()").strip(".")
    there = db.nodes.find_by_name_in(dotted.rpartition(".")[2], path)
    return _deduplicate_symbols([each for each in there if f".{each.symbol}".endswith(f".{dotted}")])


def find_at_line(db: Tables, path: str, line: int) -> list[Node]:
    """Find the innermost definition around a line."""
    node = db.nodes.find_innermost(path, line)
    return [node] if node else []


def find_in_chunk(db: Tables, id_: str) -> list[Node]:
    """Find the outermost definition that begins in a chunk; else the definition around it."""
    lines = db.chunks.get_line_range(id_)
    if lines is None:
        return []
    path, start, end = lines
    inside = [each for each in db.nodes.find_starting_between(path, start, end) if each.end <= end]
    # They come in the order of lines, so the first one contains the others.
    return inside[:1] or find_at_line(db, path, start)


def read_line(db: Tables, path: str, line: int) -> str:
    """Read an indexed line, stripped; empty when no chunk contains it."""
    text, start = db.chunks.get_text_at(path, line) or ("", line)
    return "".join(text.split("\n")[line - start : line - start + 1]).strip()


def find_one(db: Tables, name: str) -> Node:
    """Find the one node that a name refers to; definitions in tests and headings give way to others.

    Raises:
        Fault: NOT_FOUND, with similar names; CONFLICT for several nodes, with their ids, top-level ones first and tests
            last.
    """
    found = find_nodes(db, name)
    plain = [each for each in found if not is_test_file(each.path)]
    code = [each for each in plain if not _is_section(each)]
    # Who names a function seldom means its test or a heading, so these give way only where they make it ambiguous.
    for some in (found, plain, code):
        if len(some) == 1:
            return some[0]
    shown = name if len(name) <= _MAX_NAME_CHARS else f"{name[:_MAX_NAME_CHARS]}…"
    if found:
        raise _make_conflict(shown, found)
    near = suggest_names(db, name)
    raise Fault(
        Code.NOT_FOUND,
        f'the graph has no definition "{shown}"' + (f'; did you mean "{near[0]}"?' if near else ""),
        help='Give a name, "Class.method", "path:line", or the id of a node or chunk; `aur mem index` reads new files.',
        details={"name": shown, "near": near},
    )


def _make_conflict(shown: str, found: Sequence[Node]) -> Fault:
    ids = [each.id for each in sorted(found, key=lambda each: (is_test_file(each.path), "." in each.symbol))]
    listed = ", ".join(f'"{id_}"' for id_ in ids[:_MAX_SUGGESTIONS])
    return Fault(
        Code.CONFLICT,
        f'"{shown}" is ambiguous: {len(found)} definitions have this name',
        help=f"Give the id of one of them: {listed}{' …' if len(ids) > _MAX_SUGGESTIONS else ''}",
        details={"candidates": ids[:_MAX_LISTED], "total": len(found)},
    )


def suggest_names(db: Tables, name: str) -> list[str]:
    """Suggest names with a similar spelling."""
    last = name.replace("::", ".").removesuffix("()").rpartition(".")[2]
    # Only names of nearly the same length can be similar enough, so the others are not compared.
    folded = {near.casefold(): near for near in db.nodes.list_names(len(last) - 2, len(last) + 2, _MAX_SCANNED)}
    matches = difflib.get_close_matches(last.casefold(), folded, n=_MAX_SUGGESTIONS, cutoff=_MIN_SIMILARITY)
    return [folded[near] for near in matches]


def _deduplicate_symbols(found: Sequence[Node]) -> list[Node]:
    """Keep one node for each symbol of a file: the last, which is the one that counts."""
    return list({(each.path, each.symbol): each for each in found}.values())
