"""How a short command starts: without what takes time and is of no use to it."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_SMALL_SUMS = frozenset({"search", "mcp"})
"""Commands that never multiply anything large: for a small product threads cost more than they bring."""


def start(words: Collection[str]) -> None:
    """Prepare this process for a command, before anything large is imported.

    Args:
        words: of the command line.
    """
    gc.set_threshold(100_000)  # what an import makes stays: a collection meanwhile finds nothing, in 10 ms
    if not _SMALL_SUMS.isdisjoint(words):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Plugins of other programs that share the environment have no business with our models; looking for them costs.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
