"""Finds a file's part in the graph while its tree is there: a pure function of the file."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from aurora.memory.model import (
    CALL,
    IMPL_PREFIX,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTIONS,
    GraphDefinition,
    GraphFacts,
    ReferenceColumns,
)

from .callee import MAX_CALLEE_CHARS, parse_binding
from .captures import decode_piece, find_captures
from .enclosing import find_line_numbers, index_owners
from .imports import read_imports
from .mentions import find_mentions
from .modules import resolve_relative
from .names import FileNames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from aurora.memory.parsing import Definition

    from .captures import Spot

_MOD = re.compile(r"\bmod\s+(\w+)\s*;")
_MAX_BIND_BYTES = 300  # the front of a declaration says which type; its value may be a whole program
_MAX_CALL_BYTES = 4 * MAX_CALLEE_CHARS + 4  # the end of what is called says what it is
_FOLDER_STEMS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that others import by the name of their folder."""


def extract_facts(path: str, language: str, source: bytes, root: Node, definitions: Sequence[Definition]) -> GraphFacts:
    """What the file defines, and what it refers to by name.

    Args:
        path: project-relative, with forward slashes.
        language: one that has rules.
        source: the text that was parsed.
        root: the root of its tree.
        definitions: its outline, in the order of the text.
    """
    made = _FactsBuilder(
        language, source, definitions, build_definitions(path, source.count(b"\n") + 1, definitions), path
    )
    found = find_captures(language, source, root)
    made.add_members(found.members)
    made.add_imports_and_bases(found.imports_and_bases)
    made.bind_variables(found.bindings)
    made.add_calls(found.calls)
    made.add_mentions()
    return GraphFacts(language, tuple(made.defs), made.build_refs())


class _FactsBuilder:
    """The definitions and references of one file, while they are gathered."""

    def __init__(
        self, language: str, source: bytes, definitions: Sequence[Definition], defs: list[GraphDefinition], path: str
    ) -> None:
        self.defs = defs
        self._path = path
        self._references: dict[tuple[int, int, str, str], int] = {}
        """Each reference, and the byte where it is first made."""
        self._language = language
        self._source = source
        self._latin1 = source.decode("latin-1")
        self._find_owner = index_owners(definitions)

    def add_members(self, spots: Sequence[Spot]) -> None:
        """Members that are too small for a definition of their own in the outline."""
        lines = find_line_numbers(self._source, [start for start, *_ in spots])
        for (start, _, end), line in zip(spots, lines, strict=True):
            holder, name = self._find_owner(start), decode_piece(self._latin1[start:end])
            self.defs.append(GraphDefinition(f"{self.defs[holder].symbol}.{name}", name, "method", line, line, holder))
        self._names = FileNames(self._language, self._path, self.defs)

    def add_imports_and_bases(self, spots: Sequence[Spot]) -> None:
        """What names stand for: imports, and bases as they are known by then."""
        said = [(start, what, decode_piece(self._latin1[start:end])) for start, what, end in spots]
        if self._language == "rust":
            self._declared_modules = {each.name for each in self.defs if each.kind == "module" and each.symbol}
            self._declared_modules |= {
                mod[1] for _, what, whole in said if what == "import" and (mod := _MOD.search(whole))
            }
        for start, what, whole in said:
            if what == "import":
                self._add_import(self._find_owner(start), start, whole)
            else:
                kind = IMPLEMENTS if what == "impl" else INHERITS
                owner = self._names.find_impl_type(self._find_owner(start))
                self._add_reference(owner, kind, *self._names.resolve_base(owner, whole), start)

    def bind_variables(self, spots: Sequence[Spot]) -> None:
        """Which types variables have."""
        for start, _, end in spots:
            if found := parse_binding(
                self._language, decode_piece(self._latin1[start : min(end, start + _MAX_BIND_BYTES)])
            ):
                self._names.bind_type(self._find_owner(start), *found)

    def add_calls(self, spots: Sequence[Spot]) -> None:
        """What is called, by the names as they were learnt."""
        seen: set[tuple[int, str, str]] = set()
        owner_of, letters, called = self._find_owner, self._latin1, self._names.resolve_call
        for start, what, end in spots:
            owner, piece = (
                owner_of(start),
                letters[start if end - start < _MAX_CALL_BYTES else end - _MAX_CALL_BYTES : end],
            )
            if (key := (owner, what, piece)) not in seen:
                seen.add(key)
                name, via = called(owner, decode_piece(piece), made=what == "new")
                self._add_reference(owner, CALL, name, via, start)

    def add_mentions(self) -> None:
        """What comments speak of."""
        for at, whole in find_mentions(self._source):
            before, _, name = whole.rpartition(".")
            self._add_reference(self._find_owner(at), MENTIONS, name, f"on:{before}", at)

    def build_refs(self) -> ReferenceColumns:
        """All that was found."""
        return ReferenceColumns.from_rows(self._references, find_line_numbers(self._source, self._references.values()))

    def _add_import(self, owner: int, start: int, text: str) -> None:
        """An import as references: to the module, and to what was taken out of it."""
        for written in read_imports(self._language, text):
            module = resolve_relative(self._language, self._path, self._qualify_module(owner, written.module))
            self._names.add_import(written if module == written.module else written._replace(module=module))
            self._add_reference(owner, IMPORT, _get_module_stem(module), f"in:{module}", start)
            if written.name not in {"", "*", "default"}:
                self._add_reference(owner, IMPORT, written.name, f"in:{module}", start)

    def _qualify_module(self, owner: int, module: str) -> str:
        """A module of Rust's as the file itself names it: `use task::Id` counts from here where `mod task;` stands."""
        if self._language != "rust":
            return module
        inside = module.partition("::")[0] in self._declared_modules
        return f"self::{module}" if inside else self._names.resolve_super(owner, module)

    def _add_reference(self, source: int, kind: int, name: str, via: str, start: int) -> None:
        if name:
            self._references.setdefault((source, kind, name, via), start)


def build_definitions(path: str, lines: int, definitions: Sequence[Definition]) -> list[GraphDefinition]:
    """The file itself, then each definition, after what holds it; a method outside its class finds it by its symbol."""
    made = [make_file_definition(path, lines)]
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
        symbol, name = (IMPL_PREFIX + each.symbol, "impl") if each.kind == "impl" else (each.symbol, name)
        made.append(GraphDefinition(symbol, name, each.kind, each.head + 1, each.end + 1, parent))
    for number, each in enumerate(definitions, 1):
        for symbol in each.more:
            name = symbol.rpartition(".")[2]
            made.append(GraphDefinition(symbol, name, each.kind, each.head + 1, each.end + 1, made[number].parent))
    return made


def make_file_definition(path: str, lines: int) -> GraphDefinition:
    """The file as a definition, called as others import it: `a/b.py` is `b`, `a/__init__.py` is `a`."""
    place = PurePosixPath(path)
    stem = place.name.partition(".")[0] or place.name
    name = place.parent.name if stem in _FOLDER_STEMS and place.parent.name else stem
    return GraphDefinition("", name, "module", 1, max(lines, 1), -1)


@lru_cache(maxsize=1 << 12)
def _get_module_stem(module: str) -> str:
    """The name of the file that a module is."""
    last = module.replace("::", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module:
        last = last.strip(".").rpartition(".")[2] if not last.endswith((".h", ".hpp", ".hh", ".js", ".ts")) else last
    return last.partition(".")[0].strip("<>") or "."
