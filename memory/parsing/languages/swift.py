"""Swift."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import (
    CONSTANT,
    FoundDefinition,
    Grammar,
    GraphRules,
    Language,
    OutlineRules,
    ScopeRules,
    normalize_name,
    read_field,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

# The grammar reads `a + b()` as `(a + b)()`: the callee is then the right side.
_QUERY = """
(call_expression . [(simple_identifier) (navigation_expression)] @call)
(call_expression . (_ rhs: [(simple_identifier) (navigation_expression)] @call))
(constructor_expression constructed_type: (_) @new)
(class_declaration (inheritance_specifier inherits_from: (_) @base))
(protocol_declaration (inheritance_specifier inherits_from: (_) @base))
(import_declaration) @import
(property_declaration) @bind
(parameter) @bind
"""

_BINDINGS = (
    re.compile(
        r"(?:\S+\s+){0,6}?(?:let|var)\s+(?P<v>\w+)\s*=\s*(?:try[?!]?\s+)?(?:await\s+)?(?P<t>(?:\w+\.)*[A-Z]\w*)\("
    ),
    re.compile(r"(?:\S+\s+){0,6}?(?P<v>\w+)\s*:\s*(?:(?:inout|some|any|borrowing|consuming)\s+)*(?P<t>[\w.]+)"),
)

_KINDS = {"actor": "class", "extension": "impl"}
_IMPORT = re.compile(r"import\s+(?:(?:class|struct|enum|protocol|typealias|func|let|var)\s+)?([\w.]+)")


def _find_class(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a class, struct, enum or actor, or an extension, whose members are those of its type."""
    word = read_field(node, source, "declaration_kind")
    name = normalize_name(read_field(node, source, "name"))
    return FoundDefinition(_KINDS.get(word, word), name, node.child_by_field_name("body"))


def _find_unnamed(node: Node, _source: bytes) -> FoundDefinition | None:
    """Find `init`, `deinit` and `subscript`, which are named by their keyword."""
    return FoundDefinition("function", node.type.partition("_")[0], node.child_by_field_name("body"))


def _find_property(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a property with code, or a constant at the top of a file."""
    code = node.child_by_field_name("computed_value")
    return FoundDefinition(CONSTANT if code is None else "property", read_field(node, source, "name"), code)


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    yield from (binding.module for binding in _read_imports(read_text(node, source)))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import A`, whose names need no prefix, and `import struct A.B`."""
    if match := _IMPORT.search(text):
        yield ImportBinding(match[1], "*", "*")


SWIFT = Language(
    name="swift",
    family="swift",
    extensions=(".swift",),
    interpreters=("swift",),
    grammar=Grammar("tree_sitter_swift"),
    outline=OutlineRules(
        definitions={
            "class_declaration": _find_class,
            "protocol_declaration": "interface",
            "function_declaration": "function",
            "protocol_function_declaration": "function",
            "init_declaration": _find_unnamed,
            "deinit_declaration": _find_unnamed,
            "subscript_declaration": _find_unnamed,
            "property_declaration": _find_property,
            "typealias_declaration": "type",
        },
        leading=frozenset({"comment", "multiline_comment"}),
        imports={"import_declaration": _list_imports},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        constructor="init",
        bindings=_BINDINGS,
        scope=ScopeRules(folder_is_scope=True, self_is_implicit=True, classes_span_files=True),
    ),
)
