"""The workflow language and its engine, without database, protocol or screen."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .catalog import Catalog, WorkflowSummary
    from .language import Definition, Workflow
    from .problems import Problem
    from .run import Call, Clock, Edge, Engine, Journal, Run, Step, Toolbox, ToolCall, ToolFacts, to_compact_json

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
        "catalog": ["Catalog", "WorkflowSummary"],
        "language": ["Definition", "Workflow"],
        "problems": ["Problem"],
        "run": [
            "Call",
            "Clock",
            "Edge",
            "Engine",
            "Journal",
            "Run",
            "Step",
            "ToolCall",
            "ToolFacts",
            "Toolbox",
            "to_compact_json",
        ],
    },
)
