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
    from .list import InFlightRun, list_in_flight
    from .page import format_value
    from .show import ShownStep, describe_step
    from .walked import Wait, count_visits, describe_wait, find_run_workflow, find_wait

__all__ = [
    "LAST",
    "ExplainedRule",
    "ExportRunInput",
    "InFlightRun",
    "PersonQuestion",
    "ShownStep",
    "Wait",
    "count_visits",
    "describe_step",
    "describe_wait",
    "explain_one_step",
    "export_run",
    "find_question",
    "find_run_workflow",
    "find_wait",
    "find_wrong_content",
    "format_value",
    "list_in_flight",
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
        "list": ["InFlightRun", "list_in_flight"],
        "page": ["format_value"],
        "show": ["ShownStep", "describe_step"],
        "walked": ["Wait", "count_visits", "describe_wait", "find_run_workflow", "find_wait"],
    },
)
