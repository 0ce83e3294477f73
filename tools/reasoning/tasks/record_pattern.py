"""`pattern.record`: store a successful run for similar questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.memory import records
from aurora.system.secrets.masks import mask_secrets
from aurora.tools.answers.answer import AnswerInput, check_answer
from aurora.tools.core import CompactModel, Example, StrictModel, Tool
from aurora.tools.reasoning.decomposition.model import Subgoal
from aurora.tools.text import stem_words, tokenize_text

from .collect import truncate_text
from .model import TaskResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Chunk
    from aurora.memory.records import StoredAnswer
    from aurora.tools.core import Context


class Weights(StrictModel):
    """Weights of the success score's parts; an unknown part is left out."""

    done: float = Field(ge=0, description="Of the share of tasks that are done.")
    verified: float = Field(ge=0, description="Of the decomposition's score.")
    confidence: float = Field(
        default=0, ge=0, description="Without effect, for older workflows: the confidence only limits the score."
    )


class Params(StrictModel):
    """All settings of `pattern.record`; see the comments in the workflow."""

    weights: Weights
    pattern_from: float = Field(ge=0, le=1)
    cached_from: float = Field(ge=0, le=1)
    gist_chars: int = Field(ge=50)


class FinishedRun(StrictModel):
    """Finished run; `response` is the answer, `verified` the decomposition's score (0..1)."""

    query: str = Field(min_length=1, max_length=8000)
    goal: str = Field(default="", max_length=500)
    subgoals: tuple[Subgoal, ...] = Field(default=(), max_length=20)
    response: str = Field(min_length=1, max_length=12_000)
    citations: tuple[str, ...] = Field(default=(), max_length=50)
    confidence: float = Field(default=0.5, ge=0, le=1)
    results: tuple[TaskResult, ...] = Field(default=(), max_length=20)
    corrected: tuple[str, ...] = Field(default=(), max_length=50, description="What an earlier check found wrong.")
    verified: float | None = Field(default=None, ge=0, le=1)


_NO_CITATION = (
    "Not stored: the answer cites no code or document, so it could not be checked later. "
    "Return the ids of the chunks it is based on as citations."
)

_NO_SUPPORT = (
    "Not stored: what the answer cites shares no word with the question and no name with the answer. "
    "Return the ids of the chunks that show it as citations."
)


_WRONG = "Not stored: {count} of the answer's claims about the project {verb} wrong."


class RecordOutput(CompactModel):
    """Success score (0..1), and the stored record with its kind and id.

    Attributes:
        wrong: claims of the answer that do not hold, each with what is right, and in a second line what the file has;
            such an answer is not stored.
        not_mentioned: places that the answer does not mention and that probably matter, with the reason.
    """

    success: float
    kind: Literal["pattern", "cached"] | None
    id: str | None
    created: bool
    note: str
    wrong: tuple[str, ...] = ()
    not_mentioned: tuple[str, ...] = ()


def record_pattern(given: FinishedRun, context: Context) -> RecordOutput:
    """Store the run when it was a success, cites files, and says nothing wrong about them.

    Raises:
        Fault: INVALID_INPUT for citations of chunks that do not exist, each by name.
    """
    params: Params = context.params
    cited = [chunk for chunk in _get_cited(given.citations, context) if records.is_evidence(chunk)]
    success = round(_score_success(given, params.weights), 3)
    kind = _choose_kind(success, params)
    if rejected := _check_claims(given, context, success):
        return rejected
    if kind is None:
        return _reject(success, f"Not stored: a success of {success} is below {params.cached_from}.")
    if not cited:
        return _reject(success, _NO_CITATION)
    if not supports_answer(given.query, given.response, cited):
        return _reject(success, _NO_SUPPORT)
    title = truncate_text(" ".join(mask_secrets(given.goal or given.query).split()), 120)
    paths = tuple(dict.fromkeys(chunk.path for chunk in cited if chunk.path))
    text = mask_secrets(_compose_text(given, paths, params.gist_chars))
    stored = context.project.memory.remember_answer(
        kind=kind, symbol=title, text=text, metadata=_build_metadata(given, success, cited, context)
    )
    if stored.yields:
        return _reject(success, f"Not stored: a person confirmed {stored.id} as the answer to this question.")
    return RecordOutput(
        success=success, kind=kind, id=stored.id, created=stored.created, note=_describe_stored(kind, stored)
    )


def _check_claims(given: FinishedRun, context: Context, success: float) -> RecordOutput | None:
    """Reject an answer that says something wrong about the project's files; None for one that does not."""
    checked = check_answer(AnswerInput(text=given.response, question=given.query), context)
    if checked.ok:
        return None
    wrong = tuple(f"{one.message}\n{one.text}".strip() for one in checked.wrong)
    hints = tuple(f"{one.place} {one.symbol}: {one.why}" for one in checked.not_mentioned)
    note = _WRONG.format(count=len(wrong), verb="is" if len(wrong) == 1 else "are")
    return _reject(success, note).model_copy(update={"wrong": wrong, "not_mentioned": hints})


def _reject(success: float, note: str) -> RecordOutput:
    return RecordOutput(success=success, kind=None, id=None, created=False, note=note)


def _build_metadata(given: FinishedRun, success: float, cited: Sequence[Chunk], context: Context) -> dict[str, object]:
    """Build the metadata of the record: question, citations with hashes, and where it comes from."""
    metadata: dict[str, object] = {
        "query": mask_secrets(given.query),
        "success": success,
        "citations": records.cite_chunks(cited),
    }
    if given.corrected:
        metadata["corrected"] = [mask_secrets(one) for one in given.corrected]
    if context.phase.workflow:
        metadata["workflow"] = context.phase.workflow
    if context.phase.run:
        metadata["run"] = context.phase.run
    if (person := context.phase.person) is not None:
        metadata["confirmed"] = records.build_confirmation(person.who, person.how)
    return metadata


def _describe_stored(kind: str, stored: StoredAnswer) -> str:
    what = "reasoning pattern" if kind == "pattern" else "cached result"
    if stored.replaced:
        count = len(stored.replaced)
        return f"Stored as a {what}, in place of {count} older answer{'s' if count > 1 else ''} to this question."
    return f"Stored as a {what}." if stored.created else f"This {what} was stored before."


def _get_cited(citations: Sequence[str], context: Context) -> tuple[Chunk, ...]:
    """Return the cited chunks; a merged record is replaced by the one that is left."""
    if not citations:
        return ()
    memory = context.project.memory
    heirs = memory.map_merged_ids(citations)
    names = list(dict.fromkeys(heirs.get(name, name) for name in citations))
    if missing := memory.find_missing(names):
        shown = ", ".join(f'"{name[:80]}"' for name in missing)
        raise Fault(
            Code.INVALID_INPUT,
            f"the answer cites {shown}, which the memory does not contain",
            help="Cite only ids that retrieve, aurora_search or aurora_get returned, or leave citations empty.",
            details={"missing": [name[:80] for name in missing]},
        )
    return memory.get(names)


def _score_success(given: FinishedRun, weights: Weights) -> float:
    """Score the run by its tasks and its decomposition; the model's own confidence only lowers the score."""
    parts = []
    if given.results:
        parts.append((weights.done, sum(one.status == "done" for one in given.results) / len(given.results)))
    if given.verified is not None:
        parts.append((weights.verified, given.verified))
    whole = sum(weight for weight, _ in parts)
    return min(given.confidence, sum(weight * value for weight, value in parts) / whole) if whole else 0.0


def _choose_kind(success: float, params: Params) -> Literal["pattern", "cached"] | None:
    if success >= params.pattern_from:
        return "pattern"
    return "cached" if success >= params.cached_from else None


def _compose_text(given: FinishedRun, paths: Sequence[str], gist: int) -> str:
    """Compose the record from the words that a similar question contains."""
    lines = [f"Question: {given.query}"]
    if given.goal:
        lines.append(f"Goal: {given.goal}")
    if given.subgoals:
        lines += ["Subgoals:", *(f"- {subgoal.description}" for subgoal in given.subgoals)]
    lines.append(f"Answer: {truncate_text(given.response, gist)}")
    if paths:
        lines.append(f"Files: {', '.join(paths)}")
    return "\n".join(lines)


_MIN_LETTERS = 4
"""Letters of a word that may be about something; shorter words are in any text."""

_ANY = frozenset(stem_words("does explain from happen have make that this what when where which will with your"))


def supports_answer(question: str, answer: str, cited: Sequence[Chunk]) -> bool:
    """Return whether a cited text has a word of the question, or a name from code that the answer has.

    A text that has neither, such as the license, is no support, although its citation resolves. A question without
    any word that a text can be about needs no support of words.
    """
    wanted = frozenset(word for word in stem_words(question) if len(word) >= _MIN_LETTERS) - _ANY
    shown = "\n".join(f"{chunk.path} {chunk.symbol}\n{chunk.text}" for chunk in cited)
    if not wanted or wanted & stem_words(shown):
        return True
    read = tokenize_text(answer)
    names = {word for word, is_name in zip(read.words, read.is_name, strict=True) if is_name}
    lowered = shown.lower()
    return any(name.strip("`()") in lowered for name in names if len(name.strip("`()")) >= _MIN_LETTERS)


TOOL = Tool(
    name="pattern.record",
    title="Record a pattern",
    description=(
        "Store a finished run as a reasoning pattern or a cached result when its success score is high enough and it "
        "cites code or documents, so that similar questions find it. An answer with wrong claims about the "
        "project's files is not stored, but returned with what is right. A newer answer to the same question replaces "
        "the older; an unknown citation is rejected by name."
    ),
    input=FinishedRun,
    output=RecordOutput,
    run=record_pattern,
    family="reasoning",
    risk="write",
    idempotent=True,
    timeout=15,
    phases=True,
    examples=(
        Example(
            "an answer that is too uncertain to store",
            {"query": "How does the parser report errors?", "response": "Perhaps by raising.", "confidence": 0.2},
            {
                "weights": {"done": 0.6, "verified": 0.4},
                "pattern_from": 0.8,
                "cached_from": 0.5,
                "gist_chars": 1500,
            },
        ),
    ),
    params=Params,
)
