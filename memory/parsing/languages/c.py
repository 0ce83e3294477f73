"""C and C++."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
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
    has_suffix,
    join_path,
    make_finder,
    normalize_name,
    read_field,
    read_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_RECORD_KINDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_MAX_DECLARATORS = 16  # people write no deeper pointers to pointers to functions
_CPP_TEXT = re.compile(
    r"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected):)"
    r"|^[ \t]*#[ \t]*include[ \t]*<[a-z_]+>|\bstd::",
    re.MULTILINE,
)
_INCLUDE = re.compile(r"""include\s*([<"])([^>"\n]+)[>"]""")

_QUERY = """
(call_expression function: (identifier) @call)
(call_expression function: (field_expression) @call)
(preproc_include) @import
"""

_CPP_QUERY = f"""{_QUERY}
(call_expression function: (qualified_identifier) @call)
(call_expression function: (template_function) @call)
(new_expression type: (_) @new)
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
(declaration type: [(type_identifier) (qualified_identifier)]) @bind
(parameter_declaration type: [(type_identifier) (qualified_identifier)]) @bind
(field_declaration type: [(type_identifier) (qualified_identifier)]) @bind
"""

_CPP_BINDINGS = (
    re.compile(r"(?:@?\w+\s+)*?(?P<t>(?:[\w.]|::)*[A-Z]\w*)(?:<[^=]*>)?\s*[&*?]*\s*(?P<v>\w+)\s*(?:$|[=;({,])"),
)


def _find_declarator(node: Node) -> Node | None:
    """Find the innermost declarator: the name, out of its pointers, parameters and array bounds."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_MAX_DECLARATORS):
        deeper = inner.child_by_field_name("declarator") if inner is not None else None
        if deeper is None and inner is not None and inner.type in {"reference_declarator", "parenthesized_declarator"}:
            deeper = inner.named_child(0) if inner.named_child_count else None
        if deeper is None:
            return inner
        inner = deeper
    return inner


def _read_qualified_name(node: Node, source: bytes) -> str:
    """Read `Foo<int>::bar` as `Foo.bar`; an operator keeps its signs."""
    parts: list[str] = []
    current: Node | None = node
    while current is not None and current.type == "qualified_identifier":
        parts.append(normalize_name(read_field(current, source, "scope")))
        current = current.child_by_field_name("name")
    last = read_text(current, source)
    if current is not None and current.type.startswith(("operator", "destructor")):
        parts.append("".join(last.split()))
    else:
        parts.append(normalize_name(last))
    return ".".join(part for part in parts if part)


def _find_function(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a function; or `class API Name { … }`, which a grammar that cannot expand `API` takes for one."""
    inner, type_ = _find_declarator(node), node.child_by_field_name("type")
    name = _read_qualified_name(inner, source) if inner is not None else ""
    if not name:
        return None
    is_class = inner is not None and inner.type == "identifier" and type_ is not None and type_.type in _RECORD_KINDS
    kind = _RECORD_KINDS[type_.type] if is_class and type_ is not None else "function"
    return FoundDefinition(kind, name, node.child_by_field_name("body"))


def _find_record(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a struct, union, enum or class with a body; without one it is only mentioned."""
    body = node.child_by_field_name("body")
    name = normalize_name(read_field(node, source, "name"))
    return FoundDefinition(_RECORD_KINDS[node.type], name, body) if name and body is not None else None


def _find_typedef(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `typedef struct { … } Name;` as the struct `Name`."""
    inner, name = node.child_by_field_name("type"), read_text(_find_declarator(node), source)
    if not name:
        return None
    body = inner.child_by_field_name("body") if inner is not None else None
    kind = _RECORD_KINDS.get(inner.type, "type") if inner is not None and body is not None else "type"
    return FoundDefinition(kind, name, body)


def _find_declaration(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a variable, a prototype, or a struct with a variable after it."""
    inner = node.child_by_field_name("type")
    if inner is not None and inner.type in _RECORD_KINDS and (found := _find_record(inner, source)):
        return found
    declared = _find_declarator(node)
    name = _read_qualified_name(declared, source) if declared is not None else ""
    return FoundDefinition(CONSTANT, name, None) if name else None


def _find_macro(node: Node, source: bytes) -> FoundDefinition | None:
    return FoundDefinition("macro", read_field(node, source, "name"), None)


def _find_constant(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `#define NAME value`; a header's guard has no value and is no constant."""
    if node.child_by_field_name("value") is None:
        return None
    return FoundDefinition(CONSTANT, read_field(node, source, "name"), None)


def _list_includes(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "path").strip('<>"')


def _read_include(text: str) -> Iterator[ImportBinding]:
    if match := _INCLUDE.search(text):
        yield ImportBinding(match[2] if match[1] == '"' else f"<{match[2]}>", "*", "*")


def _resolve_module(path: str, module: str) -> str:
    return join_path(posixpath.dirname(path), module) if module.startswith(".") else module


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match an included file with a path that ends so."""
    wanted = module.strip("<>")
    return path == wanted[1:] if wanted.startswith("/") else has_suffix(path, wanted)


C = Language(
    name="c",
    family="c",
    extensions=(".c", ".h"),
    grammar=Grammar("tree_sitter_c"),
    outline=OutlineRules(
        definitions={
            "function_definition": _find_function,
            "struct_specifier": _find_record,
            "union_specifier": _find_record,
            "enum_specifier": _find_record,
            "type_definition": _find_typedef,
            "declaration": _find_declaration,
            "preproc_function_def": _find_macro,
            "preproc_def": _find_constant,
        },
        through=frozenset(
            {
                "preproc_ifdef",
                "preproc_if",
                "preproc_else",
                "preproc_elif",
                "preproc_elifdef",
                "linkage_specification",
                "declaration_list",
            }
        ),
        imports={"preproc_include": _list_includes},
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_include,
        modules=ModuleRules(resolve=_resolve_module, matches=_matches_module),
    ),
)

CPP = replace(
    C,
    name="cpp",
    extensions=(".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inc", ".ipp"),
    shared_extensions={".h": _CPP_TEXT},
    grammar=Grammar("tree_sitter_cpp"),
    outline=replace(
        C.outline,
        definitions={
            **C.outline.definitions,
            "class_specifier": _find_record,
            "concept_definition": make_finder("type"),
            "alias_declaration": "type",
        },
        wraps=frozenset({"template_declaration"}),
        through=C.outline.through | {"namespace_definition", "labeled_statement"},
    ),
    graph=replace(
        C.graph,
        query=_CPP_QUERY,
        bindings=_CPP_BINDINGS,
        scope=ScopeRules(members_are_visible=True, self_is_implicit=True, classes_span_files=True),
    ),
)
