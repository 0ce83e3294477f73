"""How a short command starts: without what takes time and is of no use to it."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

_SMALL_SUMS = frozenset({"search", "mcp"})
"""Commands that never multiply anything large: for a small product threads cost more than they bring."""
_LOADER = "pydantic.plugin._loader"


def start(words: Collection[str]) -> None:
    """Prepare this process for a command, before anything large is imported.

    Args:
        words: of the command line.
    """
    gc.set_threshold(100_000)  # what an import makes stays: a collection meanwhile finds nothing, in 10 ms
    if not _SMALL_SUMS.isdisjoint(words):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Plugins of other programs that share the environment have no business with our models; looking for them costs.
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        _without_looking()


def _without_looking() -> None:
    """Spare pydantic the module that looks for plugins: before it is told not to, it loads a mail reader for 10 ms.

    Whoever wants more of that module than its one function gets the real one.
    """
    stand_in = ModuleType(_LOADER)

    def real(name: str) -> Any:
        if name.startswith("__"):  # the import system asks for these
            raise AttributeError(name)
        sys.modules.pop(_LOADER, None)
        return getattr(import_module(_LOADER), name)

    vars(stand_in).update(get_plugins=tuple, __getattr__=real)
    sys.modules.setdefault(_LOADER, stand_in)
