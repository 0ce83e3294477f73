"""Elixir; its definitions are calls of macros."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.model.graph import ImportBinding

from .language import (
    FoundDefinition,
    Grammar,
    GraphRules,
    Language,
    ModuleRules,
    OutlineRules,
    ScopeRules,
    find_child,
    read_field,
    read_text,
    to_module_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

_FUNCTIONS = frozenset(
    {"def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate", "defn", "defnp"}
)
_MODULES = {"defmodule": "module", "defprotocol": "interface", "defimpl": "impl"}
_IMPORT_WORDS = frozenset({"alias", "behaviour", "import", "require", "use"})

_QUERY = """
(call (arguments)) @call
(call target: (dot left: (alias))) @call
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @call right: (integer)))
(map (struct (alias) @new))
(call target: (identifier) (arguments . (alias) @impl (keywords)) (do_block))
"""

_DEFINER = re.compile(rb"(?:def[a-z]*|(?<=@)(?:spec|callback|macrocallback|typep?|opaque))\b\s*\(?\s*|(?<=@)\w+")
"""A call that defines something or sets an attribute, up to the call that is its head."""

_IMPORT = re.compile(r"(?:alias|behaviour|import|require|use)\s*\(?\s*([A-Z][\w.]*?)(?:\.\{([^{}]*)\})?(?![\w.])")
_AS = re.compile(r",\s*as:\s*([A-Z][\w.]*)")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _find_definition(node: Node, source: bytes) -> FoundDefinition | None:
    """Find `defmodule A.B do … end`, `def f(x) when … do … end`, and `defimpl P, for: A` as more of `A`."""
    word = read_field(node, source, "target")
    arguments = find_child(node, "arguments")
    head = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if head is None:
        return None
    body = find_child(node, "do_block")
    if word in _FUNCTIONS:
        return FoundDefinition("function", _read_name(head, source), body)
    if word not in _MODULES or head.type != "alias":
        return None
    name = read_text(head, source)
    if word == "defimpl" and arguments is not None:
        name = _read_implementing_type(arguments, source) or name
    return FoundDefinition(_MODULES[word], name, body)


def _read_name(head: Node, source: bytes) -> str:
    """Read the name of a function: `f`, `f(x)`, `f(x) when …`, or an operator between its arguments."""
    for _ in range(2):
        if head.type != "binary_operator":
            break
        operator = read_field(head, source, "operator")
        if operator != "when":
            return operator
        head = head.child_by_field_name("left") or head
    return read_text(head, source) if head.type == "identifier" else read_field(head, source, "target")


def _read_implementing_type(arguments: Node, source: bytes) -> str:
    keywords = find_child(arguments, "keywords")
    for pair in keywords.named_children if keywords is not None else ():
        if read_field(pair, source, "key").strip() == "for:":
            name = read_field(pair, source, "value")
            return name if name.replace(".", "_").isidentifier() else ""
    return ""


def _list_imports(node: Node, source: bytes) -> Iterator[str]:
    if read_field(node, source, "target") in _IMPORT_WORDS:
        yield from (binding.module for binding in _read_imports(read_text(node, source)[:300]))


def _read_imports(text: str) -> Iterator[ImportBinding]:
    """Read `alias A.B`, `alias A.{B, C}`, `alias A.B, as: C`, `import A`, `use A` and their like."""
    if (match := _IMPORT.match(text)) is None:
        return
    whole = [f"{match[1]}.{name.strip()}" for name in match[2].split(",")] if match[2] else [match[1]]
    renamed = _AS.search(text)
    for module in whole:
        name = module.rpartition(".")[2]
        yield ImportBinding(module, name, renamed[1] if renamed else name)


def _to_file_name(module: str) -> str:
    return _CAPITAL.sub("_", module).lower()


def _matches_module(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `Shop.TaxRate` with a file `tax_rate` below a folder `shop`: Phoenix puts folders between."""
    *before, last = _to_file_name(module).split(".")
    *folders, stem = to_module_key(path).split("/")
    return stem == last and all(part in folders for part in before)


ELIXIR = Language(
    name="elixir",
    family="elixir",
    extensions=(".ex", ".exs"),
    interpreters=("elixir",),
    grammar=Grammar("tree_sitter_elixir"),
    outline=OutlineRules(
        definitions={"call": _find_definition},
        leading=frozenset({"comment", "unary_operator"}),
        imports={"call": _list_imports},
        line_comments=("#",),
        clauses=True,
    ),
    graph=GraphRules(
        query=_QUERY,
        read_imports=_read_imports,
        call_name="target",
        require_words=tuple(f"{word} ".encode() for word in sorted(_IMPORT_WORDS)),
        definer=_DEFINER,
        modules=ModuleRules(matches=_matches_module, reexports=False, exports_members=True, names_are_whole=True),
        scope=ScopeRules(members_are_visible=True, self_is_implicit=True, last_definition_wins=True),
    ),
)
