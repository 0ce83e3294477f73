"""Parser of queries; any text is valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .question import parse_question
from .report import is_report, parse_report

if TYPE_CHECKING:
    from .model import Query

MAX_LENGTH = 40_000
"""Characters of a query that are read; of a longer text the beginning and the end."""


def parse_query(text: str) -> Query:
    """Parse a query: a question or a pasted report."""
    if len(text) > MAX_LENGTH:
        text = f"{text[: MAX_LENGTH // 2]}\n{text[-MAX_LENGTH // 2 :]}"
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    return parse_report(text) if is_report(text) else parse_question(text)
