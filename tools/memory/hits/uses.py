"""Uses of chunks: a call that brings chunks to a model records one for each."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.memory import has_memory, usage

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


def record_line_uses(path: str, start: int, text: str, context: Context, *, is_first: bool) -> None:
    """Record a use of the chunks that have one of the lines shown, unless a person sees them.

    Args:
        path: the file, relative to the project.
        start: the line that the text begins with.
        text: the lines; a page of them.
        context: the call.
        is_first: the first page; on a later one a chunk that begins before it has been counted.
    """
    if context.surface in _PERSON or not text or not has_memory(context.root):
        return
    with suppress(Fault):  # the file is shown, whatever the state of the memory
        store = context.project.memory.store
        end = start + text.removesuffix("\n").count("\n")
        used = usage.find_chunks_at_lines(store, path, start, end)
        earlier = () if is_first else usage.find_chunks_at_lines(store, path, 1, start - 1)
        record_uses((id_ for id_ in used if id_ not in earlier), context)
