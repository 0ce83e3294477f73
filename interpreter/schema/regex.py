r"""Linear-time matching of the keyword `pattern`.

Python's own engine backtracks: `^(\w+\s?)+$` against a sentence of fifty letters never finishes, and nothing else runs
meanwhile. The engine that pydantic uses tries all alternatives at once, and knows the same letters as Python does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaError, SchemaValidator, core_schema

if TYPE_CHECKING:
    from collections.abc import Callable


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a function that reports whether the pattern occurs in a text.

    Raises:
        re.error: it is not a regular expression; also OverflowError and RecursionError for an extreme one.
    """
    library = re.compile(pattern)
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True)).isinstance_python
    except SchemaError:  # a lookaround or a backreference, which only a backtracking engine supports
        return lambda text: library.search(text) is not None


class PatternKeyword:
    r"""The keyword `pattern`, in whose patterns `\w` and `\d` match more than ASCII."""

    def __init__(self, parent_schema: dict[str, Any], value: Any, schema_path: list[str | int]) -> None:
        del parent_schema, schema_path
        self._pattern = value
        self._matches = compile_pattern(value)

    def validate(self, instance: Any) -> None:
        """Raise ValueError for a text in which the pattern does not occur."""
        if isinstance(instance, str) and not self._matches(instance):
            raise ValueError(f"does not match the pattern {self._pattern}")
