"""The run of a workflow: engine, inputs, execution, journal and responses."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .call import Call
    from .engine import Engine
    from .execute import RenderedPrompts, build_arguments, render_prompts
    from .inputs import InputFaults, is_answer_skipped, resolve_answer, resolve_inputs
    from .journal import Edge, Run, Step
    from .next_call import build_first_call, build_next_call
    from .ports import Clock, Journal, PhaseUse, Toolbox, ToolCall, ToolFacts
    from .rules import decide_next
    from .tool_fingerprint import fingerprint_tool
    from .truncate import ADDRESS_ARGUMENTS, to_compact_json, truncate_response

__all__ = [
    "ADDRESS_ARGUMENTS",
    "Call",
    "Clock",
    "Edge",
    "Engine",
    "InputFaults",
    "Journal",
    "PhaseUse",
    "RenderedPrompts",
    "Run",
    "Step",
    "ToolCall",
    "ToolFacts",
    "Toolbox",
    "build_arguments",
    "build_first_call",
    "build_next_call",
    "decide_next",
    "fingerprint_tool",
    "is_answer_skipped",
    "render_prompts",
    "resolve_answer",
    "resolve_inputs",
    "to_compact_json",
    "truncate_response",
]

__getattr__ = export_lazily(
    __name__,
    {
        "call": ["Call"],
        "engine": ["Engine"],
        "execute": ["RenderedPrompts", "build_arguments", "render_prompts"],
        "inputs": ["InputFaults", "is_answer_skipped", "resolve_answer", "resolve_inputs"],
        "journal": ["Edge", "Run", "Step"],
        "next_call": ["build_first_call", "build_next_call"],
        "ports": ["Clock", "Journal", "PhaseUse", "ToolCall", "ToolFacts", "Toolbox"],
        "rules": ["decide_next"],
        "tool_fingerprint": ["fingerprint_tool"],
        "truncate": ["ADDRESS_ARGUMENTS", "to_compact_json", "truncate_response"],
    },
)
