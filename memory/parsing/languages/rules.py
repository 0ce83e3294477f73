"""What the chunker must know of a language: which nodes of its grammar define something, and how they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

CONSTANT = "constant"

CONTAINERS = frozenset(
    {"class", "struct", "union", "interface", "trait", "impl", "record", "enum", "module", "namespace"}
)
"""The kinds that hold members; a function in one of the first is a method."""

SCOPES = frozenset({"module", "namespace"})
"""The kinds whose constants are worth a piece; a class's fields belong to its head."""


class FoundDefinition(NamedTuple):
    """A definition: its kind, its name (parts joined by dots), the node that holds its members, and `more` names."""

    kind: str
    name: str
    body: Node | None
    more: tuple[str, ...] = ()


Finder = Callable[["Node", bytes], FoundDefinition | None]
Importer = Callable[["Node", bytes], Iterable[str]]
"""Both are given a node and the whole source: a tree that was parsed under watch cannot give a node's text itself."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One language.

    Attributes:
        module: the package of its grammar.
        function: the function of that package which gives the grammar.
        definitions: node type to kind, where the name is the field `name` and the body the field `body`; or to a
            function that finds out.
        wraps: nodes that stand around one definition and belong to it: decorators, `export`, `template`.
        through: nodes that say nothing by themselves and are looked into: conditions, namespaces that do not qualify.
        leading: nodes that belong to the definition below them: comments, attributes.
        imports: node type to a function that gives the names of modules it imports.
        line_comments: how a line that is only comment begins.
        docstring: whether the first string of a body documents it.
        macros: whether `name! { … }` may stand around definitions that the grammar does not see.
        told: all node types that `definitions`, `wraps` and `through` speak of.
    """

    module: str
    function: str
    definitions: Mapping[str, str | Finder]
    wraps: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset({"comment"})
    imports: Mapping[str, Importer] = field(default_factory=dict)
    line_comments: tuple[str, ...] = ("//", "/*", "*")
    docstring: bool = False
    macros: bool = False
    told: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Work out what follows from the rest."""
        object.__setattr__(self, "told", self.wraps | self.through | self.definitions.keys())


def read_text(node: Node | None, source: bytes) -> str:
    """The text of a node; empty for None."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""


def read_field(node: Node, source: bytes, name: str) -> str:
    """The text of a field of a node; empty when it has none."""
    return read_text(node.child_by_field_name(name), source)


def normalize_name(name: str) -> str:
    """A name as symbols have it: no generic arguments, dots between its parts, no blanks."""
    for opening in "<[(":
        name = name.split(opening, 1)[0]
    return ".".join(part for part in name.replace("::", ".").split(".") if part).strip()


def make_finder(kind: str) -> Finder:
    """A finder of definitions whose name is qualified or generic, `A::B` or `Foo<T>`."""

    def find_named(node: Node, source: bytes) -> FoundDefinition | None:
        name = normalize_name(read_field(node, source, "name"))
        return FoundDefinition(kind, name, node.child_by_field_name("body")) if name else None

    return find_named
