"""Go."""

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
    normalize_name,
    read_field,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_TYPE_KINDS = {"struct_type": "struct", "interface_type": "interface"}
_IMPORT = re.compile(r'(?:([\w.]+)\s+)?"([^"\n]+)"')
_VERSION = re.compile(r"v\d+")
_MIN_SHARED_PARTS = 2

_QUERY = """
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression) @call)
(composite_literal type: [(type_identifier) (qualified_type)] @new)
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @base))))
(type_spec type: (interface_type (type_elem (_) @base)))
(type_spec type: (interface_type (method_elem name: (_) @member)))
(import_declaration) @import
(parameter_declaration name: (identifier) type: [(type_identifier) (pointer_type)]) @bind
(short_var_declaration) @bind
(var_spec name: (identifier) type: [(type_identifier) (pointer_type)]) @bind
(field_declaration name: (field_identifier) type: [(type_identifier) (pointer_type)]) @bind
"""

_BINDINGS = (
    re.compile(r"(?P<v>\w+)(?:\s*,\s*\w+)?\s*:=\s*(?:[\w]+\.)?New(?P<t>[A-Z]\w*)\("),
    re.compile(r"(?P<v>\w+)(?:\s*,\s*\w+)?\s*:=\s*&?(?P<t>[\w.]+)\{"),
    re.compile(r"(?P<v>\w+)\s+\*?(?P<t>[\w.]+)$"),
)


def _find_method(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `func (s *Server[T]) Serve()` as `Server.Serve`."""
    receiver = read_field(node, source, "receiver").strip("() ").split("[", 1)[0].replace("*", " ").split()
    name = ".".join([*receiver[-1:], read_field(node, source, "name")])
    return FoundDefinition("method", name, node.child_by_field_name("body"))


def _find_type(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `type Name struct …`."""
    inner = node.child_by_field_name("type")
    kind = _TYPE_KINDS.get(inner.type, "type") if inner is not None else "type"
    return FoundDefinition(kind, normalize_name(read_field(node, source, "name")), None)


def _find_type_declaration(node: Node, source: bytes) -> FoundDefinition | None:
    """Find the only type of a declaration; the types of a group in brackets are visited one by one."""
    specs = [child for child in node.named_children if child.type in {"type_spec", "type_alias"}]
    return _find_type(specs[0], source) if len(specs) == 1 else None


def _find_values(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `const` and `var`, alone or as a group named after its first member."""
    specs = [child for child in node.named_children if child.type.endswith("_spec")]
    for group in node.named_children:
        if group.type == "var_spec_list":
            specs.extend(group.named_children)
    names = [name for spec in specs if (name := read_field(spec, source, "name"))]
    return FoundDefinition(CONSTANT, names[0], None, tuple(names[1:])) if names else None


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    yield from read_text(node, source).split('"')[1::2]


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import f "a/b"`.

    Without an alias a package is named by the last part of its path that is no version.
    """
    for alias, module in _IMPORT.findall(text.removeprefix("import")):
        parts = [part for part in module.split("/") if not _VERSION.fullmatch(part)]
        last = parts[-1].split(".")[0].removeprefix("go-") if parts else module
        yield ImportBinding(module, "*", "*") if alias == "." else ImportBinding(module, "", alias or last)


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match a package with its folder; only `go.mod` knows the prefix of its path."""
    if module.startswith("/"):
        return is_module_file(module, path)
    folder = posixpath.dirname(path)
    if not folder:
        return False
    if f"/{module}".endswith(f"/{folder}"):
        return True
    shared = 0
    for left, right in zip(reversed(module.split("/")), reversed(folder.split("/")), strict=False):
        if left != right:
            break
        shared += 1
    return shared >= _MIN_SHARED_PARTS


GO = Language(
    name="go",
    family="go",
    extensions=(".go",),
    grammar=Grammar("tree_sitter_go"),
    outline=OutlineRules(
        definitions={
            "function_declaration": "function",
            "method_declaration": _find_method,
            "type_declaration": _find_type_declaration,
            "type_spec": _find_type,
            "type_alias": _find_type,
            "const_declaration": _find_values,
            "var_declaration": _find_values,
        },
        through=frozenset({"type_declaration"}),
        imports={"import_declaration": _list_imports},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        bindings=_BINDINGS,
        modules=ModuleRules(matches=_matches_module, separator="/", reexports=False),
        scope=ScopeRules(
            folder_is_scope=True,
            outside_needs_import=True,
            classes_span_files=True,
            interfaces_are_implicit=True,
        ),
    ),
)
