"""Java."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import Grammar, GraphRules, Language, OutlineRules, ScopeRules, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_QUERY = """
(method_invocation) @call
(object_creation_expression type: (_) @new)
(method_reference) @call
(superclass (_) @base)
(super_interfaces (type_list (_) @impl))
(extends_interfaces (type_list (_) @base))
(import_declaration) @import
(local_variable_declaration type: (_)) @bind
(field_declaration type: (_)) @bind
(formal_parameter type: (_)) @bind
"""

BINDINGS = (
    re.compile(r"(?:[\w@]+\s+)*?var\s+(?P<v>\w+)\s*=\s*new\s+(?P<t>[\w.]+)"),
    re.compile(r"(?:(?:@?[\w]+)\s+)*?(?P<t>[\w.]*[A-Z][\w]*)(?:<[^=]*>)?\s*[&*?]*\s*(?P<v>\w+)\s*(?:$|[=;({,])"),
)
"""Declarations with the type before the variable; C# has the same."""


def _strip_import(text: str) -> str:
    return text.removeprefix("import").strip(" ;\t\n").removeprefix("static ").strip()


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    yield _strip_import(read_text(node, source))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import a.b.C`, `import static a.b.C.m`, `import a.b.*`."""
    module, _, last = _strip_import(text).rpartition(".")
    if module:
        yield ImportBinding(module, last, last)


JAVA = Language(
    name="java",
    family="java",
    extensions=(".java",),
    grammar=Grammar("tree_sitter_java"),
    outline=OutlineRules(
        definitions={
            "class_declaration": "class",
            "interface_declaration": "interface",
            "annotation_type_declaration": "interface",
            "enum_declaration": "enum",
            "record_declaration": "record",
            "method_declaration": "function",
            "constructor_declaration": "function",
            "compact_constructor_declaration": "function",
            "annotation_type_element_declaration": "function",
        },
        through=frozenset({"enum_body_declarations"}),
        leading=frozenset({"line_comment", "block_comment"}),
        imports={"import_declaration": _list_imports},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        call_name="name",
        bindings=BINDINGS,
        scope=ScopeRules(folder_is_scope=True, self_is_implicit=True),
    ),
)
