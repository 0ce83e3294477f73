"""How a short command starts: without what takes time and is of no use to it."""

from __future__ import annotations

import gc
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

_SINGLE_THREADED = frozenset({"search", "mcp"})
"""Commands that never multiply anything large: for a small product threads cost more than they bring."""
_PLUGINS_VARIABLE = "PYDANTIC_DISABLE_PLUGINS"
_PLUGIN_LOADER = "pydantic.plugin._loader"


def tune_process(words: Collection[str]) -> None:
    """Prepare this process for a command, before anything large is imported.

    Args:
        words: of the command line.
    """
    gc.set_threshold(100_000)  # what an import makes stays: a collection meanwhile finds nothing, in 10 ms
    if not _SINGLE_THREADED.isdisjoint(words):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Plugins of other programs that share the environment have no business with our models; looking for them costs.
    if os.environ.setdefault(_PLUGINS_VARIABLE, "__all__") == "__all__":
        sys.modules.setdefault(_PLUGIN_LOADER, _EmptyPluginLoader(_PLUGIN_LOADER))


class _EmptyPluginLoader(ModuleType):
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

        if sys.modules.get(_PLUGIN_LOADER) is self:
            del sys.modules[_PLUGIN_LOADER]
        return getattr(import_module(_PLUGIN_LOADER), name)
