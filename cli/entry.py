"""Entry point of `aur`: quick answers first, then a process tuned for short commands."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import ModuleType

TYPE_CHECKING = False  # `typing` takes longer to import than `aur mcp` takes to answer
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


def main() -> int:
    """Run `aur` with the arguments of the process and return its exit code.

    While the command line is being loaded there is no error boundary yet, and no work to clean up: without the default
    action of the signal, Python would print a traceback.
    """
    # A hook has 0.2 s in all, and an assistant waits for the first answer
    # of a server: both are served before anything large is imported.
    if sys.argv[1:2] == ["hook"]:
        from aurora import hook  # noqa: PLC0415 - no other command needs it

        hook.begin_hook(sys.argv[2:])
    if "mcp" in sys.argv:
        from aurora import early  # noqa: PLC0415 - no other command needs it

        early.begin_server(sys.argv[1:])
    tune_process(sys.argv[1:])
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # `nohup` sets its own
    if is_default:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from aurora.cli.main import main as aur  # noqa: PLC0415 - loaded only after the signal is set

    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return aur()


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
        from importlib import import_module  # noqa: PLC0415 - most processes never come here

        return getattr(import_module(_PLUGIN_LOADER), name)
