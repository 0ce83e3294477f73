"""`answer.check`: an answer's claims about the project's files, and what it does not mention."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.system.paths.read import read_plain
from aurora.system.paths.resolve import resolve_inside
from aurora.system.secrets.masks import mask_json
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool

from .claims import MAX_ANSWER_CHARS, extract_claims
from .findings import Check
from .names import check_name, check_versions, list_allowed
from .omissions import find_omissions
from .places import check_beside, record_place, resolve_places
from .quotes import check_block, check_quote
from .review import check_changes, list_open_parts
from .sources import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.core import Context

    from .claims import Claims, Sentence
    from .findings import Finding

_MAX_FINDINGS = 40
"""Findings of each sort in a response; all are counted."""


class AnswerInput(StrictModel):
    """Answer to check, as text or as a file."""

    files: tuple[str, ...] = Field(
        default=(), max_length=1, description="The file with the answer, in Markdown or JSON; - reads standard input."
    )
    text: str = Field(default="", max_length=1_000_000, description="The answer in Markdown, instead of a file.")
    question: str = Field(default="", max_length=8_000, description="The person's question, to see what is left open.")
    base: str = Field(
        default="",
        max_length=200,
        description="For findings of a review: the branch or commit whose changes they are about.",
    )


class WrongClaim(CompactModel):
    """Claim that does not hold, the line of the answer where it is, and what is right."""

    line: int
    said: str
    message: str


class NotMentioned(CompactModel):
    """Place that the answer does not mention and that probably matters, with the reason."""

    place: str
    symbol: str = ""
    why: str


class AnswerCheck(CompactModel):
    """What was checked, what is wrong, and what may be."""

    ok: bool = Field(description="True when nothing is wrong.")
    checked: dict[str, int] = Field(description="Claims by kind: places, names, quotes.")
    wrong: tuple[WrongClaim, ...] = ()
    unsure: tuple[WrongClaim, ...] = Field(default=(), description="May be right: look at it.")
    not_mentioned: tuple[NotMentioned, ...] = Field(default=(), description="Best first; look at each.")
    open: tuple[str, ...] = Field(
        default=(), description="Parts of the question that the answer does not seem to have."
    )
    note: str = ""


def check_answer(given: AnswerInput, context: Context) -> AnswerCheck:
    """Check an answer.

    Raises:
        Fault: INVALID_INPUT without an answer; NOT_FOUND or FORBIDDEN for a file that cannot be read.
    """
    text = _join_texts(given.text or _read_answer(given.files, context))
    if not text.strip():
        raise Fault(Code.INVALID_INPUT, "there is no answer to check", help="Pass its text, or a file with it.")
    claims = extract_claims(text)
    check = check_claims(claims, Sources(context), given.question)
    if given.base:
        check_changes(check, given.base)
    wrong, unsure = check.list_findings(sure=True), check.list_findings(sure=False)
    omissions = find_omissions(check, claims, given.question)
    return AnswerCheck(
        ok=not wrong,
        checked=check.counts,
        wrong=_to_views(wrong),
        unsure=_to_views(unsure),
        not_mentioned=tuple(NotMentioned(place=one.place, symbol=one.symbol, why=one.why) for one in omissions),
        open=list_open_parts(given.question, text),
        note=_compose_note(check, len(wrong), len(unsure)),
    )


def check_claims(claims: Claims, sources: Sources, question: str = "") -> Check:
    """Check the claims of an answer against the project's files as they are now."""
    check = Check(sources, list_allowed(claims, question), is_complete=not claims.is_cut)
    for sentence in claims.sentences:
        if sources.is_late():
            check.is_complete = False
            return check
        _check_sentence(check, sentence)
    for block in claims.blocks:
        if sources.is_late():
            check.is_complete = False
            return check
        check_block(check, block)
    return check


def _check_sentence(check: Check, sentence: Sentence) -> None:
    places = resolve_places(check, sentence)
    settled = check_beside(check, sentence, places)
    for citation, files in places:
        record_place(check, sentence, citation, files[0])
    for name in sentence.names:
        if name not in settled or not any(f"`{name.text}`" in one.said for one in check.findings[-len(settled) :]):
            check_name(check, sentence, name, has_place=bool(places))
    for quote in sentence.quotes:
        check_quote(check, sentence, quote, places)
    check_versions(check, sentence, places)


def _to_views(findings: list[Finding]) -> tuple[WrongClaim, ...]:
    shown: list[dict[str, Any]] = mask_json(
        [{"line": one.line, "said": one.said, "message": one.message} for one in findings]
    )
    return tuple(WrongClaim(**one) for one in shown[:_MAX_FINDINGS])


def _compose_note(check: Check, wrong: int, unsure: int) -> str:
    notes = []
    if not any(check.counts.values()):
        notes.append("The answer names no place of the project: cite path:line, so that it can be checked.")
    if max(wrong, unsure) > _MAX_FINDINGS:
        notes.append(f"Only the first {_MAX_FINDINGS} of {max(wrong, unsure)} are listed.")
    if not check.is_complete:
        notes.append("The answer is too long: only its beginning was checked. Send the rest by itself.")
    if not check.sources.has_index:
        notes.append(
            f"The project is not indexed, so names were not looked up: {check.sources.context.project.index_step}."
        )
    return " ".join(notes)


def _read_answer(files: tuple[str, ...], context: Context) -> str:
    """Read the file with the answer: of a person's shell anywhere, else inside the project."""
    if not files:
        return ""
    path = files[0]
    real = Path(path) if context.surface == "cli" else resolve_inside(context.root, path)
    data = read_plain(real, 4 * MAX_ANSWER_CHARS)
    if data is None:
        raise Fault(
            Code.NOT_FOUND, f'"{path[:200]}" is no file that can be read', help="Name the file with the answer."
        )
    return data.decode("utf-8", "replace")


def _join_texts(text: str) -> str:
    """Return the texts of an answer in JSON, a paragraph each; any other text as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n\n".join(_iterate_texts(value))


def _iterate_texts(value: Any) -> Iterator[str]:
    """Yield the texts of a JSON value in its order; `path` and `line` of one object become one place."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            here = dict(here)
            place = next((here.pop(name) for name in ("path", "file") if isinstance(here.get(name), str)), "")
            lines = next((here.pop(name) for name in ("lines", "line") if isinstance(here.get(name), str | int)), "")
            if place:
                yield f"{place}:{lines}" if lines else place
            waiting += reversed(list(here.values()))
        elif isinstance(here, list):
            waiting += reversed(here)


TOOL = Tool(
    name="answer.check",
    title="Check an answer",
    description=(
        "Check what an answer says about the project: each path and line, the symbol beside it, each name and each "
        "quotation; each wrong claim comes with what is right. Name places that the answer does not mention and that "
        "probably matter: other callers, overrides, counterparts, lines of the same form, tests, documents."
    ),
    input=AnswerInput,
    output=AnswerCheck,
    run=check_answer,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("an answer with a place that does not exist", {"text": "It is in `nowhere/at_all.py:12`."}),),
    command=Command(
        "check",
        "Check an answer against the project's files.",
        arguments=("files",),
        files=("files",),
        stdin_text="text",
    ),
)
