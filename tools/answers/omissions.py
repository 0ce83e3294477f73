"""Places that an answer does not mention and that probably matter.

An answer that only explains gets no hints, unless it lists the callers or the members of something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory import LinkFilter
from aurora.memory.files import PROSE_LANGUAGES, FileRoles, detect_language, is_test_file

from .uses import find_like, find_node, list_uses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory import Node

    from .claims import Claims, Sentence
    from .findings import Check, Cited
    from .sources import Definition, Sources
    from .uses import Use

MAX_OMISSIONS = 10
_MAX_TARGETS = 6
"""Definitions that an answer changes whose surroundings are looked at; one costs some 20 ms."""
_MAX_OF_KIND = 6
"""Places with one reason: more of them are an idiom, or too many to be forgotten."""
_MIN_NAME = 6
"""Letters of a name whose mention stands for its place."""
_MAX_TEXT = 120
_MAX_SHAPE_LINES = 3
"""Lines of a citation that may be the deciding ones."""


class Omission(NamedTuple):
    """Place that the answer does not mention; `weight` (0..1) says how much it probably matters."""

    place: str
    symbol: str
    why: str
    weight: float
    text: str = ""


_CHANGES = re.compile(
    r"\b(?:fix(?:es|ed|ing)?|chang(?:e|ing)|renam(?:e|ing)|replac(?:e|ing)|remov(?:e|ing)|delet(?:e|ing)|add|adding|patch"
    r"|should|must|rewrite|refactor\w*|instead|guard|extend|wrap|drop|solution|propos\w+|suggest\w*)\b",
    re.IGNORECASE,
)
"""Words of a sentence that changes what it names; "adds" and "removes" only describe."""
_BLAMES = re.compile(
    r"\b(?:root cause|cause[sd]?|bug|fault|wrong(?:ly)?|broken|silently|forgets?|leaks?|regress\w+|incorrect\w*"
    r"|overwrites?|swallow\w*|culprit|defect|mistake)\b",
    re.IGNORECASE,
)
_CALLERS = re.compile(
    r"\b(?:call(?:ers?|sites?|ing)|called|call sites?|used (?:by|in|from)|use[sd]?|references?|invoked)\b",
    re.IGNORECASE,
)
_LISTS = re.compile(
    r"\b(?:all|only|callers|call sites|places|both|two|three|four|five|six|everywhere|nowhere else|no other|these)\b",
    re.IGNORECASE,
)
"""Words of a sentence that lists all of something."""
_ASKS_FOR_ALL = re.compile(
    r"\b(?:all|every|each|which|what|who|where|list|how many|callers|everywhere)\b", re.IGNORECASE
)
"""Words of a question that asks for all of something."""
_INTERFACE = re.compile(
    r"\b(?:parameters?|arguments?|signature|returns?|rename\w*|remove\w*|raises?|throws?|async|await|default|keyword|type|optional"
    r"|required|deprecat\w+)\b",
    re.IGNORECASE,
)


@dataclass
class _Answer:
    """Checked answer, and what it changes.

    Attributes:
        changed: definitions that the answer changes or blames, with whether their interface changes.
        asked: the question.
    """

    check: Check
    claims: Claims
    asked: str
    changed: dict[tuple[str, str], tuple[Definition, bool]] = field(default_factory=dict)

    @property
    def sources(self) -> Sources:
        """The project."""
        return self.check.sources

    def mentions(self, path: str, first: int, last: int, name: str = "") -> bool:
        """Return whether the answer cites these lines, their file as a whole, or names the definition there."""
        cited = (one.citation for one in self.check.cited if one.file.path == path)
        if any(not one.first or (one.first <= last and first <= one.last) for one in cited):
            return True
        if len(name) < _MIN_NAME or name not in self.claims.words:
            return False
        named = (one for some in self.check.named.values() for one in some)
        return "_" in name or any(one.path == path and one.name == name for one in named)


def find_omissions(check: Check, claims: Claims, question: str) -> list[Omission]:
    """Find up to ten places that the answer does not mention, those that matter most first.

    Args:
        check: the checked claims.
        claims: those of the answer.
        question: the person's question; may be empty.
    """
    if not check.sources.has_index or check.sources.is_late():
        return []
    answer = _Answer(check, claims, question)
    _collect_changed(answer)
    found = [*_find_uncited_callers(answer), *_find_siblings(answer)]
    for target, is_interface in list(answer.changed.values())[:_MAX_TARGETS]:
        if check.sources.is_late():
            break
        node = find_node(answer.sources, target)
        if node is not None:
            found += _find_around(answer, target, node, is_interface=is_interface)
    found += _find_same_shape(answer)
    kept: dict[tuple[str, str], Omission] = {}
    for one in sorted(found, key=lambda one: -one.weight):
        kept.setdefault((one.place.rpartition(":")[0], one.symbol or one.place), one)
    return list(kept.values())[:MAX_OMISSIONS]


def _collect_changed(answer: _Answer) -> None:
    """Collect the functions that the answer says to change, or in which it sees the cause."""
    for one in answer.check.cited:
        if one.definition is not None and _is_changed(one.sentence):
            _add_changed(answer, one.definition, one.sentence)
    for sentence in answer.claims.sentences:
        if _CHANGES.search(sentence.prose) and not sentence.citations:
            for name in sentence.names:
                found = answer.check.named.get(name.text, ())
                if len(found) == 1 and name.is_marked:
                    _add_changed(answer, found[0], sentence)


def _is_changed(sentence: Sentence) -> bool:
    return bool(_CHANGES.search(sentence.prose) or _BLAMES.search(sentence.prose))


def _add_changed(answer: _Answer, one: Definition, sentence: Sentence) -> None:
    if one.kind in {"function", "method"} and not is_test_file(one.path):
        key = (one.path, one.symbol)
        is_interface = bool(_CHANGES.search(sentence.prose) and _INTERFACE.search(sentence.prose))
        before = answer.changed.get(key, (one, False))
        answer.changed[key] = (one, before[1] or is_interface)


def _find_uncited_callers(answer: _Answer) -> Iterator[Omission]:
    """Find the callers of a function of which the answer lists some."""
    is_list = bool(_ASKS_FOR_ALL.search(answer.asked) and _CALLERS.search(answer.asked))
    seen: set[int] = set()
    for sentence in answer.claims.sentences:
        if not _CALLERS.search(sentence.prose):
            continue
        for name in sentence.names[:4]:
            for one in answer.check.named.get(name.text, ())[:2]:
                node = find_node(answer.sources, one)
                if node is None or node.n in seen or answer.sources.is_late():
                    continue
                seen.add(node.n)
                yield from _list_uncited(answer, node, is_list=is_list or bool(_LISTS.search(sentence.prose)))


def _list_uncited(answer: _Answer, node: Node, *, is_list: bool) -> Iterator[Omission]:
    uses = [use for use in list_uses(answer.sources, node) if not is_test_file(use.path)]
    cited = {place for use in uses if (place := _find_citation(answer, use))}
    left = [use for use in uses if not _find_citation(answer, use)]
    is_list = is_list or len(cited) > 1
    if not cited or len(left) > (_MAX_OF_KIND if is_list else 2):
        return
    for use in left:
        yield Omission(f"{use.path}:{use.line}", use.symbol, f"`{node.symbol}` is used here too", 1.0)


def _find_citation(answer: _Answer, use: Use) -> str:
    """Return the place of the answer, or the definition, that stands for a use; empty for none."""
    for one in answer.check.cited:
        citation = one.citation
        if one.file.path == use.path and citation.first and citation.first - 2 <= use.line <= citation.last + 2:
            return f"{one.file.path}:{citation.first}"
    return use.symbol if use.symbol and answer.mentions(use.path, use.line, use.line, use.name) else ""


def _find_around(answer: _Answer, target: Definition, node: Node, *, is_interface: bool) -> Iterator[Omission]:
    """Find what belongs to a changed function: overrides, counterpart, users, tests, documents."""
    for one, why in _list_overrides(answer, node):
        yield _to_omission(one, why, 0.8)
    yield from _find_counterparts(answer, target, node)
    uses = list_uses(answer.sources, node)
    if is_interface:
        yield from _find_users(answer, node, uses)
        yield from _find_documents(answer, node)
    tests = [use for use in uses if is_test_file(use.path)]
    if tests and not any(is_test_file(one.file.path) for one in answer.check.cited):
        more = f", and {len(tests) - 1} lines more" if len(tests) > 1 else ""
        yield Omission(f"{tests[0].path}:{tests[0].line}", tests[0].symbol, f"tests `{node.symbol}`{more}", 0.6)


def _find_users(answer: _Answer, node: Node, uses: Sequence[Use]) -> Iterator[Omission]:
    """Find the uses of a function whose interface changes; of many the first, with their number."""
    calls = [use for use in uses if not is_test_file(use.path)]
    left = [use for use in calls if not answer.mentions(use.path, use.line, use.line, use.name)]
    is_many = len(left) > _MAX_OF_KIND
    for use in left[:1] if is_many else left:
        why = f"uses `{node.symbol}`, which the answer changes"
        yield Omission(
            f"{use.path}:{use.line}", use.symbol, f"one of {len(left)} lines that {why}" if is_many else why, 0.75
        )


def _list_overrides(answer: _Answer, node: Node) -> list[tuple[Node, str]]:
    """List the methods that override a method, the one it overrides, and that one's others."""
    graph = answer.sources.memory.graph
    holder = graph.find_parent(node)
    if node.kind != "method" or node.name in _SPECIAL or holder is None:
        return []
    found = [(link.node, f"overrides `{node.symbol}`") for link in graph.find_overrides(node)]
    bases = graph.list_neighbors(holder, LinkFilter(_INHERITANCE, "out", 0.5, 10)).links
    members = (one for base in bases for one in graph.list_members(base.node) if one.name == node.name)
    for one in members:
        why = f"overrides `{one.symbol}` as `{node.symbol}` does"
        found += [(one, f"`{node.symbol}` overrides it"), *((link.node, why) for link in graph.find_overrides(one))]
    others = {one.id: (one, why) for one, why in found if one.n != node.n and not is_test_file(one.path)}
    left = [(one, why) for one, why in others.values() if not answer.mentions(one.path, one.start, one.end)]
    return left[:_MAX_OVERRIDES] if len(left) <= 2 * _MAX_OF_KIND else []


_SPECIAL = frozenset({"__init__", "constructor", "__repr__", "__str__", "toString"})
_MAX_OVERRIDES = 4
_OPPOSITES = (
    "add/remove add/cancel add/delete open/close start/stop acquire/release encode/decode get/set push/pop "
    "enable/disable subscribe/unsubscribe serialize/deserialize read/write load/dump load/save connect/disconnect "
    "attach/detach register/unregister lock/unlock begin/end enter/exit select/deselect before/after request/response "
    "grow/shrink "
    "increment/decrement incr/decr pack/unpack parse/format parse/serialize compress/decompress encrypt/decrypt "
    "mount/unmount show/hide insert/delete create/destroy create/delete min/max first/last next/previous up/down "
    "success/failure success/error accepted/rejected sign/verify import/export send/receive forward/backward "
    "include/exclude allow/deny pause/resume upload/download"
)
"""Words of the names of functions that belong together: what holds for one may hold for the other."""
_PARTNERS: dict[str, set[str]] = {}
for _pair in _OPPOSITES.split():
    _one, _other = _pair.split("/")
    _PARTNERS.setdefault(_one, set()).add(_other)
    _PARTNERS.setdefault(_other, set()).add(_one)
_WORDS = re.compile(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])")


def _find_counterparts(answer: _Answer, target: Definition, node: Node) -> Iterator[Omission]:
    """Find the opposite of a function in its class or file, and those of its name elsewhere."""
    names = _list_counterparts([word.lower() for word in _WORDS.findall(node.name)])
    scope = target.symbol.rpartition(".")[0]
    for one in answer.sources.read(target.path).definitions:
        is_near = one.symbol.rpartition(".")[0] == scope and one.kind in {"function", "method"}
        is_partner = is_near and _join(_WORDS.findall(one.name)) in names
        if is_partner and not answer.mentions(one.path, one.start, one.end, one.name):
            yield Omission(one.place, one.symbol, f"the counterpart of `{target.symbol}`", 0.9)
    if node.kind != "function" or len(_WORDS.findall(node.name)) == 1:
        return
    twins = [one for one in answer.sources.find_definitions([node.name]) if _is_twin(one, target, node)]
    for one in twins if len(twins) <= _MAX_TWINS else ():
        if not answer.mentions(one.path, one.start, one.end):
            yield Omission(one.place, one.symbol, f"another `{one.name}`, which may need the same", 0.7)


_MAX_TWINS = 4
"""Functions of one name in several files: more of them are a convention."""


def _list_counterparts(words: Sequence[str]) -> set[str]:
    """List the names of the opposites of a function, and of its asynchronous twin, in lower case."""
    names = {
        _join([*words[:at], partner, *words[at + 1 :]])
        for at, word in enumerate(words)
        for partner in _PARTNERS.get(word, ())
    }
    own = _join(words)
    names |= {f"a{own}", f"async{own}", f"{own}async", f"{own}sync"}
    names |= {own.removeprefix("async"), own.removesuffix("async"), own.removesuffix("sync")} - {own, ""}
    return names


def _is_twin(one: Definition, target: Definition, node: Node) -> bool:
    is_same = one.name == node.name and one.kind == "function" and "." not in one.symbol
    is_elsewhere = one.path != target.path and not is_test_file(one.path)
    return is_same and is_elsewhere and detect_language(one.path) == node.language


def _join(words: Iterable[str]) -> str:
    return "".join(words).lower()


def _find_documents(answer: _Answer, node: Node) -> Iterator[Omission]:
    page = answer.sources.memory.graph.list_neighbors(node, LinkFilter(("mentions",), "in", 0.6, 20))
    roles = FileRoles(())
    for link in page.links:
        is_page = link.node.language in PROSE_LANGUAGES and "changelog" not in roles.get_roles(link.path)
        if is_page and not answer.mentions(link.path, link.line, link.line):
            yield Omission(f"{link.path}:{link.line}", link.node.name, f"describes `{node.symbol}`", 0.4)
            return


def _find_siblings(answer: _Answer) -> Iterator[Omission]:
    """Find the other classes of a kind of which the answer names several, where the question asks for all."""
    if not _ASKS_FOR_ALL.search(answer.asked):
        return
    graph = answer.sources.memory.graph
    parents: dict[int, tuple[Node, set[int]]] = {}
    for node in _list_named_classes(answer):
        above = graph.list_neighbors(node, LinkFilter(_INHERITANCE, "out", 0.5, 5)).links
        for link in above:
            parents.setdefault(link.node.n, (link.node, set()))[1].add(node.n)
    for parent, known in parents.values():
        if len(known) > 1:  # one of a kind is no list
            below = (link.node for _, link in graph.find_users(parent, _INHERITANCE, LinkFilter(), 1))
            left = [each for each in below if each.name not in answer.claims.words and not is_test_file(each.path)]
            why = f"is a `{parent.name}` too"
            yield from (_to_omission(each, why, 0.95) for each in left if len(left) <= _MAX_OF_KIND)


def _list_named_classes(answer: _Answer) -> list[Node]:
    named = [some[0] for some in answer.check.named.values() if some[0].kind in _CLASS_KINDS][:_MAX_CLASSES]
    return [node for one in named if (node := find_node(answer.sources, one))]


def _to_omission(node: Node, why: str, weight: float) -> Omission:
    return Omission(f"{node.path}:{node.lines}", node.symbol, why, weight)


_CLASS_KINDS = frozenset({"class", "struct", "interface", "trait"})
_INHERITANCE = ("inherits", "implements")
_MAX_CLASSES = 40


def _find_same_shape(answer: _Answer) -> Iterator[Omission]:
    """Find lines of the same form as those in which the answer sees the cause, or that it changes."""
    lines = {(one.file.path, row): one.file for one in answer.check.cited for row in _list_deciding_rows(one)}
    for (path, row), file in list(lines.items())[:_MAX_TARGETS]:
        line = file.lines[row - 1]
        found = [] if answer.sources.is_late() else find_like(answer.sources, file.language, line)
        left = [place for place in found if place != (path, row) and not is_test_file(place[0])]
        left = [place for place in left if not answer.mentions(*place, place[1])]
        for other, at in left if len(left) <= _MAX_OF_KIND else ():
            around = answer.sources.read(other).list_around(at, at)
            symbol, text = (around[-1].symbol if around else ""), answer.sources.read(other).lines[at - 1].strip()
            yield Omission(f"{other}:{at}", symbol, f"has the form of {path}:{row}", 0.85, text[:_MAX_TEXT])


def _list_deciding_rows(one: Cited) -> Iterable[int]:
    first, last = one.citation.first, one.citation.last
    is_short = bool(first) and last - first < _MAX_SHAPE_LINES
    return range(first, last + 1) if is_short and _is_changed(one.sentence) and not is_test_file(one.file.path) else ()
