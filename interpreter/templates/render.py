"""Rendering and checking of templates, in this process or in a worker process.

A template that only prints, chooses and loops is tried in this process, where the library's fuel bounds its
instructions, and the size of the values that it reads what each of them does. All others, and those that need more, go
to a worker with limits of time and memory: to start one takes 50 ms, each request 1 ms.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aurora.errors import check_cancelled
from aurora.interpreter.expressions.meter import charge_work, is_metering, measure_size

from .engine import MAX_FUEL, OutOfWorkError, PromptError, list_variables, render_text
from .tags import PRINT, check_limits, list_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .tags import Tag, Token

MAX_WORK = 100_000_000
"""Instructions of a rendering in this process times the size of the values that it reads.

The worst expressions that were found, comparisons and joined texts in a loop, take 0.1 s for it; `list` of a text took
0.4 s, and is left to a worker. The shipped prompts need up to a third: 243 instructions over 150,000 characters.
"""
MAX_METERED_WORK = 5_000_000
"""The same where many renderings share one limit, as in a simulation: some milliseconds."""

_FILTERED_SHARE = 20
"""Work for each unit of `measure_size` that a filter reads: some 20 ns."""
_METERED_STEPS = 500
"""Units of a rendering in this process, for the meter of a simulation."""
_STEPS_PER_FUEL = 0.25
"""The same of an instruction of a worker."""

MAX_LITERAL_TEXT = 20_000_000
"""Characters times instructions: literal text that a loop can repeat costs fuel."""
MIN_FUEL = 100
"""Fewest instructions with which a rendering is tried in this process."""
MIN_WORKER_FUEL = 10_000
"""Least fuel of a worker, whose limit of memory bounds the text."""


def render_template(template: str, scope: Mapping[str, Any], name: str) -> str:
    """Render the template over `scope`; nothing is escaped, because a model reads it.

    Raises:
        PromptError: when it cannot be read, names an unknown variable, or needs too much time or memory.
        Cancelled: the call was cancelled.
    """
    check_cancelled()
    try:
        facts = _read_facts(template)
        if facts.is_plain:
            charge_work(_METERED_STEPS)
            work = MAX_METERED_WORK if is_metering() else MAX_WORK
            fuel = min(_count_affordable(facts, scope, work), MAX_LITERAL_TEXT // facts.longest_text)
            with suppress(OutOfWorkError):  # it is perhaps not too much for a worker
                if fuel >= MIN_FUEL:
                    return render_text(template, scope, name, _round_fuel(fuel), work // _FILTERED_SHARE)
            check_cancelled()
        fuel = _round_fuel(max(MAX_LITERAL_TEXT // facts.longest_text, MIN_WORKER_FUEL))
        charge_work(int(fuel * _STEPS_PER_FUEL))
        return str(_ask_worker("render", template, name, fuel, scope)["text"])
    except PromptError as error:
        raise error.with_name(name) from None


def check_template(template: str, name: str) -> frozenset[str]:
    """Check the template, and return the names that it reads: `result.agents`.

    Raises:
        PromptError: when it cannot be read.
        Cancelled: the call was cancelled.
    """
    try:
        found = _check_once(template)
    except PromptError as error:
        raise error.with_name(name) from None
    if isinstance(found, PromptError):
        raise found.with_name(name)
    return found


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts of a template that are known before it is rendered.

    Attributes:
        is_plain: whether it only prints, chooses and loops.
        names: all names in its tags.
        joined: the most texts that one tag joins.
        longest_text: characters of the longest text between two tags, at least 1.
        longest_tag: characters of the longest tag, whose literals are values, too.
    """

    is_plain: bool
    names: frozenset[str]
    joined: int
    longest_text: int
    longest_tag: int


@lru_cache(maxsize=256)
def _read_facts(template: str) -> _Facts:
    """Read a template.

    Raises:
        PromptError: it exceeds a limit.
    """
    check_limits(template)
    tags = list_tags(template)
    starts = [tag.start for tag in tags] + [len(template)]
    ends = [0] + [tag.end for tag in tags]
    return _Facts(
        all(map(_is_plain_tag, tags)),
        frozenset(token.text for tag in tags for token in tag.tokens if token.kind == "name"),
        1 + max((sum(token.text in _JOINS for token in tag.tokens) for tag in tags), default=0),
        max(1, *(start - end for start, end in zip(starts, ends, strict=True))),
        max((tag.end - tag.start for tag in tags), default=1),
    )


_JOINS = frozenset({"~", "+"})
_PLAIN_WORDS = frozenset({"if", "elif", "else", "endif", "for", "endfor"})
_WORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "elif", "for"})
_PLAIN_FILTERS = frozenset(
    {"abs", "capitalize", "count", "d", "default", "e", "escape", "first", "float", "int", "items", "join", "last"}
    | {"length", "lower", "replace", "reverse", "round", "safe", "string", "title", "tojson", "trim", "upper"}
)
"""Filters whose work is counted, or at most that of reading their value once."""
_FOREIGN_SIGNS = frozenset({"*", "**", "%", "{", "}"})
"""Signs that make large values of small ones, and objects, which prompts do not need."""
_MAX_DIGITS = 18


def _is_plain_tag(tag: Tag) -> bool:
    """Check that one instruction of a tag does no more than read its values a few times."""
    if not tag.is_closed or (tag.mark != PRINT and tag.word not in _PLAIN_WORDS):
        return False
    return all(_is_plain_token(tag.tokens, index) for index in range(len(tag.tokens)))


def _is_plain_token(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    before = tokens[index - 1] if index else None
    if before is not None and before.text == "|":
        return token.text in _PLAIN_FILTERS
    if token.text == "(" and before is not None and _is_operand(before):  # a call, if it is not a filter's
        return index > 1 and tokens[index - 2].text == "|"
    if token.kind == "number":
        return len(token.text) <= _MAX_DIGITS
    # the library may read names of other alphabets differently
    return (
        token.kind != "other" and token.text.isascii() | (token.kind == "string") and token.text not in _FOREIGN_SIGNS
    )


def _is_operand(token: Token) -> bool:
    return token.text in (")", "]") or (token.kind in ("name", "string") and token.text not in _WORDS)


def _count_affordable(facts: _Facts, scope: Mapping[str, Any], work: int) -> int:
    """Count the instructions for which the values that the template reads are small enough."""
    most = work // facts.joined
    values = (value for name, value in scope.items() if name in facts.names)
    # what leaves fewer than `MIN_FUEL` is not measured to its end
    return most // (measure_size(values, most // MIN_FUEL) + facts.longest_tag)


def _round_fuel(fuel: int) -> int:
    """Round down to a power of two, so that few environments of the library are made."""
    return min(MAX_FUEL, 1 << max(fuel.bit_length() - 1, 0))


@lru_cache(maxsize=256)
def _check_once(template: str) -> frozenset[str] | PromptError:
    """Parse a template once.

    The library computes with constants as it parses, so that a worker parses a template that is not plain.

    Raises:
        WorkerStartError: no worker can be started, which is not kept.
    """
    try:
        if _read_facts(template).is_plain:
            return list_variables(template)
        return frozenset(_ask_worker("check", template, "", MAX_FUEL, {})["names"])
    except PromptError as error:
        if type(error).__name__ == "WorkerStartError":
            raise
        return error


def _ask_worker(kind: str, template: str, name: str, fuel: int, scope: Mapping[str, Any]) -> dict[str, Any]:
    from aurora.interpreter.templates.worker import ask_worker  # noqa: PLC0415 - most need no worker

    return ask_worker(kind, template, name, fuel, scope)
