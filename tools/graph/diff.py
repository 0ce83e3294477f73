"""graph.diff: the code graph against that of a git revision, or of an earlier database."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import ignore_changes
from aurora.tools.core import Command, CompactModel, Example, Tool
from aurora.tools.files import resolve_inside

from .model import MinConfidence, PagedInput

if TYPE_CHECKING:
    from aurora.memory.graph.query import Change
    from aurora.tools.core import Context


class DiffInput(PagedInput):
    """Against what."""

    against: str = Field(
        default="HEAD",
        min_length=1,
        max_length=500,
        description="A git revision, or an earlier database of this project that lies in it, by its path.",
    )
    min_confidence: MinConfidence = 0.5


class GraphChange(CompactModel):
    """A definition, or a link, that is there now and was not, or the other way round; or a file with another name."""

    change: Literal["added", "removed", "moved"]
    kind: str
    id: str
    target: str = Field(default="", description="Where a link leads, or a file moved; empty for a definition.")


class DiffOutput(CompactModel):
    """One page of changes: files moved, definitions added, definitions removed, links added, links removed."""

    against: str
    counts: dict[str, int]
    changes: tuple[GraphChange, ...]
    next_offset: int | None = Field(default=None, description="Ask again with it for more.")
    note: str = ""


def diff_graph(given: DiffInput, context: Context) -> DiffOutput:
    """Compare the graph as it is indexed with an earlier one.

    Raises:
        Fault: NOT_FOUND when there is no such revision; those of a database that cannot be opened.
    """
    from aurora.memory import Memory  # noqa: PLC0415 - listing tools must not pay for the memory

    memory = context.project.memory
    if given.against.endswith(".db"):
        with Memory.open(resolve_inside(context.root, given.against), read_only=True) as old:
            changes = memory.graph.compare_with(old.graph, given.min_confidence)
        name = given.against
    else:
        folder = Path(tempfile.mkdtemp(prefix="aurora-diff-"))
        try:
            with ignore_changes():
                name, changes = memory.diff_graph(context.root, given.against, folder, given.min_confidence)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    counts = Counter(_classify_change(one) for one in changes)
    page = changes[given.offset : given.offset + given.limit]
    return DiffOutput(
        against=name,
        counts={key: counts[key] for key in sorted(counts)},
        changes=tuple(
            GraphChange.model_validate({"change": one.change, "kind": one.kind, "id": one.id, "target": one.target})
            for one in page
        ),
        next_offset=given.find_next_offset(len(changes)),
        note="" if changes else "The graphs are the same.",
    )


def _classify_change(one: Change) -> str:
    if one.change == "moved":
        return "files_moved"
    return f"{'links' if one.target else 'definitions'}_{one.change}"


TOOL = Tool(
    name="graph.diff",
    title="What changed in the code graph",
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
    examples=(Example("Against a database, here the present one", {"against": ".aurora/memory.db"}),),
    mcp="aurora_graph_diff",
    command=Command("graph diff", "Compare with a revision or an earlier database.", arguments=("against",)),
)
