"""The shell: bash, and what it shares with `sh`."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import (
    CONSTANT,
    FOLDER_STEMS,
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

_SOURCE = re.compile(r"(?:source|\.)[ \t]+(?:--[ \t]+)?(.+)", re.DOTALL)
_OWN_FOLDER = re.compile(r"\$\(.*\)|\$\{BASH_SOURCE[^}]*\}|\$\{0%/\*\}")
_VARIABLE_FOLDER = re.compile(r"\$(?:\w+|\{[^}]*\})")
_LITERAL_PATH = re.compile(r"[\w.+/-]*[\w+-]")
_MAX_SOURCE_CHARS = 300

_QUERY = """
(command name: (command_name (word))) @call
"""


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `NAME=value`; a name in lower case is a variable of the script."""
    name = read_field(node, source, "name")
    return FoundDefinition(CONSTANT, name, None) if name.isupper() else None


def _find_declaration(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `readonly A=1 B=2` and `export A=1`, named after its first member."""
    assigned = [child for child in node.named_children if child.type == "variable_assignment"]
    names = [name for child in assigned if (name := read_field(child, source, "name")).isupper()]
    return FoundDefinition(CONSTANT, names[0], None, tuple(names[1:])) if names else None


def _list_sourced(node: Node, source: bytes) -> Iterator[str]:
    if read_field(node, source, "name") in {"source", "."}:
        yield from (module for module, *_ in _read_source(read_text(node, source)[:_MAX_SOURCE_CHARS]))


def _read_source(text: str) -> Iterator[ImportBinding]:
    """Read `source a/b.sh`, `. "$(dirname "$0")/b.sh"` and `. "$FOLDER/b.sh"`.

    A path after a variable is the end of a path; after a command it is taken from the file's folder.
    """
    match = _SOURCE.match(text)
    if match is None:
        return
    path = match[1].strip()
    own = _OWN_FOLDER.search(path)
    variable = None if own else _VARIABLE_FOLDER.search(path)
    if found := own or variable:
        path = path[found.end() :]
    literal = _LITERAL_PATH.match(path.lstrip("\"'" if not found else "\"'/"))
    if literal is None or literal[0].startswith("/"):
        return
    path = literal[0]
    if own or (posixpath.basename(path).partition(".")[0] in FOLDER_STEMS and "/" not in path):
        path = f"./{path}"
    yield ImportBinding(path, "*", "*")


def _resolve_module(path: str, module: str) -> str:
    """Resolve a relative file from the folder of the file that names it."""
    if not module.startswith(("./", "../")):
        return to_module_key(module)
    return "/" + to_module_key(join_path(posixpath.dirname(path), module)[1:])


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `a/b` with a file whose path ends so."""
    return is_module_file(module, path) if module.startswith("/") else has_suffix(to_module_key(path), module)


SHELL = Language(
    name="shell",
    family="shell",
    extensions=(".bash", ".sh"),
    interpreters=("ash", "bash", "dash", "ksh", "sh"),
    grammar=Grammar("tree_sitter_bash"),
    outline=OutlineRules(
        definitions={
            "function_definition": "function",
            "variable_assignment": _find_assignment,
            "declaration_command": _find_declaration,
        },
        through=frozenset(
            {"if_statement", "elif_clause", "else_clause", "compound_statement", "redirected_statement", "list"}
        ),
        imports={"command": _list_sourced},
        line_comments=("#",),
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_source,
        call_name="name",
        require_words=(b"source ", b". "),
        calls_are_words=True,
        modules=ModuleRules(resolve=_resolve_module, matches=_matches_module, separator="/", reexports=False),
        scope=ScopeRules(last_definition_wins=True),
    ),
)
