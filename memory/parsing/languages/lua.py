"""Lua; a module is a table that its file returns."""

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
    ModuleRules,
    OutlineRules,
    ScopeRules,
    find_child,
    has_suffix,
    read_field,
    read_text,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_QUERY = """
(function_call) @call
(variable_declaration (assignment_statement (expression_list . (function_call)))) @import
(variable_declaration (assignment_statement (expression_list . (dot_index_expression table: (function_call))))) @import
(assignment_statement (expression_list . (function_call))) @bind
"""

_BINDINGS = (re.compile(r"(?:local\s+)?(?P<v>(?:self\.)?\w+)\s*=\s*(?P<t>(?:\w+\.)*[A-Z]\w*)[.:](?:new|create)\b"),)

_REQUIRE = re.compile(r"""(?:local\s+(\w+)[^=\n]{0,40}=\s*)?\brequire\s*\(?\s*["']([^"'\n]+)["']\s*\)?(?:\.(\w+))?""")
_MAX_REQUIRE_BYTES = 300


def _find_function(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `function f()`, and `function M.f()` and `function M:f()` as `M.f`."""
    return _name_function(read_field(node, source, "name"), node)


def _name_function(name: str, node: Node) -> FoundDefinition | None:
    name = name.replace(":", ".")
    if not name.replace(".", "_").isidentifier():
        return None
    return FoundDefinition("method" if "." in name else "function", name, node.child_by_field_name("body"))


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `M.f = function () … end`, a table of functions, or a constant at the top of a file."""
    inner = node if node.type == "assignment_statement" else find_child(node, "assignment_statement")
    names, values = (find_child(inner, kind) if inner else None for kind in ("variable_list", "expression_list"))
    value = find_child(values) if values is not None else None
    if names is None or values is None or value is None:
        return None
    name = read_text(find_child(names), source)
    if value.type == "function_definition":
        return _name_function(name, value)
    if value.type == "table_constructor" and any(map(_is_function, value.named_children)):
        return FoundDefinition("class", name, value)
    is_table = value.type == "table_constructor" and not value.named_child_count  # `local M = {}` is filled below
    is_plain = name.isidentifier() and value.type != "function_call" and not is_table
    return FoundDefinition(CONSTANT, name, None) if is_plain and values.named_child_count == 1 else None


def _is_function(field: Node) -> bool:
    value = field.child_by_field_name("value")
    return value is not None and value.type == "function_definition"


def _find_field(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a function in a table: `{ f = function () … end }`."""
    value = node.child_by_field_name("value")
    if value is None or value.type != "function_definition":
        return None
    return _name_function(read_field(node, source, "name"), value)


def _list_requires(node: Node, source: bytes) -> Iterator[str]:
    if node.end_byte - node.start_byte <= _MAX_REQUIRE_BYTES:
        yield from (binding.module for binding in _read_requires(read_text(node, source)))


def _read_requires(text: str) -> Iterator[ImportBinding]:
    """Read `require("a.b")`, and `local b = require "a.b"`."""
    if match := _REQUIRE.match(text):
        alias, module, name = match.groups(default="")
        yield ImportBinding(module.replace("/", "."), name if alias else "*", alias or "*")


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `a.b` with `a/b.lua` and `a/b/init.lua`."""
    return has_suffix(to_module_key(path).removesuffix("/init"), module.replace(".", "/"))


LUA = Language(
    name="lua",
    family="lua",
    extensions=(".lua", ".rockspec"),
    interpreters=("lua", "luajit"),
    grammar=Grammar("tree_sitter_lua"),
    outline=OutlineRules(
        definitions={
            "function_declaration": _find_function,
            "variable_declaration": _find_assignment,
            "assignment_statement": _find_assignment,
            "field": _find_field,
        },
        through=frozenset({"if_statement", "do_statement", "block", "return_statement", "expression_list"})
        | {"table_constructor"},
        imports={"variable_declaration": _list_requires, "function_call": _list_requires},
        line_comments=("--",),
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_requires,
        call_name="name",
        require_words=(b"require(", b"require ", b'require"', b"require'"),
        constructor="new",
        bindings=_BINDINGS,
        modules=ModuleRules(matches=_matches_module, reexports=False, exports_members=True),
        scope=ScopeRules(outside_needs_import=True, last_definition_wins=True),
    ),
)
