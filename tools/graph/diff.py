"""Tool `graph.diff`: compare the code graph with a git revision or an earlier database."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora import memory
from aurora.faults import Code, Fault, ignore_changes, open_temporary_folder
from aurora.faults.paths import resolve_inside
from aurora.tools.core import Alias, Command, CompactModel, Example, Tool

from .model import MinConfidence, PagedInput

if TYPE_CHECKING:
    from aurora.memory.graph.query import Change
    from aurora.tools.core import Context


class DiffInput(PagedInput):
    """Revision or database to compare with."""

    against: str = Field(
        default="HEAD",
        min_length=1,
        max_length=500,
        description="A git revision, or the path of an earlier database inside the project.",
    )
    min_confidence: MinConfidence = 0.5


class GraphChange(CompactModel):
    """Definition or link that was added or removed, or a file that was moved."""

    change: Literal["added", "removed", "moved"]
    kind: str
    id: str
    target: str = Field(default="", description="Target of a link or a moved file; empty for a definition.")


class DiffOutput(CompactModel):
    """Page of changes: files moved, definitions added and removed, links added and removed."""

    against: str
    counts: dict[str, int]
    changes: tuple[GraphChange, ...]
    next_offset: int | None = Field(default=None, description="Offset of the next page.")
    note: str = ""


def diff_graph(given: DiffInput, context: Context) -> DiffOutput:
    """Compare the indexed graph with an earlier one.

    Raises:
        Fault: NOT_FOUND without an index, and for an unknown revision; the faults of a database that cannot be opened.
    """
    context.require_memory()
    current = context.project.memory
    if not current.wants_index():
        raise Fault(Code.NOT_FOUND, "nothing is indexed yet", help="Run `aur mem index` first.")
    if given.against.endswith(".db"):
        with memory.Memory.open(resolve_inside(context.root, given.against), read_only=True) as old:
            changes = current.graph.compare_with(old.graph, given.min_confidence)
        name = given.against
    else:
        with open_temporary_folder("diff") as folder, ignore_changes():
            name, changes = current.diff_graph(context.root, given.against, folder, given.min_confidence)
    counts = Counter(_classify_change(one) for one in changes)
    page = changes[given.offset : given.offset + given.limit]
    return DiffOutput(
        against=name,
        counts={key: counts[key] for key in sorted(counts)},
        changes=tuple(map(GraphChange.from_value, page)),
        next_offset=given.find_next_offset(len(changes)),
        note="" if changes else "The graphs are the same.",
    )


def _classify_change(one: Change) -> str:
    if one.change == "moved":
        return "files_moved"
    return f"{'links' if one.target else 'definitions'}_{one.change}"


TOOL = Tool(
    name="graph.diff",
    title="Changes of the code graph",
    description=(
        "Compare the code graph with that of a git revision or of an earlier database: definitions and links that "
        "were added and removed, and files that moved."
    ),
    input=DiffInput,
    output=DiffOutput,
    run=diff_graph,
    family="graph",
    risk="read",
    idempotent=True,
    timeout=300.0,
    phases=True,
    aliases=(Alias("ag_diff"),),
    examples=(Example("Compared with a database, here the current one", {"against": ".aurora/memory.db"}),),
    mcp="aurora_graph_diff",
    command=Command("graph diff", "Compare with a revision or an earlier database.", arguments=("against",)),
)
