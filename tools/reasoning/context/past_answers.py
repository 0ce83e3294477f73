"""Past answers among the hits: one of those to the same question in other words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.memory import PastQuestions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Hit


def drop_repeated_answers(hits: Iterable[Hit]) -> list[Hit]:
    """Drop past answers to a question that a better one answers too, unless a person confirmed them.

    Ten answers to one question in other words take the place of one.
    """
    kept: list[Hit] = []
    questions = PastQuestions()
    for hit in hits:
        if hit.chunk.type == "reas":
            if not hit.confirmed and questions.has_same(hit.chunk):
                continue
            questions.add(hit.chunk)
        kept.append(hit)
    return kept
