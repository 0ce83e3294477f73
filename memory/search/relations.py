"""Relations of a definition: every place that calls, implements, tests or names it, sure and possible.

The graph keeps one reference of a function to a name, and drops guesses that are too weak. So each line with the name
is read: it is sure where the graph resolves the reference of its function to the definition, left out where it resolves
it to another one, and possible else. A reference to a member of a known class is linked when a file is indexed only if
that class defines it; through which classes a method is inherited is known here, where all files are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.files import detect_language, is_test_file
from aurora.memory.graph.resolve import PASSED_ON
from aurora.memory.model.graph import Link, LinkFilter, Node
from aurora.memory.parsing.languages import CONTAINERS

from .exact import ExactScope, MatchedFile, MatchedLine, find_exact, find_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from aurora.memory.graph.graph import Graph
    from aurora.memory.model.graph import NamedReference
    from aurora.memory.storage.store import Store

    from .options import Relation

_MAX_LINES = 30_000
"""Lines with the name that are read; of more, those beyond are only counted."""
_MAX_LINKS = 5_000
_DEPTH = 10
_TEST_DEPTH = 3
"""Calls between a test and what it reaches through helpers."""
_RECEIVER = re.compile(r"[\w$.?!:]*\Z")
_CALLED = re.compile(r"\s*(?:<[\w\s,.\[\]]{0,80}>)?\s*(?:::\s*<[^()]{0,80}>)?[(`]")
_CALLING = frozenset({"calls"})
_ANY_USE = frozenset({"calls", "imports", "inherits", "implements", "mentions"})


class RelatedPlaces(NamedTuple):
    """Places related to a definition, by file; lines of a file by number.

    Attributes:
        sure: proven by scope, type or import.
        possible: guessed by the name.
        is_complete: all lines with the name were read.
    """

    node: Node
    sure: Sequence[MatchedFile]
    possible: Sequence[MatchedFile]
    is_complete: bool = True


def find_related(root: Path, store: Store, graph: Graph, node: Node, relation: Relation) -> RelatedPlaces:
    """Find all places in a relation to a definition.

    Args:
        root: the project's folder, resolved.
        store: its index.
        graph: the code graph of the index.
        node: the definition, a file or a section.
        relation: what the places are to the definition.
    """
    if relation == "callees":
        return _split_links(node, _list_callees(graph, node), graph, is_outward=True)
    if relation in {"implementers", "overrides"}:
        links = graph.find_overrides(node)
        if relation == "implementers" and not links:
            found = graph.find_users(node, ("inherits", "implements"), LinkFilter(), _DEPTH)
            links = [link for _step, link in found]
        return _split_links(node, links, graph)
    kinds = _ANY_USE if relation == "references" else _CALLING
    places = _find_uses(root, store, graph, node, kinds)
    if relation != "tests":
        return places
    through = [link for step, link in _find_callers(graph, node) if step > 1 and is_test_file(link.path)]
    possible = [*_keep_tests(places.possible), *_split_links(node, through, graph).sure]
    return places._replace(sure=_keep_tests(places.sure), possible=_merge_files(possible))


def _find_callers(graph: Graph, node: Node) -> list[tuple[int, Link]]:
    return graph.find_users(node, tuple(_CALLING), LinkFilter(least=PASSED_ON), _TEST_DEPTH)


def _keep_tests(files: Iterable[MatchedFile]) -> list[MatchedFile]:
    return [file for file in files if file.role == "test"]


def _list_callees(graph: Graph, node: Node) -> list[Link]:
    """List the calls out of a definition and out of those inside it."""
    waiting, links = [node], list[Link]()
    while waiting and len(links) < _MAX_LINKS:
        here = waiting.pop()
        links += graph.list_neighbors(here, LinkFilter(("calls",), "out", limit=_MAX_LINKS)).links
        waiting += graph.list_members(here) if here.symbol else ()
    return [link for link in links if not link.node.id.startswith(f"{node.id}.")]


def _split_links(node: Node, links: Sequence[Link], graph: Graph, *, is_outward: bool = False) -> RelatedPlaces:
    """Split links by confidence; of outward ones the heading names what is called, and where."""
    found: dict[bool, list[MatchedFile]] = {True: [], False: []}
    for link in sorted(links, key=lambda one: (one.path, one.line)):
        symbol = link.node.symbol
        if is_outward:
            symbol = f"→ {link.node.path}:{link.node.lines} {symbol}".rstrip()
        line = MatchedLine(link.line, -1, graph.read_line(link.path, link.line), symbol)
        found[link.confidence >= PASSED_ON].append(MatchedFile(link.path, detect_language(link.path), 1, [line]))
    return RelatedPlaces(node, _merge_files(found[True]), _merge_files(found[False]))


def _merge_files(files: Iterable[MatchedFile]) -> list[MatchedFile]:
    """Merge the entries of each file; code comes before tests and documents."""
    ordered = sorted(files, key=lambda one: (one.rank, one.path))
    merged = []
    for (_rank, path), some in groupby(ordered, key=lambda one: (one.rank, one.path)):
        every = list(some)
        lines = sorted({(line.line, line.symbol): line for one in every for line in one.lines}.values())
        merged.append(MatchedFile(path, every[0].language, len(lines), lines))
    return merged


class _Uses:
    """Resolved references to a name, by line, and by function and receiver."""

    def __init__(self, node: Node, references: Sequence[NamedReference], graph: Graph) -> None:
        family, heirs = _find_family(graph, node), _Heirs(graph, node)
        self._by_line: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        self._by_receiver: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        self.sure: dict[tuple[str, int], NamedReference] = {}
        for one in references:
            verdict = "sure" if heirs.inherit(one) else _judge(one, node, family)
            self._by_line[one.path, one.line].add(verdict)
            receiver = _find_receivers(graph.read_line(one.path, one.line), node.name)[:1]
            self._by_receiver[one.path, one.symbol, receiver[0] if receiver else ""].add(verdict)
            if verdict == "sure":
                self.sure[one.path, one.line] = one

    def has_line(self, path: str, line: int) -> bool:
        """Return whether the graph has a reference at a line."""
        return (path, line) in self._by_line

    def judge_line(self, path: str, line: MatchedLine, name: str) -> str:
        """Judge a line with the name: `sure`, `possible`, `other` or, without a reference, an empty text."""
        verdicts = set(self._by_line.get((path, line.line), ()))
        if not verdicts:
            for receiver in _find_receivers(line.text, name):
                verdicts |= self._by_receiver.get((path, line.symbol, receiver), set())
        return next((one for one in ("sure", "possible", "other") if one in verdicts), "")


def _judge(reference: NamedReference, node: Node, family: frozenset[int]) -> str:
    """Judge whether a reference is to a definition; one to a method of its family may be, at run time."""
    targets = dict(reference.targets)
    if targets.get(node.n, 0) >= PASSED_ON:
        return "sure"
    if node.n in targets or not family.isdisjoint(targets):
        return "possible"
    return "other" if any(confidence >= PASSED_ON for confidence in targets.values()) else "possible"


def _find_receivers(text: str, name: str) -> list[str]:
    """Find what stands before the name at each of its places in a line: `self.queue.`."""
    return [_read_receiver(text[: found.start()]) for found in re.finditer(rf"\b{re.escape(name)}\b", text[:2000])]


def _read_receiver(before: str) -> str:
    found = _RECEIVER.search(before[-80:])
    return found[0] if found else ""


def _find_uses(root: Path, store: Store, graph: Graph, node: Node, kinds: frozenset[str]) -> RelatedPlaces:
    """Find the lines that use a definition: those with its name, and those where an alias stands for it."""
    with store.begin_read() as db:
        references = [one for one in db.references.list_by_name(node.name) if one.kind in kinds]
    uses = _Uses(node, references, graph)
    found: dict[str, list[MatchedFile]] = {"sure": [], "possible": [], "other": [], "": []}
    is_complete = True
    if node.symbol and node.kind != "section":
        scope = ExactScope(("code", "know") if kinds == _ANY_USE else ("code",), limit=_MAX_LINES)
        named = find_exact(root, store, find_word(node.name), scope)
        is_complete = named.is_complete and named.total <= _MAX_LINES
        for file in named.files:
            for line in file.lines:
                verdict = _judge_place(file, line, node, uses, kinds)
                found[verdict].append(MatchedFile(file.path, file.language, 1, [line]))
    known = {(file.path, line.line) for file in found["sure"] for line in file.lines}
    for path, number in sorted(uses.sure.keys() - known):
        line = MatchedLine(number, -1, graph.read_line(path, number), uses.sure[path, number].symbol)
        found["sure"].append(MatchedFile(path, detect_language(path), 1, [line]))
    return RelatedPlaces(node, _merge_files(found["sure"]), _merge_files(found["possible"]), is_complete)


def _judge_place(file: MatchedFile, line: MatchedLine, node: Node, uses: _Uses, kinds: frozenset[str]) -> str:
    """Judge a line with the name; empty for one that does not use it in this way."""
    if file.path == node.path and node.start <= line.line <= node.end and _is_definition(line.text, node.name):
        return ""
    verdict = "" if line.inside else uses.judge_line(file.path, line, node.name)
    if kinds == _ANY_USE:
        return verdict or "possible"
    if line.inside or _is_definition(line.text, node.name):
        return ""
    found = re.search(rf"(@?)\b{re.escape(node.name)}\b", line.text)
    is_call = found is not None and (found[1] == "@" or _CALLED.match(line.text, found.end()) is not None)
    return (verdict or "possible") if is_call or uses.has_line(file.path, line.line) else ""


def _is_definition(text: str, name: str) -> bool:
    """Return whether a line defines the name, as far as its keyword shows."""
    words = r"(?:def|class|func|function|fn|fun|interface|trait|struct|enum|module|sub)"
    return re.search(rf"\b{words}\b[^=;]{{0,80}}\b{re.escape(name)}\b", text[:400]) is not None


def _find_family(graph: Graph, node: Node) -> frozenset[int]:
    """Find the methods that override a method, and those that it overrides."""
    if node.kind != "method" or (holder := graph.find_parent(node)) is None:
        return frozenset()
    family = {link.node.n for link in graph.find_overrides(node)}
    waiting, seen = [holder], {holder.n}
    while waiting and len(seen) < _MAX_LINKS:
        bases = graph.list_neighbors(waiting.pop(), LinkFilter(("inherits", "implements"), "out")).links
        for base in (link.node for link in bases if link.node.n not in seen):
            seen.add(base.n)
            waiting.append(base)
            family |= {each.n for each in graph.list_members(base) if each.name == node.name}
    return frozenset(family)


class _Heirs:
    """Classes that inherit a method and do not define it themselves."""

    def __init__(self, graph: Graph, method: Node) -> None:
        self._graph = graph
        self._found: dict[str, list[Node]] = {}
        self._numbers: set[int] = set()
        self._unique: dict[str, bool] = {}
        holder = graph.find_parent(method) if method.kind == "method" else None
        waiting = [holder] if holder is not None else []
        while waiting and len(self._numbers) < _MAX_LINKS:
            wanted = LinkFilter(("inherits", "implements"), "in", PASSED_ON, _MAX_LINKS)
            for link in graph.list_neighbors(waiting.pop(), wanted).links:
                one = link.node
                defines = any(each.name == method.name for each in graph.list_members(one))
                if one.n not in self._numbers and not defines:
                    self._numbers.add(one.n)
                    self._found.setdefault(one.name, []).append(one)
                    waiting.append(one)

    def inherit(self, reference: NamedReference) -> bool:
        """Return whether a reference is to the method through one of these classes."""
        prefix, _, rest = reference.via.partition(":")
        is_resolved = any(confidence >= PASSED_ON for _, confidence in reference.targets)
        if prefix not in {"of", "self"} or is_resolved:
            return False
        if prefix == "of":
            return self._is_heir(rest, reference.path)
        own, _, bases = rest.partition("|")
        if own:
            return any(one.path == reference.path for one in self._found.get(_get_class_name(own), ()))
        return any(self._is_heir(base, reference.path) for base in bases.split(","))

    def _is_heir(self, written: str, path: str) -> bool:
        """Return whether a class, as a file names it, is one of these."""
        named = self._found.get(_get_class_name(written), [])
        return any(one.path == path for one in named) or (bool(named) and self._is_unique(named[0].name))

    def _is_unique(self, name: str) -> bool:
        """Return whether no other class has the name of an heir."""
        if name not in self._unique:
            some = [node for node in self._graph.find(name) if node.kind in CONTAINERS]
            self._unique[name] = all(node.n in self._numbers for node in some)
        return self._unique[name]


def _get_class_name(written: str) -> str:
    """Get the name out of `pkg.Name@module`."""
    return written.partition("@")[0].rpartition(".")[2]


class Reached(NamedTuple):
    """Path of calls from a definition to a target.

    Attributes:
        node: the definition.
        line: where it calls the target, or the next definition of the chain.
        next_n: the number of that definition; None where it calls the target itself.
    """

    node: Node
    line: int
    next_n: int | None


def find_reaching(store: Store, graph: Graph, name: str, depth: int) -> Mapping[int, Reached]:
    """Find the definitions that call a name, itself or through others, by number; nearest first.

    A name that the project does not define is found by its references.
    """
    targets = graph.find(name)
    numbers = {node.n for node in targets if node.kind != "section"}
    last = re.split(r"[.:#]", name.removesuffix("()"))[-1]
    with store.begin_read() as db:
        uses = [one for one in db.references.list_by_name(last) if one.kind in {"calls", "imports", "inherits"}]
    found: dict[int, Reached] = {}
    front: list[Node] = []
    for one in uses:
        is_sure = any(n in numbers and confidence >= PASSED_ON for n, confidence in one.targets)
        if (is_sure or (not numbers and not one.targets)) and one.kind == "calls" and one.source not in found:
            node = _get_node(store, one.source)
            found[node.n] = Reached(node, one.line, None)
            front.append(node)
    for _step in range(depth - 1):
        following: list[Node] = []
        for node in front:
            wanted = LinkFilter(("calls",), "in", PASSED_ON, _MAX_LINKS)
            for link in graph.list_neighbors(node, wanted).links:
                if link.node.n not in found and len(found) < _MAX_LINKS:
                    found[link.node.n] = Reached(link.node, link.line, node.n)
                    following.append(link.node)
        front = following
    return found


def _get_node(store: Store, n: int) -> Node:
    with store.begin_read() as db:
        return db.nodes.get_by_number(n)
