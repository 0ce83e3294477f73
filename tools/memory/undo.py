"""mem.undo: the last forgetting, consolidation or import, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class UndoInput(StrictModel):
    """Nothing to say."""


class UndoOutput(StrictModel):
    """What was taken back, and what that did.

    `at` is when it was done, in ISO 8601, UTC; `back` counts records that are again what they were, `gone` those that
    had been added; `runs_left` are imported runs that have gone on since and stay.
    """

    action: str
    summary: str
    at: str
    back: int
    gone: int
    runs_left: tuple[str, ...]


def undo_change(given: UndoInput, context: Context) -> UndoOutput:
    """Take it back.

    Raises:
        Fault: NOT_FOUND when there is nothing to take back.
    """
    from aurora.memory.records import undo_last as take_back  # noqa: PLC0415 - listing tools must not pay for SQLite

    del given
    done = take_back(context.project.memory.store)
    return UndoOutput(
        action=done.action,
        summary=done.summary,
        at=done.at,
        back=done.restored_count,
        gone=done.removed_count,
        runs_left=done.runs_left,
    )


TOOL = Tool(
    name="mem.undo",
    title="Take the last change back",
    description=(
        "Take back the last forgetting, consolidation or import of the memory, exactly; what was used or added since "
        "stays. Again, it takes back the one before."
    ),
    input=UndoInput,
    output=UndoOutput,
    run=undo_change,
    family="knowledge",
    risk="high",
    idempotent=False,
    timeout=120.0,
    examples=(Example("The last one", {}),),
    mcp="aurora_mem_undo",
    command=Command("mem undo", "Undo the last forget, consolidate or import."),
)
