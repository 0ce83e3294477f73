"""Uses of a definition, and lines of the form of another, in the texts of the whole project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory import LinkFilter

from .sources import has_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory import Node

    from .sources import Definition, Sources

_MAX_LINKS = 300
_MAX_CHUNKS = 200
_LEAST_CONFIDENCE = 0.5


class Use(NamedTuple):
    """Line that uses a definition, with the symbol and the name of the definition around it."""

    path: str
    line: int
    symbol: str
    name: str


def find_node(sources: Sources, one: Definition) -> Node | None:
    """Find the node of the graph of a definition."""
    return next(iter(sources.memory.graph.find(f"{one.path}::{one.symbol}")), None)


_IS_DISTINCTIVE = re.compile(r"[a-z\d]_[a-z\d]|[a-z\d][A-Z]")
_NO_USE = re.compile(r"^\s*(?:#|//|\*|/\*|import\b|from\b.*\bimport\b|export\s*\{|use\s|require|\"\"\"|'''|>>>|\.\. )")


_ROLE = re.compile(r":\w+:`")
"""Reference in a docstring."""


def list_uses(sources: Sources, node: Node) -> list[Use]:
    """List the lines that use a function: those of the graph, and all with its unique name.

    The text also shows where a function is passed on without a call, as a callback.
    """
    page = sources.memory.graph.list_neighbors(node, LinkFilter(("calls",), "in", _LEAST_CONFIDENCE, _MAX_LINKS))
    uses = {
        (link.path, link.line): Use(link.path, link.line, link.node.symbol, link.node.name)
        for link in page.links
        if link.node.n != node.n
    }
    if _IS_DISTINCTIVE.search(node.name) and len(sources.find_definitions([node.name])) == 1:
        for path, row, line in find_lines(sources, node.name, node.language):
            if (path, row) not in uses and _uses_word(line, node.name):
                around = sources.read(path).list_around(row, row)
                uses[path, row] = Use(path, row, *((around[-1].symbol, around[-1].name) if around else ("", "")))
    return [use for use in uses.values() if not (use.path == node.path and node.start <= use.line <= node.end)]


def _uses_word(line: str, word: str) -> bool:
    """Return whether a line of code uses a name, and does not only import or quote it."""
    bare = re.sub(rf"""(["']){re.escape(word)}\1""", "", line)
    return has_word(bare, word) and not _NO_USE.match(line) and not _ROLE.search(line)


def find_lines(sources: Sources, phrase: str, language: str) -> Iterator[tuple[str, int, str]]:
    """Find the lines of code with a phrase: path, line, text."""
    for chunk in sources.memory.find_phrase(phrase, _MAX_CHUNKS):
        if chunk.language == language:
            for row, line in enumerate(chunk.text.split("\n"), chunk.start_line):
                if phrase in line:
                    yield chunk.path or "", row, line


_TOKENS = re.compile(r"\"[^\"]*\"|'[^']*'|[A-Za-z_$][\w$]*|\d+|[^\w\s]")
_VARIABLE = r"[A-Za-z_$][\w$]*"
_MIN_TOKENS = 5
_MIN_PHRASE = 10
_MAX_VARIABLE = 4
"""Letters of a name that may be another one in a line of the same form, as `e` for `err`."""
_IDIOM = re.compile(
    r"^\s*(?:import\b|from\b|return\s+\w+;?$|raise\b|throw\b|break|continue|pass|else|try|finally|@|#|//|\*|/\*|export\b"
    r"|use\b|def\b|class\b|(?:async\s+)?function\b|func\b|fn\b"
    r"|\w+\s*[:=]\s*(?:None|null|true|false|True|False|\[\]|\{\}|\d+|''|\"\")[,;]?$)"
)
_KEYWORDS = frozenset(
    {*("if", "not", "and", "or", "in", "is", "for", "new", "else", "with", "let", "var", "as", "from", "self", "this")}
    | {*("del", "try", "case", "of", "do", "nil", "null", "true", "None", "True")}
)


def find_like(sources: Sources, language: str, line: str) -> list[tuple[str, int]]:
    """Find the lines of the form of one: the same signs, calls and members, other variables."""
    tokens = _TOKENS.findall(line)
    if len(tokens) < _MIN_TOKENS or _IDIOM.match(line):
        return []
    is_variable = [_is_variable(tokens, at) for at in range(len(tokens))]
    fixed = [token for token, varies in zip(tokens, is_variable, strict=True) if not varies]
    names = [token for token in fixed if token.isidentifier() and len(token) > _MAX_VARIABLE]
    if not names or sum(map(len, fixed)) < _MIN_PHRASE:
        return []
    parts = [_VARIABLE if varies else re.escape(token) for token, varies in zip(tokens, is_variable, strict=True)]
    pattern = re.compile(r"\s*" + r"\s*".join(parts) + r"\s*")
    lines = find_lines(sources, max(names, key=len), language)
    return [(path, row) for path, row, text in lines if pattern.fullmatch(text)]


def _is_variable(tokens: list[str], at: int) -> bool:
    """Return whether a token is a short name that is neither called nor a member of something."""
    token = tokens[at]
    is_short = token.isidentifier() and token.islower() and len(token) <= _MAX_VARIABLE and token not in _KEYWORDS
    return is_short and tokens[at + 1 : at + 2] != ["("] and tokens[max(0, at - 1) : at] != ["."]
