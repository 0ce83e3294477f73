"""`mem.forget`: remove facts and patterns; `mem.undo` restores them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import records
from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ForgetInput(StrictModel):
    """Records to remove."""

    ids: tuple[str, ...] = Field(min_length=1, max_length=1000, description="The ids of facts and patterns.")


class ForgottenRow(StrictModel):
    """Removed record."""

    id: str
    kind: str
    subject: str


class ForgetOutput(StrictModel):
    """Removed records."""

    forgotten: tuple[ForgottenRow, ...]


def forget_memories(given: ForgetInput, context: Context) -> ForgetOutput:
    """Remove records, all of them or none.

    Raises:
        Fault: NOT_FOUND for ids that do not exist, CONFLICT for chunks of files; then nothing is removed.
    """
    context.require_memory()
    gone = records.forget_records(context.project.memory.shared_store, given.ids)
    return ForgetOutput(
        forgotten=tuple(ForgottenRow(id=one.chunk.id, kind=one.chunk.kind, subject=one.chunk.symbol) for one in gone)
    )


TOOL = Tool(
    name="mem.forget",
    title="Forget facts and patterns",
    description=(
        "Remove facts and patterns from the memory by id, all of them or none; `aur mem undo` restores them. "
        "A chunk of a file is rejected: the next indexing would add it again."
    ),
    input=ForgetInput,
    output=ForgetOutput,
    run=forget_memories,
    family="knowledge",
    risk="high",
    idempotent=False,
    timeout=30.0,
    constraints=("It does not remove code or documents: they belong to the project's files.",),
    examples=(Example("One fact", {"ids": ["know:36fcb3e9ee4b"]}),),
    mcp="aurora_mem_forget",
    command=Command("mem forget", "Delete facts and patterns.", arguments=("ids",)),
)
