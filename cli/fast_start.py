"""How a short command starts: without what takes time and is of no use to it."""

from __future__ import annotations

import gc
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

_SMALL_SUMS = frozenset({"search", "mcp"})
"""Commands that never multiply anything large: for a small product threads cost more than they bring."""
_SWITCH = "PYDANTIC_DISABLE_PLUGINS"
_FINDER = "pydantic.plugin._loader"


def start(words: Collection[str]) -> None:
    """Prepare this process for a command, before anything large is imported.

    Args:
        words: of the command line.
    """
    gc.set_threshold(100_000)  # what an import makes stays: a collection meanwhile finds nothing, in 10 ms
    if not _SMALL_SUMS.isdisjoint(words):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Plugins of other programs that share the environment have no business with our models; looking for them costs.
    if os.environ.setdefault(_SWITCH, "__all__") == "__all__":
        sys.modules.setdefault(_FINDER, _NoPlugins(_FINDER))


class _NoPlugins(ModuleType):
    """What pydantic asks for plugins where they are switched off.

    Its own module for that says the same then, but loads what reads the metadata of packages first: e-mail, archives
    and temporary files, a tenth of what a search takes. It is loaded when a version of pydantic asks for anything else.
    """

    @staticmethod
    def get_plugins() -> tuple[()]:
        """No plugin."""
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from importlib import import_module  # noqa: PLC0415 - see above

        if sys.modules.get(_FINDER) is self:
            del sys.modules[_FINDER]
        return getattr(import_module(_FINDER), name)
