"""`answer.check`: an answer's claims about the project's files, and what it does not mention."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.system.paths.read import read_plain
from aurora.system.paths.resolve import resolve_inside
from aurora.system.secrets.masks import mask_json
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.files import open_worktree
from aurora.tools.text import stem_words

from .claims import MAX_ANSWER_CHARS, extract_claims
from .findings import Check, list_uncompared, say_place
from .names import check_name, check_versions, list_allowed
from .omissions import find_omissions
from .places import check_beside, record_place, resolve_places
from .quotes import check_block, check_quote
from .sources import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.tools.core import Context

    from .claims import Claims, Sentence
    from .findings import Cited, Finding
    from .omissions import Omission

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
    text: str = Field(default="", description="What the file has.")


class NotMentioned(CompactModel):
    """Place that the answer does not mention and that probably matters, with the reason."""

    place: str
    symbol: str = ""
    why: str
    text: str = Field(default="", description="The line there, of the form of one that the answer cites.")


class AnswerCheck(CompactModel):
    """Claims that are wrong or may be, and places that are not mentioned."""

    ok: bool = Field(description="True when nothing is wrong.")
    checked: dict[str, int] = Field(description="Claims by kind: places, names, quotes.")
    wrong: tuple[WrongClaim, ...] = ()
    unsure: tuple[WrongClaim, ...] = Field(default=(), description="May be right: look at it.")
    lie_in: dict[str, str] = Field(
        default={}, description="Cited lines without a name beside them, and the definition that they lie in: compare."
    )
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
        lie_in=list_uncompared(check, _MAX_FINDINGS),
        not_mentioned=tuple(NotMentioned(**one) for one in mask_json([_to_fields(one) for one in omissions])),
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
    beside, settled = check_beside(check, sentence, places)
    for citation, files in places:
        record_place(check, sentence, citation, files[0])
    for name in sentence.names:
        if name not in settled or not any(f"`{name.text}`" in one.said for one in check.findings[-len(settled) :]):
            check_name(check, sentence, name, has_place=bool(places), is_beside=name in beside)
    for quote in sentence.quotes:
        check_quote(check, sentence, quote, places)
    check_versions(check, sentence, places)


def _to_views(findings: list[Finding]) -> tuple[WrongClaim, ...]:
    shown: list[dict[str, Any]] = mask_json(
        [{"line": one.line, "said": one.said, "message": one.message, "text": one.text} for one in findings]
    )
    return tuple(WrongClaim(**one) for one in shown[:_MAX_FINDINGS])


def _to_fields(one: Omission) -> dict[str, str]:
    return {"place": one.place, "symbol": one.symbol, "why": one.why, "text": one.text}


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


_PLACE_KEYS = (("path", "file"), ("lines", "line"), ("symbol", "function"))
_IS_NAME = re.compile(r"[\w.$#:]{1,200}")


def _iterate_texts(value: Any) -> Iterator[str]:
    """Yield the texts of a JSON value in its order; the place of an object becomes one text."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            here = dict(here)
            if place := _take_place(here):
                yield place
            waiting += reversed(list(here.values()))
        elif isinstance(here, list):
            waiting += reversed(here)


def _take_place(here: dict[str, Any]) -> str:
    """Take the path, lines and symbol of an object as one text, so that the name stands beside its place."""
    path, lines, name = (_take_first(here, keys) for keys in _PLACE_KEYS)
    name = f"`{name}`" if _IS_NAME.fullmatch(name) else name
    return " ".join(filter(None, [f"{path}:{lines}" if path and lines else path, name]))


def _take_first(here: dict[str, Any], keys: tuple[str, ...]) -> str:
    key = next((key for key in keys if isinstance(here.get(key), str | int)), "")
    return str(here.pop(key)) if key else ""


_NEAR = 3
"""Lines around a changed one: git shows as many as context."""
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_MAX_RANGES = 5


def check_changes(check: Check, base: str) -> None:
    """Check that each finding of a review has a place in or next to a changed line.

    A finding is a paragraph, an item or a section of the answer: its other places may be anywhere.

    Raises:
        Fault: NOT_FOUND when git knows no such base; INVALID_INPUT in a project without git.
    """
    tree = open_worktree(check.sources.root)
    if tree is None:
        raise Fault(
            Code.INVALID_INPUT, "this project is not in git, so its changes are unknown", help="Leave out base."
        )
    commit = tree.resolve_base(base)
    changed = parse_hunks(tree.diff_lines(commit))
    changed |= {path: [] for path in tree.list_untracked()}
    findings: dict[int, list[Cited]] = {}
    for one in check.cited:
        if one.citation.first:
            findings.setdefault(one.sentence.topic, []).append(one)
    for cited in findings.values():
        if not any(_is_changed(one, changed) for one in cited):
            one = cited[0]
            check.report(one.sentence.line, "outside", say_place(one.citation), _describe_outside(one, changed, base))


def parse_hunks(diff: str) -> dict[str, list[tuple[int, int]]]:
    """Parse the changed lines of each file from a diff without context."""
    changed: dict[str, list[tuple[int, int]]] = {}
    for part in re.split(r"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        named = re.search(r"^\+\+\+ (?:b/)?(.+?)\t?$", part, re.MULTILINE)
        if named:
            hunks = ((int(found[1]), int(found[2] or 1)) for found in _HUNK.finditer(part))
            changed[named[1].strip('"')] = [(first, first + max(count, 1) - 1) for first, count in hunks]
    return changed


def _is_changed(one: Cited, changed: dict[str, list[tuple[int, int]]]) -> bool:
    hunks = changed.get(one.file.path)
    if hunks is None:
        return False
    near = (first - _NEAR <= one.citation.last and one.citation.first <= last + _NEAR for first, last in hunks)
    return not hunks or any(near)


def _describe_outside(one: Cited, changed: dict[str, list[tuple[int, int]]], base: str) -> str:
    hunks = changed.get(one.file.path)
    if hunks is None:
        return f"{one.file.path} is not changed since {base[:80]}: name the changed line that causes it"
    shown = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in hunks[:_MAX_RANGES])
    more = " …" if len(hunks) > _MAX_RANGES else ""
    return f"{say_place(one.citation)} is not changed since {base[:80]}; {one.file.path} is at {shown}{more}"


_PARTS = re.compile(r"(?<=[?!.;])\s+|\n+(?=\s*(?:[-*]|\d+[.)])?\s*\S)")
_NO_TOPIC = frozenset(
    stem_words("does explain from happen have make that this what when where which will with your please")
)
_MIN_LETTERS = 4
_MIN_WORDS = 2
_MAX_PARTS = 12
_MAX_SHOWN = 120


def list_open_parts(question: str, answer: str) -> tuple[str, ...]:
    """List the parts of a question of which the answer has no word."""
    parts = [part.strip() for part in _PARTS.split(question) if part.strip()][:_MAX_PARTS]
    if len(parts) < _MIN_WORDS:
        return ()
    said = stem_words(answer)
    topics = [_list_topic_words(part) - _NO_TOPIC for part in parts]
    left = (part for part, topic in zip(parts, topics, strict=True) if len(topic) >= _MIN_WORDS and not topic & said)
    return tuple(part if len(part) <= _MAX_SHOWN else f"{part[:_MAX_SHOWN]}…" for part in left)


def _list_topic_words(part: str) -> frozenset[str]:
    return frozenset(word for word in stem_words(part) if len(word) >= _MIN_LETTERS)


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
    examples=(Example("the text of an answer", {"text": "See `README.md`."}),),
    command=Command(
        "check",
        "Check an answer against the project's files.",
        arguments=("files",),
        files=("files",),
        stdin_text="text",
    ),
)
