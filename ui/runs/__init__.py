"""Runs as the page shows them: the list, one run with its drawing, and the question to the person."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .answer import find_answer
    from .comparison import compare_runs
    from .drawing import MAX_DRAWING, draw_run, draw_workflow, fits_screen, parse_way
    from .gate import find_gate, list_gates, reply
    from .listing import RunFilter, describe_states, describe_tokens, find_question, list_rows
    from .panel import build_panel, list_values, resolve_choice
    from .state import describe_run_state
    from .test_case import render_case
    from .timeline import build_timeline

__all__ = [
    "MAX_DRAWING",
    "RunFilter",
    "build_panel",
    "build_timeline",
    "compare_runs",
    "describe_run_state",
    "describe_states",
    "describe_tokens",
    "draw_run",
    "draw_workflow",
    "find_answer",
    "find_gate",
    "find_question",
    "fits_screen",
    "list_gates",
    "list_rows",
    "list_values",
    "parse_way",
    "render_case",
    "reply",
    "resolve_choice",
]

__getattr__ = export_lazily(
    __name__,
    {
        "answer": ["find_answer"],
        "comparison": ["compare_runs"],
        "drawing": ["MAX_DRAWING", "draw_run", "draw_workflow", "fits_screen", "parse_way"],
        "gate": ["find_gate", "list_gates", "reply"],
        "listing": ["RunFilter", "describe_states", "describe_tokens", "find_question", "list_rows"],
        "panel": ["build_panel", "list_values", "resolve_choice"],
        "state": ["describe_run_state"],
        "test_case": ["render_case"],
        "timeline": ["build_timeline"],
    },
)
