"""`answer.respond`: answer for the person, or the reason why the run stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.tools.core import Example, Tool

from .collect import truncate_text
from .respond_model import Params, Response, RunOutcome, Source, Status
from .respond_text import render_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Chunk
    from aurora.tools.core import Context
    from aurora.tools.memory import FoundChunk


def render_response(given: RunOutcome, context: Context) -> Response:
    """Render the end of a run."""
    params: Params = context.params
    status = _derive_status(given)
    sources = locate_sources(given, context)
    if given.verbosity == "json":
        document = _build_document(given, status, params, sources)
        return Response(status=status, verbosity="json", text="", document=document)
    text = truncate_text(render_markdown(given, params, sources), params.max_chars)
    return Response(status=status, verbosity=given.verbosity, text=text, document=None)


def locate_sources(given: RunOutcome, context: Context) -> list[Source]:
    """Locate the cited chunks among those retrieved, else in memory; one that is in neither has no place."""
    places = {chunk.id: _to_source(chunk, chunk.lines) for chunk in given.chunks}
    memory = context.project.memory
    names = tuple(dict.fromkeys(given.citations))
    others = [name for name in names if name not in places]
    missing = frozenset(memory.find_missing(others)) if others else frozenset()
    for chunk in memory.get(tuple(name for name in others if name not in missing)):
        places[chunk.id] = _to_source(chunk, f"{chunk.start_line}-{chunk.end_line}")
    return [places.get(name, Source(id=name, path=None, lines=None, symbol="")) for name in names]


def _to_source(chunk: Chunk | FoundChunk, lines: str | None) -> Source:
    return Source(id=chunk.id, path=chunk.path, lines=lines if chunk.path else None, symbol=chunk.symbol)


def _derive_status(given: RunOutcome) -> Status:
    """Return complete with an answer and all tasks done, partial with an answer or results, else stopped."""
    if given.response and all(result.status == "done" for result in given.results):
        return "complete"
    return "partial" if given.response or given.results else "stopped"


def _build_document(given: RunOutcome, status: Status, params: Params, sources: Sequence[Source]) -> dict[str, Any]:
    """Build the content of the text as JSON, with truncated outputs."""
    room = max(80, min(params.result_chars, (params.max_chars // 3) // max(1, len(given.results))))
    return {
        "status": status,
        "query": truncate_text(given.query, 500),
        "goal": truncate_text(given.goal, 500),
        "answer": truncate_text(given.response, params.max_chars // 2) if given.response else None,
        "confidence": given.confidence,
        "sources": [source.model_dump(mode="json") for source in sources],
        "tasks": [
            {"id": one.id, "status": one.status, "critical": one.critical, "output": truncate_text(one.output, room)}
            for one in given.results
        ],
        "verification": given.verification.model_dump(mode="json", include={"verdict", "score", "scores"})
        if given.verification
        else None,
        "record": given.recorded.model_dump(mode="json") if given.recorded else None,
        "reached": list(given.reached),
        "error": given.error.model_dump(mode="json", exclude={"details"}) if given.error else None,
        "way_out": None if given.response else params.way_out,
    }


TOOL = Tool(
    name="answer.respond",
    title="Respond",
    description=(
        "Render the end of a run for the person: quiet (only the answer), normal (with sources and missing parts), "
        "verbose (with the method too) or json. For a run that stopped, it reports the progress and the reason."
    ),
    input=RunOutcome,
    output=Response,
    run=render_response,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "an answer",
            {"query": "How does the parser report errors?", "response": "It raises a Fault.", "confidence": 0.9},
            {"max_chars": 14000, "result_chars": 400, "doubtful_below": 0.5, "way_out": "Ask a narrower question."},
        ),
    ),
    params=Params,
)
