"""Finds a file's part in the graph while its tree is there: a pure function of the file."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from aurora.memory.model.symbols import CALL, IMPL, IMPLEMENTS, IMPORT, INHERITS, MENTIONS, Def, Facts, Refs

from .callee import CHARS, bound
from .captures import spots, text
from .enclosing import lines_at, owners
from .imports import read
from .mentions import spans
from .modules import absolute
from .names import Names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from aurora.memory.parsing.outline import Definition

    from .captures import Spot

_MOD = re.compile(r"\bmod\s+(\w+)\s*;")
_BIND_BYTES = 300  # the front of a declaration says which type; its value may be a whole program
_CALL_BYTES = 4 * CHARS + 4  # the end of what is called says what it is
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
    found = spots(language, source, root)
    made.add_members(found.members)
    made.learn(found.learnt)
    made.bind(found.bound)
    made.follow(found.called)
    made.mention()
    return Facts(language, tuple(made.defs), made.refs())


class _Gathering:
    """The definitions and references of one file, while they are gathered."""

    def __init__(
        self, language: str, source: bytes, definitions: Sequence[Definition], defs: list[Def], path: str
    ) -> None:
        self.defs = defs
        self._path = path
        self._found: dict[tuple[int, int, str, str], int] = {}
        """Each reference, and the byte where it is first made."""
        self._language = language
        self._source = source
        self._letters = source.decode("latin-1")
        self._owner = owners(definitions)

    def add_members(self, spots: Sequence[Spot]) -> None:
        """Members that are too small for a definition of their own in the outline."""
        lines = lines_at(self._source, [start for start, *_ in spots])
        for (start, _, end), line in zip(spots, lines, strict=True):
            holder, name = self._owner(start), text(self._letters[start:end])
            self.defs.append(Def(f"{self.defs[holder].symbol}.{name}", name, "method", line, line, holder))
        self._names = Names(self._language, self._path, self.defs)

    def learn(self, spots: Sequence[Spot]) -> None:
        """What names stand for: imports, and bases as they are known by then."""
        said = [(start, what, text(self._letters[start:end])) for start, what, end in spots]
        if self._language == "rust":
            self._declared = {each.name for each in self.defs if each.kind == "module" and each.symbol}
            self._declared |= {mod[1] for _, what, whole in said if what == "import" and (mod := _MOD.search(whole))}
        for start, what, whole in said:
            if what == "import":
                self._import(self._owner(start), start, whole)
            else:
                kind = IMPLEMENTS if what == "impl" else INHERITS
                owner = self._names.typed(self._owner(start))
                self._note(owner, kind, *self._names.based(owner, whole), start)

    def bind(self, spots: Sequence[Spot]) -> None:
        """Which types variables have."""
        for start, _, end in spots:
            if found := bound(self._language, text(self._letters[start : min(end, start + _BIND_BYTES)])):
                self._names.bind(self._owner(start), *found)

    def follow(self, spots: Sequence[Spot]) -> None:
        """What is called, by the names as they were learnt."""
        seen: set[tuple[int, str, str]] = set()
        owner_of, letters, called = self._owner, self._letters, self._names.called
        for start, what, end in spots:
            owner, piece = owner_of(start), letters[start if end - start < _CALL_BYTES else end - _CALL_BYTES : end]
            if (key := (owner, what, piece)) not in seen:
                seen.add(key)
                name, via = called(owner, text(piece), made=what == "new")
                self._note(owner, CALL, name, via, start)

    def mention(self) -> None:
        """What comments speak of."""
        for at, whole in spans(self._source):
            before, _, name = whole.rpartition(".")
            self._note(self._owner(at), MENTIONS, name, f"on:{before}", at)

    def refs(self) -> Refs:
        """All that was found."""
        return Refs.of(self._found, lines_at(self._source, self._found.values()))

    def _import(self, owner: int, start: int, text: str) -> None:
        """An import as references: to the module, and to what was taken out of it."""
        for written in read(self._language, text):
            module = absolute(self._language, self._path, self._named(owner, written.module))
            self._names.bring(written if module == written.module else written._replace(module=module))
            self._note(owner, IMPORT, _stem(module), f"in:{module}", start)
            if written.name not in {"", "*", "default"}:
                self._note(owner, IMPORT, written.name, f"in:{module}", start)

    def _named(self, owner: int, module: str) -> str:
        """A module of Rust's as the file itself names it: `use task::Id` counts from here where `mod task;` stands."""
        if self._language != "rust":
            return module
        inside = module.partition("::")[0] in self._declared
        return f"self::{module}" if inside else self._names.seen_from(owner, module)

    def _note(self, source: int, kind: int, name: str, via: str, start: int) -> None:
        if name:
            self._found.setdefault((source, kind, name, via), start)


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


@lru_cache(maxsize=1 << 12)
def _stem(module: str) -> str:
    """The name of the file that a module is."""
    last = module.replace("::", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module:
        last = last.strip(".").rpartition(".")[2] if not last.endswith((".h", ".hpp", ".hh", ".js", ".ts")) else last
    return last.partition(".")[0].strip("<>") or "."
