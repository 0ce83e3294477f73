"""`context.excerpt`: excerpts of chunks by id, for a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.memory.hits import record_uses

from .evidence import Evidence, EvidenceLimits, RankedChunk, build_evidence

if TYPE_CHECKING:
    from aurora.tools.core import Context


class Params(StrictModel):
    """All settings of `context.excerpt`; see the comments in the workflow."""

    evidence: EvidenceLimits


class ExcerptInput(StrictModel):
    """Question, and the ids of chunks; ids of no chunk are passed over."""

    query: str = Field(min_length=1, max_length=8000)
    ids: tuple[str, ...] = Field(default=(), max_length=400)


class ExcerptOutput(StrictModel):
    """Excerpts in the order of their first mention."""

    evidence: tuple[Evidence, ...]


def excerpt_chunks(given: ExcerptInput, context: Context) -> ExcerptOutput:
    """Build excerpts of the chunks; those that are cited most often come first."""
    params: Params = context.params
    memory = context.project.memory
    names = sorted(dict.fromkeys(given.ids), key=lambda name: -given.ids.count(name))
    missing = set(memory.find_missing(names)) if names else set()
    heirs = memory.map_merged_ids(sorted(missing)) if missing else {}
    known = dict.fromkeys(heirs.get(name, name) for name in names if name not in missing or name in heirs)
    chunks = memory.get(tuple(known)[: params.evidence.chunks])
    ranked = [RankedChunk(chunk, 1.0) for chunk in chunks]
    built = build_evidence(ranked, given.query, params.evidence)
    record_uses((one.id for one in built), context)
    return ExcerptOutput(evidence=built)


TOOL = Tool(
    name="context.excerpt",
    title="Excerpt chunks",
    description=(
        "Return the lines of chunks that matter most for a question, within a number of characters; the chunks that "
        "are named most often come first."
    ),
    input=ExcerptInput,
    output=ExcerptOutput,
    run=excerpt_chunks,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=15,
    phases=True,
    examples=(
        Example(
            "no chunk",
            {"query": "How does the parser report errors?", "ids": []},
            {"evidence": {"chunks": 6, "chars": 2400, "weak_below": 0}},
        ),
    ),
    params=Params,
)
