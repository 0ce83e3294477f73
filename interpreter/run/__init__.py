"""The run of a workflow: engine, walk of a call, journal and responses."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .call import Call, PersonReply
    from .engine import Engine
    from .frames import MAX_DEPTH, FoundPhase, Frame, find_frame, find_phase, iterate_phases
    from .journal import Run, find_question
    from .next_call import build_first_call, build_next_call, find_next_call
    from .ports import Clock, Journal, PhaseUse, Surroundings, Toolbox, ToolCall, ToolFacts, Workflows
    from .resume import compute_digest
    from .step import SEPARATOR, Edge, Step
    from .truncate import ADDRESS_ARGUMENTS, to_compact_json, truncate_response
    from .walk import PhaseWork, PhaseWorker

__all__ = [
    "ADDRESS_ARGUMENTS",
    "MAX_DEPTH",
    "SEPARATOR",
    "Call",
    "Clock",
    "Edge",
    "Engine",
    "FoundPhase",
    "Frame",
    "Journal",
    "PersonReply",
    "PhaseUse",
    "PhaseWork",
    "PhaseWorker",
    "Run",
    "Step",
    "Surroundings",
    "ToolCall",
    "ToolFacts",
    "Toolbox",
    "Workflows",
    "build_first_call",
    "build_next_call",
    "compute_digest",
    "find_frame",
    "find_next_call",
    "find_phase",
    "find_question",
    "iterate_phases",
    "to_compact_json",
    "truncate_response",
]

__getattr__ = export_lazily(
    __name__,
    {
        "call": ["Call", "PersonReply"],
        "engine": ["Engine"],
        "frames": [
            "MAX_DEPTH",
            "FoundPhase",
            "Frame",
            "find_frame",
            "find_phase",
            "iterate_phases",
        ],
        "journal": ["Run", "find_question"],
        "resume": ["compute_digest"],
        "step": ["SEPARATOR", "Edge", "Step"],
        "next_call": ["build_first_call", "build_next_call", "find_next_call"],
        "ports": ["Clock", "Journal", "PhaseUse", "Surroundings", "ToolCall", "ToolFacts", "Toolbox", "Workflows"],
        "walk": ["PhaseWork", "PhaseWorker"],
        "truncate": ["ADDRESS_ARGUMENTS", "to_compact_json", "truncate_response"],
    },
)
