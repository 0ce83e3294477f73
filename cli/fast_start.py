"""Fast start of the process: skip what a short command does not use."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

_SINGLE_THREADED = frozenset({"search", "mcp", "serve"})
"""Commands that multiply only small matrices: threads cost them more than they gain."""
_PLUGINS_VARIABLE = "PYDANTIC_DISABLE_PLUGINS"
_PLUGIN_LOADER = "pydantic.plugin._loader"


def tune_process(words: Collection[str]) -> None:
    """Tune this process for a command, before large modules are imported.

    Args:
        words: the command line.
    """
    gc.set_threshold(100_000)  # objects made by imports stay: a collection meanwhile takes 10 ms and finds nothing
    if not _SINGLE_THREADED.isdisjoint(words):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Plugins of other programs in the same environment do not apply to these models; finding them takes time.
    if os.environ.setdefault(_PLUGINS_VARIABLE, "__all__") == "__all__":
        sys.modules.setdefault(_PLUGIN_LOADER, _EmptyPluginLoader(_PLUGIN_LOADER))


class _EmptyPluginLoader(ModuleType):
    """Stand-in for the module that pydantic asks for plugins, while they are disabled.

    The real one gives the same answer, but first loads the readers of package metadata: e-mail, archives and temporary
    files, a tenth of the time of a search. It is loaded when a version of pydantic asks for anything else.
    """

    @staticmethod
    def get_plugins() -> tuple[()]:
        """Return no plugin."""
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(_PLUGIN_LOADER) is self:
            del sys.modules[_PLUGIN_LOADER]
        return getattr(import_module(_PLUGIN_LOADER), name)
