"""Haskell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import (
    FoundDefinition,
    Grammar,
    GraphRules,
    Language,
    OutlineRules,
    ScopeRules,
    find_child,
    read_field,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

# A constructor in a pattern makes nothing.
_QUERY = """
(apply function: [(variable) (qualified)] @call)
(infix_id [(variable) (qualified)] @call)
(exp [(variable) (qualified)] @call)
(bind expression: [(variable) (qualified)] @call)
(_ expression: (apply function: (constructor) @new))
(_ expression: (apply function: (apply function: (constructor) @new)))
(_ expression: (apply function: (apply function: (apply function: (constructor) @new))))
(class_declarations (signature name: (variable) @member))
(class context: (context (apply constructor: (name) @base)))
(class context: (context (parens (apply constructor: (name) @base))))
(class context: (context (tuple (apply constructor: (name) @base))))
(instance name: (_) @impl)
(import) @import
"""

_IMPORT = re.compile(
    r"import\s+(?:safe\s+)?(qualified\s+)?(?:\"[^\"]*\"\s+)?([\w.]+)(?:\s+(qualified))?"
    r"(?:\s+as\s+([\w.]+))?\s*(hiding\b)?\s*(\()?"
)
_NAME = re.compile(r"(?:^|,)\s*(?:type\s+|pattern\s+)?([\w']+)")
_INSIDE = re.compile(r"\([^()]*\)")
_TYPE = re.compile(r"[A-Z][\w']*(?:\.[A-Z][\w']*)*")


def _find_function(node: Node, source: bytes) -> FoundDefinition | None:
    """Find an equation; its type above it belongs to it. `a +++ b = …` defines an operator."""
    name = read_field(node, source, "name").strip("()")
    if not name and (infix := find_child(node, "infix")) is not None:
        name = read_field(infix, source, "operator").strip("`")
    return FoundDefinition("function", name, None)


def _find_data(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a type with its constructors."""
    name = read_field(node, source, "name")
    holder = node.child_by_field_name("constructors") or node
    made: list[str] = []
    for child in holder.named_children:
        inner = find_child(child, "record", "prefix") if child.type == "data_constructor" else child
        if inner is not None and (constructor := read_field(inner, source, "name")) and inner.type != "name":
            made.append(constructor)
    return FoundDefinition("struct", name, None, tuple(one for one in made if one != name))


def _find_instance(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `instance Show (Order a)` as more of `Order`."""
    match = _TYPE.search(read_field(node, source, "patterns")[:300])
    name = match[0] if match else read_field(node, source, "name")
    return FoundDefinition("impl", name, node.child_by_field_name("declarations"))


def _find_class(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("interface", read_field(node, source, "name"), node.child_by_field_name("declarations"))


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "module")


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import A.B`, `import qualified A.B as C`, `import A.B (f, T(..))`, `import A.B hiding (f)`."""
    if (match := _IMPORT.match(text)) is None:
        return
    before, module, behind, alias, hiding, opened = match.groups()
    yield ImportBinding(module, "", alias or module)
    if before or behind:
        return
    if opened and not hiding:
        for name in _NAME.findall(_INSIDE.sub("", text[match.end() :])):
            yield ImportBinding(module, name, name)
    else:
        yield ImportBinding(module, "*", "*")


HASKELL = Language(
    name="haskell",
    family="haskell",
    extensions=(".hs",),
    interpreters=("runghc", "runhaskell"),
    grammar=Grammar("tree_sitter_haskell"),
    outline=OutlineRules(
        definitions={
            "function": _find_function,
            "bind": _find_function,
            "data_type": _find_data,
            "newtype": _find_data,
            "type_synonym": "type",
            "type_family": "type",
            "class": _find_class,
            "instance": _find_instance,
        },
        through=frozenset({"declarations", "imports"}),
        leading=frozenset({"comment", "haddock", "pragma", "signature"}),
        imports={"import": _list_imports},
        line_comments=("--", "{-"),
        clauses=True,
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        scope=ScopeRules(last_definition_wins=True),
    ),
)
