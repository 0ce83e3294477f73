"""The declaration of a language: its grammar, definitions, graph query and resolution of imports."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

    from tree_sitter import Node

    from aurora.memory.model.graph import ImportBinding


def read_text(node: Node | None, source: bytes) -> str:
    """Read the text of a node; empty for None."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""


def read_field(node: Node, source: bytes, name: str) -> str:
    """Read the text of a field of a node; empty when the field is missing."""
    return read_text(node.child_by_field_name(name), source)


def find_child(node: Node, *kinds: str) -> Node | None:
    """Find the first child of one of these types, or of any: the grammar has no field for it."""
    return next((child for child in node.named_children if not kinds or child.type in kinds), None)


def normalize_name(name: str) -> str:
    """Write a name as symbols have it: no generic arguments, dots between parts, no blanks."""
    for opening in "<[(":
        name = name.split(opening, 1)[0]
    return ".".join(part for part in name.replace("::", ".").split(".") if part).strip()


def make_finder(kind: str) -> Finder:
    """Make a finder of definitions with a qualified or generic name, `A::B` or `Foo<T>`."""

    def find_named(node: Node, source: bytes) -> FoundDefinition | None:
        name = normalize_name(read_field(node, source, "name"))
        return FoundDefinition(kind, name, node.child_by_field_name("body")) if name else None

    return find_named


CONSTANT = "constant"


CONTAINERS = frozenset(
    {"class", "struct", "union", "interface", "trait", "impl", "record", "enum", "module", "namespace"}
)
"""The kinds that contain members; a function in one of the first is a method."""


SCOPES = frozenset({"module", "namespace"})
"""The kinds whose constants get a chunk of their own; a class's fields belong to its head."""


class FoundDefinition(NamedTuple):
    """Definition as a language module finds it.

    It has a kind, a name (parts joined by dots), the node that contains its members, and `more` names.
    """

    kind: str
    name: str
    body: Node | None
    more: tuple[str, ...] = ()


Finder = Callable[["Node", bytes], FoundDefinition | None]


Importer = Callable[["Node", bytes], Iterable[str]]
"""Both take a node and the whole source: a tree parsed through a read callback cannot give the text of a node."""


ImportReader = Callable[[str], "Iterator[ImportBinding]"]
"""Takes the text of an import statement and yields what it binds."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tree-sitter grammar: a package, and the function in it that returns the grammar."""

    package: str
    function: str = "language"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineRules:
    """The nodes of a grammar that define something.

    Attributes:
        definitions: node type to kind, where the name is the field `name` and the body the field `body`; or to a
            function that reads them.
        wraps: nodes around one definition that belong to it: decorators, `export`, `template`.
        through: nodes without a meaning of their own whose children are visited: conditions, namespaces that do not
            qualify names.
        leading: nodes that belong to the definition below them: comments, attributes.
        imports: node type to a function that yields the names of imported modules.
        line_comments: prefixes of a line that is only a comment.
        docstring: True when the first string of a body documents it.
        clauses: True when adjacent definitions of one name are the clauses of one function.
        macros: True when `name! { … }` may surround definitions that the grammar does not see.
        known: all node types in `definitions`, `wraps` and `through`.
    """

    definitions: Mapping[str, str | Finder]
    wraps: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    imports: Mapping[str, Importer] = field(default_factory=dict)
    line_comments: tuple[str, ...] = ("//", "/*", "*")
    docstring: bool = False
    clauses: bool = False
    macros: bool = False
    known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Derive `known` from the other attributes."""
        object.__setattr__(self, "known", self.wraps | self.through | self.definitions.keys())


FOLDER_STEMS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that other files import by the name of their folder."""


def keep_module(_path: str, module: str) -> str:
    """Return a module unchanged: the language has no relative names."""
    return module


@lru_cache(maxsize=1 << 14)
def to_module_key(path: str) -> str:
    """Write a file's path as imports do: no ending, and the folder in place of a file that represents it."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    return folder if stem in FOLDER_STEMS and folder else posixpath.join(folder, stem)


def has_suffix(path: str, wanted: str) -> bool:
    """Report True when a path ends with these whole parts."""
    return f"/{path}".endswith(f"/{wanted}")


def is_module_file(module: str, path: str) -> bool:
    """Report True when a module with a leading `/` is this file."""
    return to_module_key(path) == module[1:]


def matches_dotted_path(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `a.b.C` with a file or a folder whose path ends so."""
    if module.startswith("/"):
        return is_module_file(module, path)
    wanted = module.replace(".", "/")
    return has_suffix(to_module_key(path), wanted) or has_suffix(posixpath.dirname(path), wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleRules:
    """The resolution of module names to files; only names and paths are read.

    Attributes:
        resolve: takes a file's path and a module as written there; returns a relative module as a path from the
            project's root with a leading `/`, any other unchanged.
        matches: takes a resolved module, a file's path and the folders that are Python packages; True when the file
            is the module, or lies in it where a package is a folder.
        separator: joins the parts of a module's name.
        path_heads: first words of a path that needs no import: `crate`, `self`, `super`.
        declaration: the pattern of a statement that declares a submodule, which a path may then begin with.
        reexports: False when a package never exports what a file below it defines.
        exports_members: True when importers reach the members of what the file defines: Lua's table, Elixir's modules.
        names_are_whole: True when `A.B.f()` names the whole module, whatever is imported.
    """

    resolve: Callable[[str, str], str] = keep_module
    matches: Callable[[str, str, AbstractSet[str]], bool] = matches_dotted_path
    separator: str = "."
    path_heads: frozenset[str] = frozenset()
    declaration: re.Pattern[str] | None = None
    reexports: bool = True
    exports_members: bool = False
    names_are_whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRules:
    """The visibility of names.

    Attributes:
        folder_is_scope: the files of one folder see each other's definitions.
        outside_needs_import: a bare name is defined in its file (or folder), imported, or not the project's own.
        members_are_visible: a member may be used by its bare name in other places.
        self_is_implicit: a method is called on its own object without naming the object.
        last_definition_wins: a second definition of a name replaces the first; elsewhere the two are overloads.
        classes_span_files: the methods of a class may lie in several files of its folder.
        file_is_class: `self` outside a class is the file.
        interfaces_are_implicit: a type satisfies an interface by having its methods.
    """

    folder_is_scope: bool = False
    outside_needs_import: bool = False
    members_are_visible: bool = False
    self_is_implicit: bool = False
    last_definition_wins: bool = False
    classes_span_files: bool = False
    file_is_class: bool = False
    interfaces_are_implicit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRules:
    """The references of a language.

    Attributes:
        query: a tree-sitter query. Each match is one node: `call` is the expression that is called, `new` the class
            that is instantiated, `base` and `impl` what is inherited and implemented, `import` a whole statement,
            `bind` a statement that gives a variable its type, `member` a member without a definition of its own.
        read_imports: reads the text of an import statement.
        call_name: the field with the name, where `call` is one node with its arguments.
        require_words: prefixes of a call that is an import.
        definer: the pattern of a call that defines something, up to the call that is its head; neither is a call.
        constructor: the method that makes an instance of the class it is called on.
        variable_mark: the character before every variable, no part of its name: `$`.
        calls_are_words: a call is its last word, whole: `get-all` after `LANG=C`.
        bindings: patterns of a declaration, with the variable as group `v` and its type as group `t`; the group `own`
            matches in the declaration of an attribute of the object itself.
        copy: the pattern of an assignment that gives the variable `v` the type of the variable `s`.
        modules: the resolution of module names.
        scope: the visibility of names.
    """

    query: str
    read_imports: ImportReader
    call_name: str = ""
    require_words: tuple[bytes, ...] = ()
    definer: re.Pattern[bytes] | None = None
    constructor: str = ""
    variable_mark: str = ""
    calls_are_words: bool = False
    bindings: tuple[re.Pattern[str], ...] = ()
    copy: re.Pattern[str] | None = None
    modules: ModuleRules = ModuleRules()
    scope: ScopeRules = ScopeRules()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """One language, compared by identity.

    Attributes:
        name: the name in chunks and nodes: `python`.
        extensions: endings of its files, in lower case with the dot.
        file_names: whole names of its files, in lower case.
        interpreters: commands in a `#!` line.
        shared_extensions: endings of another language, each with the pattern of a text that is in this one.
        family: the language whose definitions it shares: TypeScript calls what JavaScript defines.
    """

    name: str
    grammar: Grammar
    outline: OutlineRules
    graph: GraphRules
    extensions: tuple[str, ...]
    file_names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    shared_extensions: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    family: str


_SUFFIXES = (".h", ".hpp", ".hh", ".js", ".ts")
"""Endings that an import may write out."""


def join_path(folder: str, rest: str) -> str:
    """Join a folder and a relative path to a path from the project's root, with a leading `/`."""
    whole = posixpath.normpath(posixpath.join("/", folder, rest))
    return "/" + whole.lstrip("/").removesuffix("/index")


@lru_cache(maxsize=1 << 12)
def get_module_stem(module: str) -> str:
    """Return the name of the file that a module is."""
    last = module.replace("::", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module and not last.endswith(_SUFFIXES):
        last = last.strip(".").rpartition(".")[2]
    return last.partition(".")[0].strip("<>") or "."
