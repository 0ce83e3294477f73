"""Tools for runs, jobs and the log of calls, and the questions of runs to the person."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .gate import (
        PersonQuestion,
        find_question,
        find_wrong_content,
        list_waiting,
        name_user,
        repeat_response,
        reply_to_question,
    )
    from .last import LAST, resolve_run_id

__all__ = [
    "LAST",
    "PersonQuestion",
    "find_question",
    "find_wrong_content",
    "list_waiting",
    "name_user",
    "repeat_response",
    "reply_to_question",
    "resolve_run_id",
]

__getattr__ = export_lazily(
    __name__,
    {
        "gate": [
            "PersonQuestion",
            "find_question",
            "find_wrong_content",
            "list_waiting",
            "name_user",
            "repeat_response",
            "reply_to_question",
        ],
        "last": ["LAST", "resolve_run_id"],
    },
)
