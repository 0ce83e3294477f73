"""JavaScript with JSX, TypeScript and TSX."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from functools import lru_cache
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
    is_module_file,
    join_path,
    normalize_name,
    read_field,
    read_text,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_FUNCTION_TYPES = frozenset({"arrow_function", "function_expression", "generator_function"})
_REQUIRE = re.compile(r"""\brequire\(\s*['"]([^'"]+)['"]\s*\)""")
_MAX_REQUIRE_CHARS = 400  # a require is at the front of its statement

_QUOTED = re.compile(r"""['"]([^'"\n]+)['"]""")
_BRACES = re.compile(r"\{([^}]*)\}", re.DOTALL)
_NAMESPACE = re.compile(r"\*\s+as\s+([\w$]+)")
_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([\w$]+)\s*(?:,|from)")
_REQUIRED = re.compile(r"""^\s*(\{[^}]*\}|[\w$]+)\s*=\s*require\(\s*['"]([^'"]+)['"]\s*\)""", re.DOTALL)
_SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".d")

_QUERY = """
(call_expression function: (identifier) @call)
(call_expression function: (member_expression) @call)
(new_expression constructor: (_) @new)
(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator value: (call_expression function: (identifier) arguments: (arguments (string)))) @import
(variable_declarator name: (identifier) value: (new_expression)) @bind
(assignment_expression left: (member_expression object: (this)) right: [(new_expression) (identifier)]) @bind
"""

_JSX_QUERY = """
(jsx_opening_element name: (_) @call)
(jsx_self_closing_element name: (_) @call)
"""

_TYPESCRIPT_QUERY = """
(class_heritage (extends_clause value: (_) @base))
(class_heritage (implements_clause (_) @impl))
(interface_declaration (extends_type_clause (_) @base))
(required_parameter pattern: (identifier) type: (type_annotation (type_identifier))) @bind
(variable_declarator name: (identifier) type: (type_annotation (type_identifier))) @bind
(public_field_definition type: (type_annotation (type_identifier))) @bind
"""

_BINDINGS = (
    re.compile(r"(?:private |public |protected |readonly )*(?P<v>(?:this\.)?[\w$]+)\s*[?!]?\s*:\s*(?P<t>[\w.$]+)"),
    re.compile(r"(?P<v>(?:this\.)?[\w$]+)\s*=\s*new\s+(?P<t>[\w.$]+)"),
)


def _classify_value(name: str, value: Node | None, otherwise: str = "") -> FoundDefinition | None:
    """Find the definition that a name is assigned: a function, a class, or `otherwise`."""
    if value is not None and value.type in _FUNCTION_TYPES:
        return FoundDefinition("function", name, value.child_by_field_name("body"))
    if value is not None and value.type == "class":
        return FoundDefinition("class", name, value.child_by_field_name("body"))
    return FoundDefinition(otherwise, name, None) if otherwise else None


def _find_variable(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `const f = () => …` as a function, `const LIMIT = 3` as a constant."""
    declared = [child for child in node.named_children if child.type == "variable_declarator"]
    names = [name for child in declared if (name := read_field(child, source, "name")).isidentifier()]
    if not names or len(names) < len(declared):
        return None
    found = _classify_value(names[0], declared[0].child_by_field_name("value"), CONSTANT)
    return found._replace(more=tuple(names[1:])) if found and len(names) > 1 else found


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `exports.f = function …` and `Foo.prototype.f = …`.

    A namespace in such a statement is TypeScript's.
    """
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None:
        return None
    if inner.type == "internal_module":
        return _find_namespace(inner, source)
    if inner.type != "assignment_expression":
        return None
    left = read_field(inner, source, "left")
    name = left.removeprefix("module.").removeprefix("exports.").replace(".prototype.", ".")
    if len(name) >= _MAX_REQUIRE_CHARS:
        return None
    return _classify_value(normalize_name(name), inner.child_by_field_name("right"))


def _find_default_export(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `export default function () …`, named `default`.

    In other places such a function is an expression.
    """
    if node.parent is None or node.parent.type != "export_statement":
        return None
    return _classify_value(read_field(node, source, "name") or "default", node)


def _find_member(node: Node, source: bytes) -> FoundDefinition | None:
    """Find a field or a property of an object whose value is a function."""
    name = read_field(node, source, "property") or read_field(node, source, "name") or read_field(node, source, "key")
    return _classify_value(name.strip("'\""), node.child_by_field_name("value"))


def _find_namespace(node: Node, source: bytes) -> FoundDefinition | None:
    name = normalize_name(read_field(node, source, "name").strip("'\""))
    return FoundDefinition("namespace", name, node.child_by_field_name("body")) if name else None


def _list_source(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "source").strip("'\"")


def _list_requires(node: Node, source: bytes) -> Iterator[str]:
    if node.end_byte - node.start_byte < _MAX_REQUIRE_CHARS:
        yield from _REQUIRE.findall(read_text(node, source))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import D, { a as b } from "m"`, `export … from`, `const x = require("m")`."""
    if match := _REQUIRED.match(text):
        yield from _read_require(match[1], match[2])
        return
    quoted = _QUOTED.findall(text)
    if not quoted or not text.startswith(("import", "export")):
        return
    module = quoted[-1]
    if match := _NAMESPACE.search(text):
        yield ImportBinding(module, "", match[1])
    elif text.startswith("export") and "*" in text.split("{", 1)[0]:
        yield ImportBinding(module, "*", "*")
    if match := _DEFAULT.match(text):
        yield ImportBinding(module, "default", match[1])
    inside = _BRACES.search(text)
    if inside:
        yield from _read_names(inside[1], module, " as ")
    elif text.startswith("import") and " from" not in text:
        yield ImportBinding(module, "", "")


def _read_require(target: str, module: str) -> Iterator[ImportBinding]:
    """Read the target of `= require("m")`: a name, or names in braces."""
    if target.startswith("{"):
        yield from _read_names(target.strip("{}"), module, ":")
    else:
        yield ImportBinding(module, "", target)


def _read_names(inside: str, module: str, by: str) -> Iterator[ImportBinding]:
    for part in inside.split(","):
        name, _, alias = part.strip().removeprefix("type ").partition(by)
        if name.strip():
            yield ImportBinding(module, name.strip(), alias.strip() or name.strip())


def _resolve_module(path: str, module: str) -> str:
    """Resolve `./m` from the file's folder."""
    return _resolve_dots(posixpath.dirname(path), module) if module.startswith(".") else module


@lru_cache(maxsize=1 << 12)
def _resolve_dots(folder: str, module: str) -> str:
    whole = join_path(folder, module)
    return whole.removesuffix(posixpath.splitext(whole)[1]) if whole.endswith(_SUFFIXES) else whole


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `@/a/b` and `~/a/b`, which begin at a root folder of the sources."""
    if module.startswith("/"):
        return is_module_file(module, path)
    wanted = module.removeprefix("@/").removeprefix("~/")
    return wanted != module and has_suffix(to_module_key(path), wanted)


JAVASCRIPT = Language(
    name="javascript",
    family="javascript",
    extensions=(".cjs", ".js", ".jsx", ".mjs"),
    interpreters=("node",),
    grammar=Grammar("tree_sitter_javascript"),
    outline=OutlineRules(
        definitions={
            "function_declaration": "function",
            "generator_function_declaration": "function",
            "class_declaration": "class",
            "method_definition": "function",
            "lexical_declaration": _find_variable,
            "variable_declaration": _find_variable,
            "expression_statement": _find_assignment,
            "function_expression": _find_default_export,
            "arrow_function": _find_default_export,
            "class": _find_default_export,
            "field_definition": _find_member,
            "pair": _find_member,
        },
        wraps=frozenset({"export_statement"}),
        through=frozenset({"if_statement", "statement_block"}),
        leading=frozenset({"comment", "decorator"}),
        imports={
            "import_statement": _list_source,
            "export_statement": _list_source,
            "lexical_declaration": _list_requires,
            "variable_declaration": _list_requires,
            "expression_statement": _list_requires,
        },
    ),
    graph=GraphRules(
        query=f"{_QUERY}{_JSX_QUERY}(class_heritage (_) @base)\n",
        read_imports=_read_imports,
        bindings=_BINDINGS,
        copy=re.compile(r"(?P<v>this\.[\w$]+)\s*=\s*(?P<s>[\w$]+)"),
        modules=ModuleRules(resolve=_resolve_module, matches=_matches_module, separator="/"),
        scope=ScopeRules(outside_needs_import=True, last_definition_wins=True),
    ),
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    extensions=(".cts", ".mts", ".ts"),
    interpreters=("bun", "deno"),
    grammar=Grammar("tree_sitter_typescript", "language_typescript"),
    outline=replace(
        JAVASCRIPT.outline,
        definitions={
            **JAVASCRIPT.outline.definitions,
            "abstract_class_declaration": "class",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "type_alias_declaration": "type",
            "function_signature": "function",
            "abstract_method_signature": "function",
            "public_field_definition": _find_member,
            "internal_module": _find_namespace,
            "module": _find_namespace,
        },
        wraps=frozenset({"export_statement", "ambient_declaration"}),
    ),
    graph=replace(JAVASCRIPT.graph, query=f"{_QUERY}{_TYPESCRIPT_QUERY}"),
)

TSX = replace(
    TYPESCRIPT,
    name="tsx",
    extensions=(".tsx",),
    interpreters=(),
    grammar=Grammar("tree_sitter_typescript", "language_tsx"),
    graph=replace(TYPESCRIPT.graph, query=f"{_QUERY}{_JSX_QUERY}{_TYPESCRIPT_QUERY}"),
)
