"""Tools for runs, jobs and the log of calls, and the questions of runs to the person."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .explain import ExplainedRule, explain_one_step
    from .export import ExportRunInput, export_run, format_value
    from .gate import (
        PersonQuestion,
        find_question,
        find_wrong_content,
        list_waiting,
        name_user,
        repeat_response,
        reply_to_question,
    )
    from .list import InFlightRun, list_in_flight
    from .show import ShownStep, describe_step
    from .status import LAST, Wait, count_visits, describe_wait, find_run_workflow, find_wait, resolve_run_id

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
        "export": ["ExportRunInput", "export_run", "format_value"],
        "gate": [
            "PersonQuestion",
            "find_question",
            "find_wrong_content",
            "list_waiting",
            "name_user",
            "repeat_response",
            "reply_to_question",
        ],
        "list": ["InFlightRun", "list_in_flight"],
        "show": ["ShownStep", "describe_step"],
        "status": ["LAST", "Wait", "count_visits", "describe_wait", "find_run_workflow", "find_wait", "resolve_run_id"],
    },
)
