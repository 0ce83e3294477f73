"""Mistakes that the scripted model makes on purpose, each once in a walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

QUERY, SEARCH, GET = "aurora_query", "aurora_search", "aurora_get"

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong call in the place of a right one.

    Attributes:
        title: what is wrong.
        tool: the tool that is called.
        spoil: makes the wrong arguments from the right ones of the next call.
        needs_answer: True if the right call must have an answer.
    """

    title: str
    tool: str
    spoil: Callable[[Arguments], Arguments]
    needs_answer: bool = False


def _leave_out(name: str) -> Callable[[Arguments], Arguments]:
    return lambda right: {key: value for key, value in right.items() if key != name}


MISTAKES = (
    Mistake("an unknown phase", QUERY, lambda right: {**right, "phase": f"{right['phase']}s"}),
    Mistake("a phase out of turn", QUERY, lambda right: {**right, "phase": "respond"}),
    Mistake("an unknown argument", QUERY, lambda right: {**right, "colour": "blue"}),
    Mistake("an argument of a wrong type", QUERY, lambda right: {**right, "step": "two"}),
    Mistake("a search without a query", SEARCH, lambda _: {}),
    Mistake("an unknown chunk", GET, lambda _: {"ids": ["code:000000000000"]}),
    Mistake("a bad answer", QUERY, lambda right: {**right, "answer": {"colour": "blue"}}, needs_answer=True),
    Mistake("a missing answer", QUERY, _leave_out("answer"), needs_answer=True),
    Mistake("a text as answer", QUERY, lambda right: {**right, "answer": "I do not know."}, needs_answer=True),
)
