"""Uses of chunks: a call that brings chunks to a model records one for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.tools.core import Context

_PERSON = ("cli", "page")
"""Surfaces on which a person sees the list of hits, and a model does not."""


def record_uses(ids: Iterable[str], context: Context) -> None:
    """Record a use of the chunks that a response has, unless a person sees it.

    It is one write, made later if another process is writing, and none in a read-only memory. It never fails.
    """
    if context.surface not in _PERSON:
        context.project.memory.try_record_use(tuple(dict.fromkeys(ids)))
