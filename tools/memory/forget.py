"""mem.forget: facts and patterns taken out of the memory; `mem.undo` brings them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ForgetInput(StrictModel):
    """Which ones."""

    ids: tuple[str, ...] = Field(min_length=1, max_length=1000, description="The ids of facts and patterns.")


class ForgottenRow(StrictModel):
    """One record that is gone."""

    id: str
    kind: str
    subject: str


class ForgetOutput(StrictModel):
    """What was taken out."""

    forgotten: tuple[ForgottenRow, ...]


def forget_memories(given: ForgetInput, context: Context) -> ForgetOutput:
    """Take them out.

    Raises:
        Fault: NOT_FOUND for ids that do not exist, CONFLICT for chunks of files; nothing is forgotten then.
    """
    from aurora.memory.records import forget_records as take_out  # noqa: PLC0415 - listing tools must not pay for SQLite

    gone = take_out(context.project.memory.store, given.ids)
    return ForgetOutput(
        forgotten=tuple(ForgottenRow(id=one.chunk.id, kind=one.chunk.kind, subject=one.chunk.symbol) for one in gone)
    )


TOOL = Tool(
    name="mem.forget",
    title="Forget facts and patterns",
    description=(
        "Take facts and patterns out of the memory by id, all of them or none; `aur mem undo` brings them back. "
        "A chunk of a file is refused: it would come again with the next indexing."
    ),
    input=ForgetInput,
    output=ForgetOutput,
    run=forget_memories,
    family="knowledge",
    risk="high",
    idempotent=False,
    timeout=30.0,
    constraints=("Code and documents are not forgotten by it: they belong to the project's files.",),
    examples=(Example("One fact", {"ids": ["know:36fcb3e9ee4b"]}),),
    mcp="aurora_mem_forget",
    command=Command("mem forget", "Delete facts and patterns.", arguments=("ids",)),
)
