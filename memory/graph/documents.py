"""Facts of a document: its sections as definitions, and the names of code that they mention."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter

from aurora.memory.model.graph import (
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
from aurora.memory.parsing.grammar import load_grammar
from aurora.memory.parsing.languages import FOLDER_STEMS, get_module_stem

from .names import MAX_CALLEE_CHARS, FileNames, parse_binding, parse_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from tree_sitter import Node

    from aurora.memory.model.chunks import Piece
    from aurora.memory.model.graph import ImportBinding
    from aurora.memory.parsing.languages import Language
    from aurora.memory.parsing.languages.language import GraphRules
    from aurora.memory.parsing.outline import Definition

    Capture = tuple[int, str, int]
    """The first byte, the name of the capture in the query, and the byte after the last."""

_PATH_SEPARATOR = " > "


def extract_document_facts(path: str, language: str, lines: Sequence[str], pieces: Sequence[Piece]) -> GraphFacts:
    """Extract the sections and the mentions of a document.

    Args:
        path: project-relative.
        language: the document's language.
        lines: its lines.
        pieces: its pieces; the parts of a long section are one definition.
    """
    defs = [make_file_definition(path, len(lines))]
    starts, owners = [0], [0]
    positions: dict[str, int] = {}
    for piece in pieces:
        if piece.kind != "section" or not piece.symbol:
            continue
        if piece.symbol == defs[-1].symbol:
            defs[-1] = defs[-1]._replace(end=piece.end_line)
            continue
        before, _, name = piece.symbol.rpartition(_PATH_SEPARATOR)
        positions[piece.symbol] = len(defs)
        starts.append(piece.start_line)
        owners.append(len(defs))
        defs.append(
            GraphDefinition(piece.symbol, name, "section", piece.start_line, piece.end_line, positions.get(before, 0))
        )
    refs: dict[tuple[int, int, str, str], int] = {}
    for number, line in enumerate(lines, 1):
        if "`" in line:
            owner = owners[bisect_right(starts, number) - 1]
            for _at, whole in find_mentions(line.encode("utf-8", "replace")):
                before, _, name = whole.rpartition(".")
                refs.setdefault((owner, MENTIONS, name, f"on:{before}"), number)
    return GraphFacts(language, tuple(defs), ReferenceColumns.from_rows(refs, refs.values()))


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
    # In this order: a call is resolved by the imports, bases and types that are known by then.
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
        known = {each.symbol for each in self.defs} if captures else set()
        for (start, _, end), line in zip(captures, lines, strict=True):
            holder, name = self._find_owner(start), self._decode(start, end)
            if (symbol := f"{self.defs[holder].symbol}.{name}") not in known:
                self.defs.append(GraphDefinition(symbol, name, "method", line, line, holder))
        # Not before: the names of a file include the members that were just added.
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
        copies: list[tuple[int, tuple[str, str]]] = []
        for start, _, end in captures:
            text = self._decode(start, min(end, start + _MAX_BIND_BYTES))
            if binding := parse_binding(self._language, text):
                self._names.bind_type(self._find_owner(start), *binding)
            elif copy := parse_copy(self._language, text):
                copies.append((self._find_owner(start), copy))
        # after the others, since a method may come before the one that declares the attribute
        for owner, (variable, other) in copies:
            self._names.copy_type(owner, variable, other)

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


_MAX_CACHED_CHARS = 200


def read_imports(language: Language, text: str) -> Sequence[ImportBinding]:
    """Read an import statement; short ones, which many files share, are cached."""
    if len(text) <= _MAX_CACHED_CHARS:
        return _read_cached(language, text)
    return tuple(language.graph.read_imports(text))


@lru_cache(maxsize=1 << 13)
def _read_cached(language: Language, text: str) -> Sequence[ImportBinding]:
    return tuple(language.graph.read_imports(text))


def index_owners(definitions: Sequence[Definition]) -> Callable[[int], int]:
    """Index the definitions by byte.

    Args:
        definitions: the outline, each definition after its parent.

    Returns:
        A function from a byte to the position of the innermost definition around it; 0 for the file itself.
    """
    cuts, inner = [0], [0]
    around: list[tuple[int, int]] = []  # the end and the position of each open definition

    def close_innermost() -> None:
        cuts.append(around.pop()[0])
        inner.append(around[-1][1] if around else 0)

    for number, each in enumerate(definitions, 1):
        start, end = each.node.start_byte, each.end_byte
        while around and around[-1][0] <= start:
            close_innermost()
        cuts.append(start)
        inner.append(number)
        around.append((end, number))
    while around:
        close_innermost()
    return lambda at: inner[bisect_right(cuts, at) - 1]


def find_line_numbers(source: bytes, places: Collection[int]) -> list[int]:
    """Find the line of each of these bytes, from 1."""
    lines: dict[int, int] = {}
    line, after = 1, 0
    for at in sorted(set(places)):
        line += source.count(b"\n", after, at + 1)
        lines[at], after = line, at + 1
    return [lines[at] for at in places]


_MAX_IMPORT_BYTES = 20_000

# A `require` is short, and stands at the front of its statement; other calls may hold a whole block.
_MAX_REQUIRE_BYTES = 300

_MAX_ERROR_CHILDREN = 10_000
"""A query's time grows with the square of the children of one syntax error: minutes for a file of brackets."""


class Captures(NamedTuple):
    """The captures of one file, each list in the order of the text; the cursor's own order is not stable.

    Attributes:
        members: members without a definition of their own.
        imports_and_bases: imports, base classes and implemented interfaces.
        bindings: declarations that give a variable a type.
        calls: calls and instantiations.
    """

    members: Sequence[Capture]
    imports_and_bases: Sequence[Capture]
    bindings: Sequence[Capture]
    calls: Sequence[Capture]


def find_captures(language: Language, source: bytes, root: Node) -> Captures:
    """Run the language's query.

    Args:
        language: the file's language.
        source: the text that was parsed.
        root: the root of its tree.
    """
    rules = language.graph
    nodes = {} if _is_crowded(root) else tree_sitter.QueryCursor(_load_query(language)).captures(root)
    found = {what: [(node.start_byte, what, node.end_byte) for node in some] for what, some in nodes.items()}
    imports = [each for each in found.get("import", ()) if each[2] - each[0] <= _MAX_IMPORT_BYTES]
    if words := rules.require_words:
        required = [each for each in found.get("call", ()) if source.startswith(words, each[0])]
        imports += [(start, "import", min(end, start + _MAX_REQUIRE_BYTES)) for start, _, end in required]
    calls = list(_capture_names(nodes.get("call", ()), rules.call_name)) if rules.call_name else found.get("call", [])
    return Captures(
        sorted(found.get("member", ())),
        sorted([*imports, *found.get("base", ()), *found.get("impl", ())]),
        sorted(found.get("bind", ())),
        sorted([*_drop_other_calls(calls, source, rules), *found.get("new", ())]),
    )


def _drop_other_calls(calls: Sequence[Capture], source: bytes, rules: GraphRules) -> Sequence[Capture]:
    """Drop imports and definitions that are written as calls, with the head `f(x)` of `def f(x)`."""
    if words := rules.require_words:
        calls = [each for each in calls if not source.startswith(words, each[0])]
    if rules.definer is None:
        return calls
    dropped: set[int] = set()
    for start, *_ in sorted(calls):
        if start not in dropped and (match := rules.definer.match(source, start)):
            dropped.update((start, match.end()))
    return [each for each in calls if each[0] not in dropped]


def _capture_names(calls: Iterable[Node], field: str) -> Iterator[Capture]:
    """Capture calls up to the end of their name, without the arguments."""
    for node in calls:
        last = node.child_by_field_name(field) or node
        yield node.start_byte, "call", last.end_byte


@cache
def _load_query(language: Language) -> tree_sitter.Query:
    return tree_sitter.Query(load_grammar(language.grammar), language.graph.query)


def _is_crowded(root: Node) -> bool:
    """Return whether one syntax error contains thousands of tokens, too many to query.

    The cursor has no time limit that works: its progress callback ends the process (tree-sitter 0.26.1).
    """
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if node.type == "ERROR" and node.child_count > _MAX_ERROR_CHILDREN:
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False


def decode_piece(piece: str) -> str:
    """Decode a piece of UTF-8 that was sliced as `latin-1`, one letter a byte; replace invalid bytes.

    Slicing a string is cheap, and an ASCII piece, as most are, needs no decoding.
    """
    return piece if piece.isascii() else piece.encode("latin-1").decode("utf-8", "replace")


_SPAN = re.compile(rb"`~?([A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?`")

_MIN_CHARS = 3


def find_mentions(text: bytes) -> Iterator[tuple[int, str]]:
    """Find the names between backticks, with the first byte of each; parts are joined by dots."""
    if b"`" not in text:
        return
    for match in _SPAN.finditer(text):
        name = match[1].decode("utf-8", "replace").replace("::", ".").replace("#", ".")
        if len(name) >= _MIN_CHARS:
            yield match.start(1), name
