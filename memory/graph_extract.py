"""Finds a file's part in the graph while its tree is there: a pure function of the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .graph_callee import bound
from .graph_imports import READERS
from .graph_mentions import spans
from .graph_model import IMPL, IMPLEMENTS, IMPORT, INHERITS, MENTIONS, Binding, Def, Facts, Refs
from .graph_modules import absolute
from .graph_names import Names
from .graph_queries import QUERIES
from .lang_grammar import grammar
from .lang_registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node, Query

    from .chunk_outline import Definition

    Spot = tuple[int, str, str]
    """A match in the tree: the byte where it begins, what it was found as, and its text."""

_BREAK = re.compile(rb"\n")
_MOD = re.compile(r"\bmod\s+(\w+)\s*;")
_IMPORT_CHARS = 20_000
_TEXT_CHARS = 300  # the front of a declaration says which type; its value may be a whole program
_CROWD = 10_000  # children of one error; a query's time grows with the square of them, minutes for a file of brackets
_REQUIRES = (b"require ", b"require(", b"require_relative", b"load ")
_PACKAGES = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that others import by the name of their folder."""


def references(path: str, language: str, source: bytes, root: Node, definitions: Sequence[Definition]) -> Facts:
    """What the file defines, and what it refers to by name.

    Args:
        path: project-relative, with forward slashes.
        language: one that has rules.
        source: the text that was parsed.
        root: the root of its tree.
        definitions: its outline, in the order of the text.
    """
    made = _Gathering(language, source, definitions, nodes_of(path, source.count(b"\n") + 1, definitions), path)
    spots = sorted(_spots(language, source, root))  # the parser gives them in no order that lasts
    made.add_members(spots)
    made.learn(spots)
    made.follow(spots)
    return Facts(language, tuple(made.defs), Refs.of(made.refs))


class _Gathering:
    """The definitions and references of one file, while they are gathered."""

    def __init__(
        self, language: str, source: bytes, definitions: Sequence[Definition], defs: list[Def], path: str
    ) -> None:
        self.defs = defs
        self._path = path
        self.refs: dict[tuple[int, int, str, str], int] = {}
        self._language = language
        self._source = source
        self._owners = _Owners(definitions)
        self._breaks = _breaks(source)

    def add_members(self, spots: Sequence[Spot]) -> None:
        """Members that are too small for a definition of their own in the outline."""
        for start, what, text in spots:
            if what == "member":
                holder, line = self._owners.of(start), self._line(start)
                self.defs.append(Def(f"{self.defs[holder].symbol}.{text}", text, "method", line, line, holder))
        self._names = Names(self._language, self._path, self.defs)

    def learn(self, spots: Sequence[Spot]) -> None:
        """What names stand for: imports, types of variables, bases."""
        self._declared = {each.name for each in self.defs if each.kind == "module" and each.symbol}
        self._declared |= {mod[1] for _, what, text in spots if what == "import" and (mod := _MOD.search(text))}
        for start, what, text in spots:
            if what == "import":
                self._import(self._owners.of(start), start, text)
            elif what == "bind" and (found := bound(self._language, text)):
                self._names.bind(self._owners.of(start), *found)
            elif what in {"base", "impl"}:
                kind = IMPLEMENTS if what == "impl" else INHERITS
                owner = self._names.typed(self._owners.of(start))
                self._note(owner, kind, *self._names.based(owner, text), start)

    def follow(self, spots: Sequence[Spot]) -> None:
        """What is called and what is mentioned, by the names as they were learnt."""
        seen: set[tuple[int, str, str]] = set()
        for start, what, text in spots:
            if what in {"call", "new"}:
                owner = self._owners.of(start)
                if (key := (owner, what, text)) in seen:
                    continue
                seen.add(key)
                self._note(owner, *self._names.called(owner, text, made=what == "new"), start)
        for at, whole in spans(self._source):
            before, _, name = whole.rpartition(".")
            self._note(self._owners.of(at), MENTIONS, name, f"on:{before}", at)

    def _import(self, owner: int, start: int, text: str) -> None:
        for written in READERS[self._language](text):
            binding = written._replace(module=absolute(self._language, self._path, self._named(owner, written.module)))
            self._names.bring(binding)
            for name, via in _imported(binding):
                self._note(owner, IMPORT, name, via, start)

    def _named(self, owner: int, module: str) -> str:
        """A module of Rust's as the file itself names it: `use task::Id` counts from here where `mod task;` stands."""
        if self._language != "rust":
            return module
        inside = module.partition("::")[0] in self._declared
        return f"self::{module}" if inside else self._names.seen_from(owner, module)

    def _note(self, source: int, kind: int, name: str, via: str, start: int) -> None:
        key = (source, kind, name, via)
        if name and key not in self.refs:
            self.refs[key] = self._line(start)

    def _line(self, start: int) -> int:
        return bisect_right(self._breaks, start) + 1


def nodes_of(path: str, lines: int, definitions: Sequence[Definition]) -> list[Def]:
    """The file itself, then each definition, after what holds it; a method outside its class finds it by its symbol."""
    made = [module(path, lines)]
    places = {id(each): number for number, each in enumerate(definitions, 1)}
    symbols: dict[str, int] = {}
    for number, each in enumerate(definitions, 1):
        if each.kind not in {"impl", "function", "method"}:
            symbols.setdefault(each.symbol, number)
    for each in definitions:
        before, _, name = each.symbol.rpartition(".")
        parent = places[id(each.parent)] if each.parent is not None else symbols.get(before, 0)
        if each.parent is not None and each.parent.kind == "impl":
            parent = symbols.get(before, parent)
        symbol, name = (IMPL + each.symbol, "impl") if each.kind == "impl" else (each.symbol, name)
        made.append(Def(symbol, name, each.kind, each.head + 1, each.end + 1, parent))
    for number, each in enumerate(definitions, 1):
        for symbol in each.more:
            name = symbol.rpartition(".")[2]
            made.append(Def(symbol, name, each.kind, each.head + 1, each.end + 1, made[number].parent))
    return made


def module(path: str, lines: int) -> Def:
    """The file as a definition, called as others import it: `a/b.py` is `b`, `a/__init__.py` is `a`."""
    place = PurePosixPath(path)
    stem = place.name.partition(".")[0] or place.name
    name = place.parent.name if stem in _PACKAGES and place.parent.name else stem
    return Def("", name, "module", 1, max(lines, 1), -1)


def _imported(binding: Binding) -> Iterator[tuple[str, str]]:
    """An import as references: to the module, and to what was taken out of it."""
    last = binding.module.replace("::", "/").rstrip("/").rpartition("/")[2]
    if "/" not in binding.module:
        last = last.strip(".").rpartition(".")[2] if not last.endswith((".h", ".hpp", ".hh", ".js", ".ts")) else last
    stem = last.partition(".")[0].strip("<>") or "."
    yield stem, f"in:{binding.module}"
    if binding.name not in {"", "*", "default"}:
        yield binding.name, f"in:{binding.module}"


class _Owners:
    """Which definition stands around a byte."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        places = {id(each): number for number, each in enumerate(definitions)}
        self._starts = [each.node.start_byte for each in definitions]
        self._ends = [each.node.end_byte for each in definitions]
        self._parents = [places[id(each.parent)] if each.parent is not None else -1 for each in definitions]

    def of(self, at: int) -> int:
        """Its position in the file's list; 0 for the file itself."""
        number = bisect_right(self._starts, at) - 1
        while number >= 0 and self._ends[number] <= at:
            number = self._parents[number] if self._parents[number] >= 0 else self._before(number)
        return number + 1

    def _before(self, number: int) -> int:
        """A definition inside a function has no parent when the function holds no members: look further up."""
        start = self._starts[number]
        number -= 1
        while number >= 0 and self._ends[number] <= start:
            number -= 1
        return number


def _breaks(source: bytes) -> list[int]:
    """Where each line ends."""
    return [match.start() for match in _BREAK.finditer(source)]


@cache
def _query(language: str) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - only indexing needs it

    rules = RULES[language]
    return Query(grammar(rules.module, rules.function), QUERIES[language])


def _spots(language: str, source: bytes, root: Node) -> Iterator[Spot]:
    from tree_sitter import QueryCursor  # noqa: PLC0415 - as above

    if _crowded(root):
        return
    ends = {"java": ("name",), "ruby": ("method",)}.get(language)
    for what, nodes in QueryCursor(_query(language)).captures(root).items():
        for node in nodes:
            start, end = node.start_byte, node.end_byte
            if language == "ruby" and what == "call" and source.startswith(_REQUIRES, start):
                yield start, "import", source[start : min(end, start + _TEXT_CHARS)].decode("utf-8", "replace")
                continue
            if what == "call" and ends is not None and (name := node.child_by_field_name(ends[0])) is not None:
                end = name.end_byte
            if what == "bind":
                end = min(end, start + _TEXT_CHARS)
            elif what == "import" and end - start > _IMPORT_CHARS:
                continue
            yield start, what, source[start:end].decode("utf-8", "replace")


def _crowded(root: Node) -> bool:
    """Whether the parser understood so little that one error holds thousands of tokens: nothing is to be found there.

    The cursor takes no limit of its time: its callback for that ends the process (tree-sitter 0.26.1).
    """
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if node.type == "ERROR" and node.child_count > _CROWD:
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False
