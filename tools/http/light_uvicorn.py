"""uvicorn without its supervisors, which restart servers and watch files: no server here uses them.

They and their libraries are 1.8 MB of the page's memory. Who imports `uvicorn.supervisors` gets the real ones.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUPERVISORS = "uvicorn.supervisors"


class _LazySupervisors(ModuleType):
    """Stand-in whose names are functions that load the real class when they are called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(_make_supervisor, name)


def _make_supervisor(name: str, /, *args: Any, **options: Any) -> Any:
    return getattr(import_module(_SUPERVISORS), name)(*args, **options)


@contextmanager
def _defer_supervisors() -> Iterator[None]:
    """Import uvicorn in the block with the stand-in, unless the real ones are loaded."""
    stand_in = _LazySupervisors(_SUPERVISORS)
    sys.modules.setdefault(_SUPERVISORS, stand_in)
    try:
        yield
    finally:
        if sys.modules[_SUPERVISORS] is stand_in:
            del sys.modules[_SUPERVISORS]


with _defer_supervisors():
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["H11Protocol", "uvicorn"]
