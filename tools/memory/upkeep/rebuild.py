"""`mem.rebuild`: reindex the whole project; facts, patterns and runs stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora import memory
from aurora.memory import maintenance
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool
from aurora.tools.memory.index import IndexOutput, to_index_output

if TYPE_CHECKING:
    from aurora.tools.core import Context


class RebuildInput(StrictModel):
    """No input."""


def rebuild_memory(given: RebuildInput, context: Context) -> IndexOutput:
    """Delete everything that came from files, and index the project again.

    Raises:
        Fault: as for indexing; then nothing is deleted.
    """
    del given
    if context.project.server is not None:
        done = maintenance.rebuild_index(context.project.memory.store, context.root, context.progress)
    else:
        done = maintenance.rebuild_memory(memory.database_path(context.root), context.root, context.progress)
    return to_index_output(done)


TOOL = Tool(
    name="mem.rebuild",
    title="Rebuild the index",
    description=(
        "Delete the code and documents that came from files, with their words, vectors and links, and index all files "
        "again. Facts, patterns, runs and recorded uses stay as they are."
    ),
    input=RebuildInput,
    output=IndexOutput,
    run=rebuild_memory,
    family="admin",
    risk="write",
    idempotent=True,
    timeout=3600.0,
    jobs=True,
    aliases=(Alias("ag_rebuild"),),
    examples=(Example("All of it", {}),),
    mcp="aurora_mem_rebuild",
    command=Command("mem rebuild", "Index the project again; facts and runs are kept."),
)
