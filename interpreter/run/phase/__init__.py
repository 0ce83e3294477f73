"""One phase: its inputs, its tool and prompts, and its rules."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .execute import (
        RenderedPrompts,
        build_arguments,
        evaluate_items,
        evaluate_output,
        render_branches,
        render_items,
        render_message,
        render_prompt,
        run_tool,
        spread_outputs,
    )
    from .inputs import (
        InputFaults,
        accepts_null,
        build_answer_schema,
        make_misfit_fault,
        reads_gate,
        recall_input,
        refuse_inputs,
        resolve_answer,
        resolve_inputs,
    )
    from .json_text import validate_value
    from .rules import Decision, decide_next, decide_skipped, decides_by_answer, is_skipped, make_named_edge
    from .scope import (
        RunFacts,
        build_decision_scope,
        build_prompt_scope,
        build_recall_scope,
        collect_facts,
        find_last_visits,
    )
    from .tool_fingerprint import fingerprint_tool

__all__ = [
    "Decision",
    "InputFaults",
    "RenderedPrompts",
    "RunFacts",
    "accepts_null",
    "build_answer_schema",
    "build_arguments",
    "build_decision_scope",
    "build_prompt_scope",
    "build_recall_scope",
    "collect_facts",
    "decide_next",
    "decide_skipped",
    "decides_by_answer",
    "evaluate_items",
    "evaluate_output",
    "find_last_visits",
    "fingerprint_tool",
    "is_skipped",
    "make_misfit_fault",
    "make_named_edge",
    "reads_gate",
    "recall_input",
    "refuse_inputs",
    "render_branches",
    "render_items",
    "render_message",
    "render_prompt",
    "resolve_answer",
    "resolve_inputs",
    "run_tool",
    "spread_outputs",
    "validate_value",
]

__getattr__ = export_lazily(
    __name__,
    {
        "execute": [
            "RenderedPrompts",
            "build_arguments",
            "evaluate_items",
            "evaluate_output",
            "render_branches",
            "render_items",
            "render_message",
            "render_prompt",
            "run_tool",
            "spread_outputs",
        ],
        "inputs": [
            "InputFaults",
            "accepts_null",
            "build_answer_schema",
            "make_misfit_fault",
            "reads_gate",
            "recall_input",
            "refuse_inputs",
            "resolve_answer",
            "resolve_inputs",
        ],
        "json_text": ["validate_value"],
        "rules": ["Decision", "decide_next", "decide_skipped", "decides_by_answer", "is_skipped", "make_named_edge"],
        "scope": [
            "RunFacts",
            "build_decision_scope",
            "build_prompt_scope",
            "build_recall_scope",
            "collect_facts",
            "find_last_visits",
        ],
        "tool_fingerprint": ["fingerprint_tool"],
    },
)
