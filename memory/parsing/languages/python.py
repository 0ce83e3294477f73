"""Python."""

from __future__ import annotations

import posixpath
import re
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
    read_field,
    read_text,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_COMMENT = re.compile(r"#[^\n]*")
_FROM = re.compile(r"from\s+(\.*\s*[\w.]*)\s+import\s+(.*)", re.DOTALL)
_AS = re.compile(r"\s+as\s+")

_QUERY = """
(call function: (identifier) @call)
(call function: (attribute) @call)
(decorator (identifier) @call)
(decorator (attribute) @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: (_) @base)))
(import_statement) @import
(import_from_statement) @import
(assignment left: [(identifier) (attribute)] right: (call function: [(identifier) (attribute)])) @bind
(assignment left: [(identifier) (attribute)] type: (type)) @bind
(assignment left: [(identifier) (attribute)] right: [(identifier) (attribute)]) @bind
(typed_parameter) @bind
(typed_default_parameter) @bind
(with_item value: (as_pattern)) @bind
"""

_BINDINGS = (
    re.compile(r"(?P<t>[\w.]+)\(.*\)\s+as\s+(?P<v>\w+)$", re.DOTALL),
    re.compile(r"""(?P<v>(?:self\.)?\w+)\s*:\s*["']?(?P<t>[^="']+)"""),
    re.compile(r"(?P<v>(?:self\.)?\w+)\s*=\s*(?P<t>[\w.]+)\("),
)


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `NAME = value` and `NAME: type = value`."""
    inner = node.named_child(0)
    if inner.type != "assignment":
        return None
    left = inner.child_by_field_name("left")
    if left is None or left.type != "identifier":
        return None
    return FoundDefinition(CONSTANT, read_text(left, source), None)


def _find_type_alias(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `type Name = …`."""
    name = read_field(node, source, "left").split("[", 1)[0].strip()
    return FoundDefinition("type", name, None) if name else None


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    for child in node.named_children:
        yield read_field(child, source, "name") if child.type == "aliased_import" else read_text(child, source)


def _list_from_import(node: Node, source: bytes) -> Iterator[str]:
    yield read_field(node, source, "module_name")


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `import a.b as c`, and `from .m import x as y, z`."""
    text = _COMMENT.sub("", text)
    if match := _FROM.match(text):
        module = "".join(match[1].split())
        for part in match[2].strip("() \t\n").split(","):
            name, *alias = _AS.split(part.strip(" \t\n\\()"))
            if name:
                yield ImportBinding(module, name, (alias or [name])[0])
        return
    for part in text.removeprefix("import").split(","):
        name, *alias = _AS.split(part.strip())
        if name:
            yield ImportBinding(name, "", (alias or [name])[0])


def _resolve_module(path: str, module: str) -> str:
    """Resolve `.m` and `..m` from the file's folder."""
    return _resolve_dots(posixpath.dirname(path), module) if module.startswith(".") else module


@lru_cache(maxsize=1 << 12)
def _resolve_dots(folder: str, module: str) -> str:
    rest = module.lstrip(".")
    for _ in range(len(module) - len(rest) - 1):
        folder = posixpath.dirname(folder)
    return join_path(folder, rest.replace(".", "/"))


def _matches_module(module: str, path: str, packages: AbstractSet[str]) -> bool:
    """Match `a.b` with a file whose path ends so; a name never begins inside a package."""
    if module.startswith("/"):
        return is_module_file(module, path)
    wanted, key = module.replace(".", "/"), to_module_key(path)
    return has_suffix(key, wanted) and key[: len(key) - len(wanted)].rstrip("/") not in packages


PYTHON = Language(
    name="python",
    family="python",
    extensions=(".py", ".pyi", ".pyw"),
    interpreters=("pypy", "python"),
    grammar=Grammar("tree_sitter_python"),
    outline=OutlineRules(
        definitions={
            "function_definition": "function",
            "class_definition": "class",
            "expression_statement": _find_assignment,
            "type_alias_statement": _find_type_alias,
        },
        wraps=frozenset({"decorated_definition"}),
        through=frozenset(
            {
                "if_statement",
                "elif_clause",
                "else_clause",
                "try_statement",
                "except_clause",
                "finally_clause",
                "with_statement",
                "block",
            }
        ),
        imports={"import_statement": _list_imports, "import_from_statement": _list_from_import},
        line_comments=("#",),
        docstring=True,
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        bindings=_BINDINGS,
        copy=re.compile(r"(?P<v>(?:self\.)?\w+)\s*=\s*(?P<s>(?:self\.)?\w+)"),
        modules=ModuleRules(resolve=_resolve_module, matches=_matches_module),
        scope=ScopeRules(outside_needs_import=True, last_definition_wins=True),
    ),
)
