"""The workflow language and its machine; it knows no workflow by name, no database, no protocol and no screen."""

from .call import Call
from .catalog import Catalog, Summary
from .definition import Definition
from .engine import Engine
from .fitting import compact
from .model import Workflow
from .ports import Clock, Journal, Toolbox, ToolCall, ToolFacts
from .problems import Problem
from .querying import query_schema
from .record import Edge, Run, Step

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
    "Summary",
    "ToolCall",
    "ToolFacts",
    "Toolbox",
    "Workflow",
    "compact",
    "query_schema",
]
