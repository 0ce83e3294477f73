"""A file's facts for the graph: its definitions and references, a pure function of the file."""

from __future__ import annotations

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
from aurora.memory.parsing.languages import FOLDER_STEMS, get_module_stem

from .callee import MAX_CALLEE_CHARS, parse_binding
from .captures import decode_piece, find_captures
from .enclosing import find_line_numbers, index_owners
from .imports import read_imports
from .mentions import find_mentions
from .names import FileNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from aurora.memory.parsing import Definition
    from aurora.memory.parsing.languages import Language

    from .captures import Capture

_MAX_BIND_BYTES = 300  # the front of a declaration gives the type; its value may be a whole program
_MAX_CALL_BYTES = 4 * MAX_CALLEE_CHARS + 4  # the callee is at the end of the expression


def extract_facts(
    path: str, language: Language, source: bytes, root: Node, definitions: Sequence[Definition]
) -> GraphFacts:
    """Extract what a file defines, and what it refers to by name.

    Args:
        path: project-relative, with forward slashes.
        language: the file's language.
        source: the text that was parsed.
        root: the root of its tree.
        definitions: its outline, in the order of the text.
    """
    builder = _FactsBuilder(path, language, source, definitions)
    captures = find_captures(language, source, root)
    builder.add_members(captures.members)
    builder.add_imports_and_bases(captures.imports_and_bases)
    builder.bind_variables(captures.bindings)
    builder.add_calls(captures.calls)
    builder.add_mentions()
    return GraphFacts(language.name, tuple(builder.defs), builder.build_refs())


class _FactsBuilder:
    """A builder of the definitions and references of one file."""

    def __init__(self, path: str, language: Language, source: bytes, definitions: Sequence[Definition]) -> None:
        self.defs = build_definitions(path, source.count(b"\n") + 1, definitions)
        self._path = path
        self._references: dict[tuple[int, int, str, str], int] = {}
        """Each reference, and the byte of its first place."""
        self._language = language
        self._source = source
        self._latin1 = source.decode("latin-1")
        self._find_owner = index_owners(definitions)

    def add_members(self, captures: Sequence[Capture]) -> None:
        """Add members that have no definition of their own in the outline."""
        lines = find_line_numbers(self._source, [start for start, *_ in captures])
        for (start, _, end), line in zip(captures, lines, strict=True):
            holder, name = self._find_owner(start), self._decode(start, end)
            self.defs.append(GraphDefinition(f"{self.defs[holder].symbol}.{name}", name, "method", line, line, holder))
        self._names = FileNames(self._language, self._path, self.defs)

    def add_imports_and_bases(self, captures: Sequence[Capture]) -> None:
        """Add imports, and base classes by the names as they are known up to there."""
        texts = [(start, kind, self._decode(start, end)) for start, kind, end in captures]
        self._declared_modules = self._find_declared_modules(text for _, kind, text in texts if kind == "import")
        for start, kind, text in texts:
            if kind == "import":
                self._add_import(self._find_owner(start), start, text)
            else:
                owner = self._names.find_impl_type(self._find_owner(start))
                name, via = self._names.resolve_base(owner, text)
                self._add_reference(owner, IMPLEMENTS if kind == "impl" else INHERITS, name, via, start)

    def bind_variables(self, captures: Sequence[Capture]) -> None:
        """Bind variables to the types that declarations give them."""
        for start, _, end in captures:
            text = self._decode(start, min(end, start + _MAX_BIND_BYTES))
            if binding := parse_binding(self._language, text):
                self._names.bind_type(self._find_owner(start), *binding)

    def add_calls(self, captures: Sequence[Capture]) -> None:
        """Add calls, by the names that imports and declarations gave."""
        seen: set[tuple[int, str, str]] = set()
        find_owner, latin1, resolve_call = self._find_owner, self._latin1, self._names.resolve_call
        for start, kind, end in captures:
            owner = find_owner(start)
            piece = latin1[max(start, end - _MAX_CALL_BYTES) : end]
            if (key := (owner, kind, piece)) not in seen:
                seen.add(key)
                name, via = resolve_call(owner, decode_piece(piece), made=kind == "new")
                self._add_reference(owner, CALL, name, via, start)

    def add_mentions(self) -> None:
        """Add the names between backticks in comments."""
        for at, whole in find_mentions(self._source):
            before, _, name = whole.rpartition(".")
            self._add_reference(self._find_owner(at), MENTIONS, name, f"on:{before}", at)

    def build_refs(self) -> ReferenceColumns:
        """Build the columns of all references."""
        return ReferenceColumns.from_rows(self._references, find_line_numbers(self._source, self._references.values()))

    def _decode(self, start: int, end: int) -> str:
        return decode_piece(self._latin1[start:end])

    def _find_declared_modules(self, imports: Iterable[str]) -> frozenset[str]:
        """Find the submodules that the file declares, with a body or as a file of their own."""
        declaration = self._language.graph.modules.declaration
        if declaration is None:
            return frozenset()
        declared = {each.name for each in self.defs if each.kind == "module" and each.symbol}
        declared.update(match[1] for text in imports if (match := declaration.search(text)))
        return frozenset(declared)

    def _add_import(self, owner: int, start: int, text: str) -> None:
        """Add references to the imported module, and to the name taken out of it."""
        resolve = self._language.graph.modules.resolve
        for written in read_imports(self._language, text):
            module = resolve(self._path, self._qualify_module(owner, written.module))
            self._names.add_import(written if module == written.module else written._replace(module=module))
            self._add_reference(owner, IMPORT, get_module_stem(module), f"in:{module}", start)
            if written.name not in {"", "*", "default"}:
                self._add_reference(owner, IMPORT, written.name, f"in:{module}", start)

    def _qualify_module(self, owner: int, module: str) -> str:
        """Qualify a path from the file: `use task::Id` begins at `self` where the file declares `mod task;`."""
        if not self._language.graph.modules.path_heads:
            return module
        inside = module.partition("::")[0] in self._declared_modules
        return f"self::{module}" if inside else self._names.resolve_super(owner, module)

    def _add_reference(self, source: int, kind: int, name: str, via: str, start: int) -> None:
        if name:
            self._references.setdefault((source, kind, name, via), start)


def build_definitions(path: str, lines: int, definitions: Sequence[Definition]) -> list[GraphDefinition]:
    """List the file, then each definition after its parent.

    A method outside its class finds it by its symbol.
    """
    made = [make_file_definition(path, lines)]
    positions = {id(each): number for number, each in enumerate(definitions, 1)}
    symbols: dict[str, int] = {}
    for number, each in enumerate(definitions, 1):
        if each.kind not in {"impl", "function", "method"}:
            symbols.setdefault(each.symbol, number)
    for each in definitions:
        before, _, name = each.symbol.rpartition(".")
        parent = positions[id(each.parent)] if each.parent is not None else symbols.get(before, 0)
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
    """Make the definition of a file, with the name that imports use.

    `a/b.py` is `b`, `a/__init__.py` is `a`.
    """
    file = PurePosixPath(path)
    stem = file.name.partition(".")[0] or file.name
    name = file.parent.name if stem in FOLDER_STEMS and file.parent.name else stem
    return GraphDefinition("", name, "module", 1, max(lines, 1), -1)
