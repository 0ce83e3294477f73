"""Ruby."""

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
    make_finder,
    normalize_name,
    read_field,
    read_text,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_REQUIRED = re.compile(r"""^(?:require|require_relative|load|autoload\s*\(?\s*:\w+,)\s*\(?\s*['"]([^'"]+)['"]""")
_REQUIRE = re.compile(r"""(require|require_relative|load)\s*\(?\s*['"]([^'"]+)['"]""")
_MAX_REQUIRE_CHARS = 300  # a require is short; other calls may contain a whole block
_VISIBILITY = frozenset({"private", "public", "protected", "module_function", "private_class_method"})

_QUERY = """
(call) @call
(superclass (_) @base)
(body_statement (identifier) @call)
(assignment left: [(identifier) (instance_variable)] right: (call)) @bind
"""


def _find_assignment(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `NAME = value`.

    A `Struct.new` or `Class.new` is a class in effect, and its name is read the same way.
    """
    left = node.child_by_field_name("left")
    if left is None or left.type != "constant":
        return None
    return FoundDefinition(CONSTANT, read_text(left, source), None)


def _find_singleton_method(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `def self.name`, a method of its class, and `def other.name`, a method of `other`."""
    owner, name = read_field(node, source, "object"), read_field(node, source, "name")
    full = name if owner == "self" else f"{normalize_name(owner)}.{name}"
    return FoundDefinition("function", full, node.child_by_field_name("body"))


def _find_modified_method(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `private def name`: the method, with its visibility."""
    if read_field(node, source, "method") not in _VISIBILITY:
        return None
    arguments = node.child_by_field_name("arguments")
    inner = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if inner is None or inner.type not in {"method", "singleton_method"}:
        return None
    return FoundDefinition("function", read_field(inner, source, "name"), inner.child_by_field_name("body"))


def _list_requires(node: Node, source: bytes) -> Iterator[str]:
    if node.end_byte - node.start_byte < _MAX_REQUIRE_CHARS:
        yield from _REQUIRED.findall(read_text(node, source))


def _read_require(text: str) -> Iterator[ImportBinding]:
    if match := _REQUIRE.match(text):
        yield ImportBinding(f"./{match[2]}" if match[1] == "require_relative" else match[2], "*", "*")


def _resolve_module(path: str, module: str) -> str:
    """Resolve the argument of `require_relative` from the file's folder."""
    return join_path(posixpath.dirname(path), module.removesuffix(".rb")) if module.startswith("./") else module


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `a/b` with a file whose path ends so."""
    return is_module_file(module, path) if module.startswith("/") else has_suffix(to_module_key(path), module)


RUBY = Language(
    name="ruby",
    family="ruby",
    extensions=(".gemspec", ".rake", ".rb"),
    file_names=("brewfile", "capfile", "gemfile", "guardfile", "podfile", "rakefile", "vagrantfile"),
    interpreters=("ruby",),
    grammar=Grammar("tree_sitter_ruby"),
    outline=OutlineRules(
        definitions={
            "module": make_finder("module"),
            "class": make_finder("class"),
            "method": "function",
            "singleton_method": _find_singleton_method,
            "assignment": _find_assignment,
            "call": _find_modified_method,
        },
        through=frozenset({"singleton_class", "body_statement", "if", "unless", "begin", "then"}),
        imports={"call": _list_requires},
        line_comments=("#",),
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_require,
        call_name="method",
        require_words=(b"require ", b"require(", b"require_relative", b"load "),
        constructor="new",
        bindings=(re.compile(r"(?P<v>@?\w+)\s*=\s*(?P<t>[\w:]+)\.new\b"),),
        modules=ModuleRules(resolve=_resolve_module, matches=_matches_module),
        scope=ScopeRules(
            members_are_visible=True, self_is_implicit=True, last_definition_wins=True, classes_span_files=True
        ),
    ),
)
