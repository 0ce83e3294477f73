"""Rust."""

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
    is_module_file,
    join_path,
    normalize_name,
    read_field,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_HEADS = frozenset({"crate", "self", "super"})
_VISIBILITY = re.compile(r"^pub(\([^)]*\))?\s+")
_MAX_USES = 200  # a tree of uses deeper or wider than this is data

_QUERY = """
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier) @call)
(call_expression function: (field_expression) @call)
(call_expression function: (generic_function function: (_) @call))
(macro_invocation macro: (_) @call)
(struct_expression name: (_) @new)
(impl_item trait: (_) @impl)
(trait_item bounds: (trait_bounds (_) @base))
(use_declaration) @import
(mod_item !body) @import
(let_declaration pattern: (identifier)) @bind
(parameter pattern: (identifier)) @bind
(field_declaration) @bind
"""

_BINDINGS = (
    re.compile(
        r"(?:let\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:mut\s+)?(?P<v>\w+)\s*:\s*&?(?:'\w+\s+)?(?:mut\s+)?(?P<t>[\w:<]+)"
    ),
    re.compile(r"let\s+(?:mut\s+)?(?P<v>\w+)\s*=\s*(?P<t>[\w:]*?[A-Z]\w*)(?:::\w+\(|\s*\{)"),
)


def _find_impl(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `impl<T> Display for Foo<T>` as `Foo`, so that its methods are `Foo.fmt`."""
    name = normalize_name(read_field(node, source, "type").lstrip("&'").removeprefix("dyn "))
    return FoundDefinition("impl", name, node.child_by_field_name("body")) if name else None


def _find_module(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `mod name { … }`; `mod name;` only declares that a file exists."""
    body = node.child_by_field_name("body")
    return FoundDefinition("module", read_field(node, source, "name"), body) if body is not None else None


def _find_constant(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition(CONSTANT, read_field(node, source, "name"), None)


def _list_uses(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "argument")


def _list_mod_files(node: Node, source: bytes) -> Iterator[str]:
    if node.child_by_field_name("body") is None:
        yield read_field(node, source, "name")


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `use a::{b, c as d, e::*}`, and `mod name;`, which declares that a file exists."""
    text = _VISIBILITY.sub("", text.strip()).rstrip(";").strip()
    if text.startswith("mod "):
        name = text.removeprefix("mod ").strip()
        yield ImportBinding(f"self::{name}", "", name)
        return
    body = "".join(text.removeprefix("use").replace(" as ", "@").split())
    stack, count = [("", body)], 0
    while stack and count < _MAX_USES:
        count += 1
        before, rest = stack.pop()
        head, brace, inside = rest.partition("{")
        if brace:
            stack.extend((before + head, part) for part in _split_uses(inside.rpartition("}")[0]))
        elif rest:
            yield _bind_use(before + rest)


def _bind_use(use: str) -> ImportBinding:
    """Make the binding of `a::b@alias`, `a::b` or `a::b::self`."""
    path, _, alias = use.partition("@")
    module, _, name = path.removesuffix("::self").rpartition("::")
    return ImportBinding(module, name, alias or name) if module else ImportBinding(name, "", alias or name)


def _split_uses(inside: str) -> Iterator[str]:
    """Split at the commas that no deeper braces enclose."""
    depth, start = 0, 0
    for at, sign in enumerate(inside):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            yield inside[start:at]
            start = at + 1
    yield inside[start:]


def _resolve_module(path: str, module: str) -> str:
    """Resolve `crate::a` from the crate's `src`, `self::a` and `super::a` from the file's own module."""
    head, _, rest = module.partition("::")
    if head not in _HEADS:
        return module
    own = to_module_key(path)
    if head == "crate":
        before, src, _ = f"/{path}".rpartition("/src/")
        return join_path((before + "/src").strip("/") if src else posixpath.dirname(path), rest.replace("::", "/"))
    while head == "super":
        own = posixpath.dirname(own)
        head, _, rest = rest.partition("::") if rest.startswith("super") else ("", "", rest)
    return join_path(own, rest.replace("::", "/"))


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match a path that begins with the name of a crate, which is the name of its folder.

    So `std::io` is no module `io` of the project, and `task::spawn` none called `task` that is not in scope.
    """
    if module.startswith("/"):
        return is_module_file(module, path) or posixpath.dirname(path) == module[1:]
    head, _, rest = module.partition("::")
    inner = f"/src/{rest.replace('::', '/')}".rstrip("/")
    ends = (f"/{head}{inner}", f"/{head.replace('_', '-')}{inner}")
    return f"/{to_module_key(path)}".endswith(ends) or f"/{posixpath.dirname(path)}".endswith(ends)


RUST = Language(
    name="rust",
    family="rust",
    extensions=(".rs",),
    grammar=Grammar("tree_sitter_rust"),
    outline=OutlineRules(
        definitions={
            "function_item": "function",
            "function_signature_item": "function",
            "struct_item": "struct",
            "union_item": "union",
            "enum_item": "enum",
            "trait_item": "trait",
            "impl_item": _find_impl,
            "mod_item": _find_module,
            "macro_definition": "macro",
            "type_item": "type",
            "const_item": _find_constant,
            "static_item": _find_constant,
        },
        through=frozenset({"foreign_mod_item", "declaration_list"}),
        leading=frozenset({"line_comment", "block_comment", "attribute_item"}),
        imports={"use_declaration": _list_uses, "mod_item": _list_mod_files},
        macros=True,
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        bindings=_BINDINGS,
        modules=ModuleRules(
            resolve=_resolve_module,
            matches=_matches_module,
            separator="::",
            path_heads=_HEADS,
            declaration=re.compile(r"\bmod\s+(\w+)\s*;"),
        ),
        scope=ScopeRules(outside_needs_import=True, classes_span_files=True),
    ),
)
