"""Zig; a container is the value of a constant, and a file is a container itself."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import (
    CONSTANT,
    FoundDefinition,
    Grammar,
    GraphRules,
    Language,
    ModuleRules,
    OutlineRules,
    ScopeRules,
    find_child,
    join_path,
    read_field,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_CONTAINERS = {
    "struct_declaration": "struct",
    "opaque_declaration": "struct",
    "enum_declaration": "enum",
    "union_declaration": "union",
    "error_set_declaration": "enum",
}

_QUERY = """
(call_expression function: [(identifier) (field_expression)] @call)
(struct_initializer . [(identifier) (field_expression)] @new)
(variable_declaration (builtin_function)) @import
(variable_declaration (field_expression object: (builtin_function))) @import
(using_namespace_declaration) @import
(variable_declaration type: (_)) @bind
(variable_declaration [(struct_initializer) (call_expression) (try_expression)]) @bind
(parameter type: (_)) @bind
(container_field type: (_)) @bind
"""

_BINDINGS = (
    re.compile(
        r"(?:\w+\s+){0,3}?(?:const|var)\s+(?P<v>\w+)\s*=\s*(?:try\s+)?(?P<t>(?:\w+\.)*[A-Z]\w*)(?:\.init\w*\(|\s*\{)"
    ),
    re.compile(r"(?:\w+\s+){0,4}?(?P<v>\w+)\s*:\s*[*?]*(?:const\s+)?(?P<t>[\w.]+)"),
)

_IMPORT = re.compile(r'(?:\bconst\s+(\w+)[^=]{0,80}=\s*)?@import\("([^"\n]+)"\)(?:\.([\w.]+))?')


def _find_variable(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `const Order = struct { … }` as a struct, others as constants; an import defines nothing."""
    name = read_text(find_child(node, "identifier"), source)
    if (body := find_child(node, *_CONTAINERS)) is not None:
        return FoundDefinition(_CONTAINERS[body.type], name, body)
    if find_child(node, "builtin_function", "field_expression") is not None and _IMPORT.search(read_text(node, source)):
        return None
    return FoundDefinition(CONSTANT, name, None)


def _find_function(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a function; one that ends in `return struct { … }` is a generic struct."""
    name, body = read_field(node, source, "name"), node.child_by_field_name("body")
    if body is not None and body.named_child_count and read_field(node, source, "type") == "type":
        value = body.named_child(body.named_child_count - 1)
        for kind in ("return_expression", *_CONTAINERS):
            inner = find_child(value, kind) if value is not None else None
            value = inner or value
        if value is not None and value.type in _CONTAINERS:
            return FoundDefinition(_CONTAINERS[value.type], name, value)
    return FoundDefinition("function", name, body)


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    if find_child(node, "builtin_function", "field_expression") is not None:
        yield from (binding.module for binding in _read_imports(read_text(node, source)))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `const a = @import("b.zig")`, and `const A = @import("b.zig").A`."""
    if match := _IMPORT.search(text):
        alias, module, path = match.groups(default="")
        if alias:
            yield ImportBinding(module, path.rpartition(".")[2], alias)
        else:
            yield ImportBinding(module, "*", "*")


def _resolve_module(path: str, module: str) -> str:
    """Resolve a file from the folder of the file that names it; other names are packages."""
    if not module.endswith(".zig"):
        return module
    return join_path(posixpath.dirname(path), module.removesuffix(".zig"))


ZIG = Language(
    name="zig",
    family="zig",
    extensions=(".zig", ".zon"),
    grammar=Grammar("tree_sitter_zig"),
    outline=OutlineRules(
        definitions={"variable_declaration": _find_variable, "function_declaration": _find_function},
        imports={"variable_declaration": _list_imports, "using_namespace_declaration": _list_imports},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        bindings=_BINDINGS,
        modules=ModuleRules(resolve=_resolve_module, separator="/", reexports=False),
        scope=ScopeRules(outside_needs_import=True, self_is_implicit=True, file_is_class=True),
    ),
)
