"""Scala 2 and 3; it calls what Java defines."""

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
    read_field,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_QUERY = """
(call_expression function: [(identifier) (field_expression)] @call)
(call_expression function: (generic_function function: (_) @call))
(instance_expression . [(type_identifier) (stable_type_identifier)] @new)
(instance_expression . (generic_type . (_) @new))
(extends_clause type: [(type_identifier) (stable_type_identifier)] @base)
(extends_clause type: (generic_type . (_) @base))
(import_declaration) @import
(val_definition) @bind
(var_definition) @bind
(class_parameter type: (_)) @bind
(parameter type: (_)) @bind
"""

_BINDINGS = (
    re.compile(r"(?:\S+\s+){0,6}?va[lr]\s+(?P<v>\w+)\s*=\s*(?:new\s+)?(?P<t>(?:\w+\.)*[A-Z]\w*)(?=\(|\[|\s|$)"),
    re.compile(r"(?:\S+\s+){0,6}?(?P<v>\w+)\s*:\s*(?P<t>[\w.]+)"),
)

_SELECTORS = re.compile(r"([\w.]+)\.\{([^{}]*)\}|([\w.]+)(?:\s+as\s+(\w+))?")
_RENAMED = re.compile(r"\s*(?:=>|\bas\b)\s*")


def _find_value(node: Node, source: bytes) -> FoundDefinition | None:
    name = read_field(node, source, "pattern")
    return FoundDefinition(CONSTANT, name, None) if name.isidentifier() else None


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    yield from (f"{each.module}.{each.name}" for each in _read_imports(read_text(node, source)))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import a.b.C`, `a.b._`, `a.b.*`, `a.b.{C, D => E, F as G}`, and several of them after commas."""
    text = re.sub(r"\.[_*](?!\w)", ".{*}", text.removeprefix("import"))
    for module, inside, path, alias in _SELECTORS.findall(text):
        before, _, last = path.rpartition(".")
        for clause in (inside or last).split(",") if module or before else ():
            name, *renamed = _RENAMED.split(clause.strip(), maxsplit=1)
            name = "*" if name in {"_", "*", "given"} else name
            if name and renamed != ["_"]:
                yield ImportBinding(module or before, name, alias or (renamed or [name])[0])


SCALA = Language(
    name="scala",
    family="java",
    extensions=(".sc", ".scala"),
    interpreters=("scala",),
    grammar=Grammar("tree_sitter_scala"),
    outline=OutlineRules(
        definitions={
            "class_definition": "class",
            "object_definition": "class",
            "trait_definition": "trait",
            "enum_definition": "enum",
            "package_object": "module",
            "given_definition": "class",
            "function_definition": "function",
            "function_declaration": "function",
            "type_definition": "type",
            "val_definition": _find_value,
            "var_definition": _find_value,
        },
        through=frozenset({"package_clause", "template_body", "extension_definition"}),
        leading=frozenset({"comment", "block_comment"}),
        imports={"import_declaration": _list_imports},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        bindings=_BINDINGS,
        scope=ScopeRules(folder_is_scope=True, self_is_implicit=True),
    ),
)
