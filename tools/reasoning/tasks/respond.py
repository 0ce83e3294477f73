"""`answer.respond`: answer for the person, or the reason why the run stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.tools.core import Example, Json, StrictModel, Tool
from aurora.tools.memory.search import FoundChunk
from aurora.tools.reasoning.decomposition.verify import Verification

from .collect import truncate_text
from .model import TaskResult
from .record_pattern import RecordOutput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.memory import Chunk
    from aurora.tools.core import Context


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
    found = [places.get(name, Source(id=name, path=None, lines=None, symbol="")) for name in names]
    # the answer's own `path:line` is nearer than the lines of a chunk
    return [one for one in found if one.path is None or f"{one.path}:" not in (given.response or "")]


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


def render_markdown(given: RunOutcome, params: Params, sources: Sequence[Source]) -> str:
    """Render the answer, with the sources and the additions of the verbosity."""
    if given.response is None:
        return "\n\n".join(_describe_stop(given, params))
    answer = [given.response] if params.repeats_answer else []
    if given.verbosity == "quiet":
        return "".join(answer)
    parts = [*answer, *_list_doubts(given, params), *_format_sources(sources)]
    if given.verbosity == "verbose":
        parts += _describe_method(given, params)
    return "\n\n".join(parts)


def _describe_stop(given: RunOutcome, params: Params) -> Iterator[str]:
    """Describe the progress, the reason of the stop, and the next step; quiet leaves out findings."""
    yield "**No answer was reached.**"
    if given.reached:
        yield f"The run went through {', '.join(given.reached)}."
    yield _explain_stop(given)
    if given.verbosity != "quiet":
        if given.results:
            yield "Findings so far:\n" + "\n".join(_format_result(one, params.result_chars) for one in given.results)
        elif given.chunks:
            places = [f"- `{chunk.path}:{chunk.lines}`" for chunk in given.chunks[:5] if chunk.path]
            yield (
                "\n".join(["Related places in the memory:", *places])
                if places
                else "The memory contains no related file."
            )
    yield params.way_out


def _explain_stop(given: RunOutcome) -> str:
    if given.error is not None:
        help_line = f" {given.error.help}" if given.error.help else ""
        return f"It stopped because {given.error.message} ({given.error.code}).{help_line}"
    check = given.verification
    if check is not None and check.verdict != "PASS":
        return f"It stopped because the decomposition scored {check.score}, which is not enough:\n{check.feedback}"
    return "It stopped before an answer was written."


def _list_doubts(given: RunOutcome, params: Params) -> Iterator[str]:
    """List reasons to doubt the answer."""
    missing = [one for one in given.results if one.status != "done"]
    if missing:
        yield "**Not everything was done:**\n" + "\n".join(_format_result(one, params.result_chars) for one in missing)
    if given.confidence is not None and given.confidence < params.doubtful_below:
        yield f"**Check this:** the assistant's own confidence is {given.confidence:g}."
    if given.recorded is not None and given.recorded.wrong:
        yield "**Wrong in the answer:**\n" + "\n".join(f"- {one.splitlines()[0]}" for one in given.recorded.wrong)
    if given.error is not None:
        yield f"One step failed: {given.error.message} ({given.error.code})."


def _format_sources(sources: Sequence[Source]) -> Iterator[str]:
    if sources:
        yield "**Sources**\n" + "\n".join(f"- {_format_source(source)}" for source in sources)


def _describe_method(given: RunOutcome, params: Params) -> Iterator[str]:
    """Describe how the answer was found."""
    if given.goal:
        yield f"**Goal** {given.goal}"
    if given.results:
        yield "**Tasks**\n" + "\n".join(_format_result(one, params.result_chars) for one in given.results)
    if given.verification is not None:
        each = ", ".join(f"{name} {value:g}" for name, value in given.verification.scores)
        yield f"**Decomposition** {given.verification.verdict} with {given.verification.score:g} ({each})"
    if given.confidence is not None:
        yield f"**Confidence** {given.confidence:g}"
    if given.recorded is not None:
        name = f" (`{given.recorded.id}`)" if given.recorded.id else ""
        yield f"**Record** {given.recorded.note}{name}"


def _format_result(result: TaskResult, most: int) -> str:
    mark = ", critical" if result.critical else ""
    return f"- {result.id} ({result.status}{mark}): {truncate_text(' '.join(result.output.split()), most)}"


def _format_source(source: Source) -> str:
    if source.path is None:
        return f"`{source.id}`"
    lines = f":{source.lines}" if source.lines else ""
    symbol = f" {source.symbol}" if source.symbol else ""
    return f"`{source.path}{lines}`{symbol}"


Verbosity = Literal["quiet", "normal", "verbose", "json"]


Status = Literal["complete", "partial", "stopped"]


class Params(StrictModel):
    """All settings of `answer.respond`; see the comments in the workflow.

    Attributes:
        repeats_answer: whether the text begins with the answer; without it, the assistant shows its answer itself.
    """

    repeats_answer: bool = True
    max_chars: int = Field(ge=500)
    result_chars: int = Field(ge=50)
    doubtful_below: float = Field(ge=0, le=1)
    way_out: str


class Failure(StrictModel):
    """Error of a failed phase."""

    code: str
    message: str
    help: str = ""
    details: dict[str, Json] = Field(default_factory=dict)


class RunOutcome(StrictModel):
    """Outcome of a run; each part may be missing.

    Attributes:
        response: the answer; citations: ids of the cited chunks; confidence: the host's own, 0..1.
        chunks: retrieved chunks; results: results of the tasks.
        reached: phases of the run in order; error: error of the last failed phase.
    """

    verbosity: Verbosity = "normal"
    query: str = Field(default="", max_length=8000)
    goal: str = Field(default="", max_length=500)
    response: str | None = Field(default=None, max_length=12_000)
    citations: tuple[str, ...] = Field(default=(), max_length=50)
    confidence: float | None = Field(default=None, ge=0, le=1)
    chunks: tuple[FoundChunk, ...] = Field(default=(), max_length=50)
    results: tuple[TaskResult, ...] = Field(default=(), max_length=20)
    verification: Verification | None = None
    recorded: RecordOutput | None = None
    reached: tuple[str, ...] = Field(default=(), max_length=50)
    error: Failure | None = None


class Source(StrictModel):
    """Chunk that the answer cites, with its location when known."""

    id: str
    path: str | None
    lines: str | None
    symbol: str


class Response(StrictModel):
    """Response as Markdown in `text`, or with verbosity json as `document`."""

    status: Status
    verbosity: Verbosity
    text: str
    document: dict[str, Json] | None


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
