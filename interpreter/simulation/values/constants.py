"""Constants of expressions: the literals and names to generate values around."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.sites import walk_tree
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.expressions.meter import stop_metering

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LIST_LENGTH = 50
"""A number beyond this is not taken for the length of a list."""


@dataclass(frozen=True, slots=True)
class ComparedConstants:
    """The constants that expressions compare with.

    Attributes:
        texts, numbers: literals of these types.
        wholes: literals that are lists or objects.
        names: every field that an expression names.
    """

    texts: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()
    wholes: tuple[Any, ...] = ()
    names: frozenset[str] = frozenset()

    def list_lengths(self) -> tuple[int, ...]:
        """List the lengths below, at and above the numbers."""
        near = {int(one) + step for one in self.numbers for step in (-1, 0, 1)}
        return tuple(sorted(one for one in near if 0 <= one <= MAX_LIST_LENGTH))


NO_CONSTANTS = ComparedConstants()


def collect_constants(texts: Iterable[str]) -> ComparedConstants:
    """Collect the constants of these expressions; an invalid one has none."""
    found: list[Any] = []
    names: set[str] = set()
    for text in texts:
        literals, fields = _read_expression(text)
        found += literals
        names |= fields
    numbers = [one for one in found if isinstance(one, int | float) and not isinstance(one, bool) and isfinite(one)]
    return ComparedConstants(
        texts=tuple(dict.fromkeys(one for one in found if isinstance(one, str))),
        numbers=tuple(sorted(set(numbers))),
        wholes=tuple(one for one in found if isinstance(one, list | dict)),
        names=frozenset(names),
    )


@lru_cache(maxsize=1024)
def _read_expression(text: str) -> tuple[tuple[Any, ...], frozenset[str]]:
    """Read the literals of an expression, and the fields that it names; none of an invalid one."""
    try:
        with stop_metering():
            nodes = list(walk_tree(compile_expression(text).parsed))
    except ExpressionError:
        return (), frozenset()
    literals = tuple(node["value"] for node in nodes if node["type"] == "literal")
    return literals, frozenset(node["value"] for node in nodes if node["type"] == "field")
