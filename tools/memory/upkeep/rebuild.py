"""mem.rebuild: the project read anew from the first file on; facts, patterns and runs stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.core import Command, Example, StrictModel, Tool
from aurora.tools.memory.index import IndexOutput, to_index_output

if TYPE_CHECKING:
    from aurora.tools.core import Context


class RebuildInput(StrictModel):
    """Nothing to say."""


def rebuild_memory(given: RebuildInput, context: Context) -> IndexOutput:
    """Forget what came from files, and index them again.

    Raises:
        Fault: those of indexing; nothing is forgotten then.
    """
    from aurora.memory import database_path  # noqa: PLC0415 - listing tools must not pay for SQLite
    from aurora.memory.maintenance import rebuild_memory as anew  # noqa: PLC0415 - as above

    del given
    return to_index_output(anew(database_path(context.root), context.root, context.progress))


TOOL = Tool(
    name="mem.rebuild",
    title="Read the project anew",
    description=(
        "Forget the code and documents that came from files, with their words, vectors and links, and read them all "
        "again. Facts, patterns, runs and how often things were used stay as they are."
    ),
    input=RebuildInput,
    output=IndexOutput,
    run=rebuild_memory,
    family="admin",
    risk="write",
    idempotent=True,
    timeout=3600.0,
    examples=(Example("All of it", {}),),
    mcp="aurora_mem_rebuild",
    command=Command("mem rebuild", "Index the project again; facts and runs are kept."),
)
