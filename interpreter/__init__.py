"""The workflow language and its engine, without database, protocol or screen."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .catalog.catalog import Catalog, WorkflowSummary
    from .language.definition import Definition
    from .language.model import Workflow
    from .problems import Problem
    from .run.call import Call
    from .run.engine import Engine
    from .run.journal import Run
    from .run.next_call import to_compact_json
    from .run.ports import Clock, Journal, Toolbox, ToolCall, ToolFacts
    from .run.step import Edge, Step

__all__ = [
    "Call",
    "Catalog",
    "Clock",
    "Definition",
    "Edge",
    "Engine",
    "Journal",
    "Problem",
    "Run",
    "Step",
    "ToolCall",
    "ToolFacts",
    "Toolbox",
    "Workflow",
    "WorkflowSummary",
    "to_compact_json",
]

__getattr__ = export_lazily(
    __name__,
    {
        "catalog.catalog": ["Catalog", "WorkflowSummary"],
        "language.definition": ["Definition"],
        "language.model": ["Workflow"],
        "problems": ["Problem"],
        "run.call": ["Call"],
        "run.engine": ["Engine"],
        "run.journal": ["Run"],
        "run.next_call": ["to_compact_json"],
        "run.ports": ["Clock", "Journal", "ToolCall", "ToolFacts", "Toolbox"],
        "run.step": ["Edge", "Step"],
    },
)
