"""JMESPath expressions: parsed, cached and evaluated, and the names that they read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .error import TOO_DEEP, ExpressionError, check_depth, check_text, explain_syntax_error
from .meter import Budget, charge_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    from .error import Tree

_PLAIN_PATH = re.compile(r"[a-z_][a-z0-9_]*+(?:\.[a-z_][a-z0-9_]*+)*+", re.ASCII | re.IGNORECASE)
"""A path of names, as most inputs are read; its tree needs no parser."""

_MAX_SHORT = 500
"""Characters of an expression of which many are cached."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    Attributes:
        parsed: the library's syntax tree.
    """

    parsed: Tree

    def evaluate(self, scope: Any) -> Any:
        """Evaluate over `scope`, within a budget of its own.

        Raises:
            ExpressionError: a function rejects its arguments, or there is too much work.
            Cancelled: the call was cancelled.
        """
        return evaluate_tree(self.parsed, scope)


def compile_expression(text: str) -> Expression:
    """Parse the expression; the result is cached.

    Raises:
        ExpressionError: when the text is not JMESPath, too long, or nested too deeply.
    """
    if len(text) <= _MAX_SHORT:
        return _compile_short(text)
    # A cache of long expressions only would fill the memory: the tree of 10,000 characters takes a megabyte.
    charge_work(_PARSING_WORK * len(text))
    return _compile_long(text)


_PARSING_WORK = 10
"""Work of parsing a character, in steps, whether the cache has the expression or not."""


@lru_cache(maxsize=2048)
def _compile_short(text: str) -> Expression:
    return _compile_text(text)


@lru_cache(maxsize=32)
def _compile_long(text: str) -> Expression:
    return _compile_text(text)


def _compile_text(text: str) -> Expression:
    if len(text) <= _MAX_SHORT and _PLAIN_PATH.fullmatch(text):
        return Expression(_parse_text(text))  # it is within every limit
    check_text(text)
    tree = _parse_text(text)
    check_depth(tree)
    return Expression(tree)


def _parse_text(text: str) -> Tree:
    if _PLAIN_PATH.fullmatch(text):
        return _build_path([{"type": "field", "children": [], "value": name} for name in text.split(".")])
    library = _load_library()
    try:
        return library.compile(text).parsed  # type: ignore[no-any-return]
    except RecursionError:
        raise ExpressionError(TOO_DEEP) from None
    except library.exceptions.JMESPathError as error:
        raise explain_syntax_error(text, error) from None
    except Exception as error:  # noqa: BLE001 - the lexer raises ValueError and KeyError on odd literals
        raise ExpressionError(f"this is not a JMESPath expression ({error})") from None


def _build_path(fields: list[Tree]) -> Tree:
    """Build the library's tree of a path with these fields."""
    return fields[0] if len(fields) == 1 else {"type": "subexpression", "children": fields}


def evaluate_expression(text: str, scope: Mapping[str, Any]) -> Any:
    """Evaluate the expression over `scope`.

    Raises:
        ExpressionError: when it is not JMESPath, a function rejects its arguments, or there is too much work.
        Cancelled: the call was cancelled.
    """
    return compile_expression(text).evaluate(scope)


def evaluate_tree(tree: Tree, scope: Any, budget: Budget | None = None) -> Any:
    """Evaluate a tree, or a part of one, over `scope`, within a budget of its own or the given one.

    Raises:
        ExpressionError: a function rejects its arguments, or there is too much work.
        Cancelled: the call was cancelled.
    """
    counted = budget or Budget()
    before = counted.work
    try:
        return _load_interpreter()(tree, scope, counted)
    except RecursionError:
        raise ExpressionError(TOO_DEEP) from None
    except Exception as error:  # noqa: BLE001 - the library also raises TypeError and others
        raise ExpressionError(_describe_error(error)) from None
    finally:
        charge_work(_EVALUATION_WORK + counted.work - before)


_EVALUATION_WORK = 25
"""Work of an evaluation without its steps, in steps."""


def _describe_error(error: Exception) -> str:
    text = str(error).split("\n", 1)[0]
    if isinstance(error, TypeError):
        return "it compares or combines values of different types; numbers are written in backticks"
    return text or type(error).__name__


@lru_cache(maxsize=1)
def _load_interpreter() -> Callable[[Tree, Any, Budget], Any]:
    from aurora.interpreter.expressions.evaluate import evaluate_counted  # noqa: PLC0415 - it imports the library, 14 ms

    return evaluate_counted


def _load_library() -> ModuleType:
    import jmespath  # noqa: PLC0415 - 14 ms that a list of tools must not pay

    return jmespath


_FIRST_ONLY = frozenset(
    {"subexpression", "index_expression", "projection", "value_projection", "filter_projection", "pipe", "flatten"}
)
"""Nodes whose other children are evaluated on the value of the first one."""


@lru_cache(maxsize=4096)
def find_root_names(text: str) -> frozenset[str]:
    """Find the names that an expression reads at the root of its scope; none for an invalid one."""
    try:
        return frozenset(_iter_names(compile_expression(text).parsed))
    except ExpressionError:
        return frozenset()


@lru_cache(maxsize=4096)
def find_field_names(text: str) -> frozenset[str]:
    """Find all names of fields in an expression, and `*` for any field."""
    try:
        waiting, found = [compile_expression(text).parsed], set()
    except ExpressionError:
        return frozenset()
    while waiting:
        node = waiting.pop()
        if node["type"] in ("field", "value_projection"):
            found.add(node["value"] if node["type"] == "field" else "*")
        waiting += node["children"]
    return frozenset(found)


def _iter_names(tree: dict[str, Any]) -> Iterator[str]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node["type"] == "field":
            yield node["value"]
        elif node["type"] != "expref":
            children = node["children"]
            waiting += children[:1] if node["type"] in _FIRST_ONLY else children
