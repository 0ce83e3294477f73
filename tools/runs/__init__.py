"""Tools for runs, jobs and the log of calls, and the questions of runs to the person."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .explain import ExplainedRule, explain_one_step
    from .export import ExportRunInput, export_run
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
    from .page import format_value
    from .show import ShownStep, describe_step
    from .walked import count_visits, find_run_workflow

__all__ = [
    "LAST",
    "ExplainedRule",
    "ExportRunInput",
    "PersonQuestion",
    "ShownStep",
    "count_visits",
    "describe_step",
    "explain_one_step",
    "export_run",
    "find_question",
    "find_run_workflow",
    "find_wrong_content",
    "format_value",
    "list_waiting",
    "name_user",
    "repeat_response",
    "reply_to_question",
    "resolve_run_id",
]

__getattr__ = export_lazily(
    __name__,
    {
        "explain": ["ExplainedRule", "explain_one_step"],
        "export": ["ExportRunInput", "export_run"],
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
        "page": ["format_value"],
        "show": ["ShownStep", "describe_step"],
        "walked": ["count_visits", "find_run_workflow"],
    },
)
