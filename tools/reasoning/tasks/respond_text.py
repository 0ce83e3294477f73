"""Markdown text of a run's outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .collect import truncate_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .model import TaskResult
    from .respond_model import Params, RunOutcome, Source


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
