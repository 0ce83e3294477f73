"""`mem.undo`: undo the last forget, consolidate or import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory import records
from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class UndoInput(StrictModel):
    """No input."""


class UndoOutput(StrictModel):
    """Change that was undone, and the effects.

    `at` is the time of the change in ISO 8601, UTC; `back` counts restored records, `gone` removed ones; `runs_left`
    lists imported runs that stay because they have continued since.
    """

    action: str
    summary: str
    at: str
    back: int
    gone: int
    runs_left: tuple[str, ...]


def undo_change(given: UndoInput, context: Context) -> UndoOutput:
    """Undo the last change of the memory.

    Raises:
        Fault: NOT_FOUND when there is no memory, or nothing to undo.
    """
    del given
    context.require_memory()
    done = records.undo_last(context.project.memory.shared_store)
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
    title="Undo the last change",
    description=(
        "Undo the last forget, consolidate or import of the memory, exactly; later uses and additions stay. Run again "
        "to undo the change before it."
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
