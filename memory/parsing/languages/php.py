"""PHP."""

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
    has_suffix,
    is_module_file,
    join_path,
    read_text,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_REQUIRE = re.compile(r"(?:require|include)(?:_once)?\b\s*\(?([^;]*?)['\"]([^'\"$]+)['\"]\s*\)?\s*;?$")
_DEFINE = re.compile(r"\\?define\(\s*['\"](\w+)['\"]")
_MAX_REQUIRE_CHARS = 300
_MAX_DEFINE_CHARS = 200  # the name is at the front

_SOURCE_FOLDERS = frozenset({"", "app", "classes", "inc", "includes", "lib", "library", "source", "src"})
"""Folders that Composer maps to the first parts of a namespace, which are then no folders."""

_MAX_MAPPED_PARTS = 2

_QUERY = """
(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(function_call_expression function: (relative_name (name) @call))
(member_call_expression name: (name)) @call
(nullsafe_member_call_expression name: (name)) @call
(scoped_call_expression name: (name)) @call
(object_creation_expression (name) @new)
(object_creation_expression (qualified_name prefix: (_) (name) @new))
(class_declaration (base_clause [(name) @base (qualified_name prefix: (_) (name) @base)]))
(interface_declaration (base_clause [(name) @base (qualified_name prefix: (_) (name) @base)]))
(class_declaration (class_interface_clause [(name) @impl (qualified_name prefix: (_) (name) @impl)]))
(enum_declaration (class_interface_clause [(name) @impl (qualified_name prefix: (_) (name) @impl)]))
(use_declaration [(name) @base (qualified_name prefix: (_) (name) @base)])
(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
(assignment_expression left: [(variable_name) (member_access_expression)] right: (object_creation_expression)) @bind
(simple_parameter type: (_)) @bind
(property_promotion_parameter type: (_)) @bind
(property_declaration type: (_)) @bind
"""

_BINDINGS = (
    re.compile(r"\$(?P<v>(?:this->)?\w+)\s*=\s*new\s+(?:\\?\w+\\)*(?P<t>[A-Z]\w*)"),
    re.compile(
        r"(?:(?P<own>public|private|protected|readonly|var)\s+)?(?:(?:static|readonly|private|protected|public)\s+)*"
        r"\??(?:\\?\w+\\)*(?P<t>[A-Z]\w*)\s+&?\$(?P<v>\w+)"
    ),
)


def _find_constants(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `const A = 1, B = 2`, named after its first member."""
    elements = [child for child in node.named_children if child.type == "const_element"]
    names = [read_text(element.named_child(0), source) for element in elements]
    return FoundDefinition(CONSTANT, names[0], None, tuple(names[1:])) if names else None


def _find_define(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `define('NAME', value)`."""
    front = source[node.start_byte : min(node.end_byte, node.start_byte + _MAX_DEFINE_CHARS)]
    match = _DEFINE.match(front.decode("utf-8", "replace"))
    return FoundDefinition(CONSTANT, match[1], None) if match else None


def _list_uses(node: Node, source: bytes) -> Iterator[str]:
    yield from (module.replace("/", "\\") for module, *_ in _read_use(read_text(node, source)))


def _list_requires(node: Node, source: bytes) -> Iterator[str]:
    if node.end_byte - node.start_byte <= _MAX_REQUIRE_CHARS:
        yield from (module for module, *_ in _read_require(read_text(node, source)))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    r"""Read `use A\B`, `use A\B as C`, `use A\{B, C as D}`, and `require __DIR__ . '/a.php'`."""
    yield from _read_use(text) if text.startswith("use") else _read_require(text)


def _read_use(text: str) -> Iterator[ImportBinding]:
    """Read the classes of a `use`; functions are found by their names."""
    text = text.removeprefix("use").strip(" ;\t\r\n")
    before, brace, group = text.partition("{")
    for clause in (group.rstrip("} ") if brace else text).split(","):
        words = f"{before}{clause.strip()}".split() if brace else clause.split()
        if not words or words[0] in {"function", "const"} or clause.split()[:1] in (["function"], ["const"]):
            continue
        module = words[0].strip("\\").replace("\\", "/")
        name = module.rpartition("/")[2]
        yield ImportBinding(module, name, words[-1] if "as" in words else name)


def _read_require(text: str) -> Iterator[ImportBinding]:
    """Read a `require` or `include` of a literal path; after an unknown constant it is the end of a path."""
    match = _REQUIRE.match(text) if len(text) <= _MAX_REQUIRE_CHARS else None
    if match is None:
        return
    before, path = match[1].replace(" ", ""), match[2].removesuffix(".php").lstrip("/")
    if "__DIR__" in before or "__FILE__" in before or not before:
        climbs = before.count("dirname(") - ("__FILE__" in before)
        path = "./" + "../" * max(climbs, 0) + path
    yield ImportBinding(path, "*", "*")


def _resolve_module(path: str, module: str) -> str:
    """Resolve a relative file from the folder of the file that names it."""
    if not module.startswith("./"):
        return module
    return "/" + to_module_key(join_path(posixpath.dirname(path), module)[1:])


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `A/B/C` with the file of the class `C`, in a folder `B` or in one that Composer maps to `A/B`."""
    if module.startswith("/"):
        return is_module_file(module, path)
    namespace, _, name = module.rpartition("/")
    folder, file = posixpath.split(path)
    if file.partition(".")[0] != name:
        return False
    if not namespace:
        return not folder
    last = posixpath.basename(folder).lower()
    if last == posixpath.basename(namespace).lower():
        return True
    mapped = namespace.count("/") < _MAX_MAPPED_PARTS and last in _SOURCE_FOLDERS
    return mapped or has_suffix(to_module_key(path), module)


PHP = Language(
    name="php",
    family="php",
    extensions=(".php", ".phtml"),
    interpreters=("php",),
    grammar=Grammar("tree_sitter_php", "language_php"),
    outline=OutlineRules(
        definitions={
            "class_declaration": "class",
            "interface_declaration": "interface",
            "trait_declaration": "trait",
            "enum_declaration": "enum",
            "method_declaration": "function",
            "function_definition": "function",
            "const_declaration": _find_constants,
            "expression_statement": _find_define,
        },
        through=frozenset(
            {"namespace_definition", "compound_statement", "if_statement", "else_clause", "else_if_clause"}
        ),
        imports={"namespace_use_declaration": _list_uses, "expression_statement": _list_requires},
        line_comments=("//", "/*", "*", "#"),
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        call_name="name",
        variable_mark="$",
        bindings=_BINDINGS,
        modules=ModuleRules(resolve=_resolve_module, matches=_matches_module, separator="/", reexports=False),
        scope=ScopeRules(folder_is_scope=True),
    ),
)
