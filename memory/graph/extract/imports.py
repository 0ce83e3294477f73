"""Import statements: the bindings that their text brings into a file."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.model import ImportBinding
    from aurora.memory.parsing.languages import Language

_MAX_CACHED_CHARS = 200


def read_imports(language: Language, text: str) -> Sequence[ImportBinding]:
    """Read an import statement; short ones, which many files share, are cached."""
    if len(text) <= _MAX_CACHED_CHARS:
        return _read_cached(language, text)
    return tuple(language.graph.read_imports(text))


@lru_cache(maxsize=1 << 13)
def _read_cached(language: Language, text: str) -> Sequence[ImportBinding]:
    return tuple(language.graph.read_imports(text))
