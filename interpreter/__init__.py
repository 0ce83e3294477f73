"""The workflow language and its machine; it knows no workflow by name, no database, no protocol and no screen."""

from aurora.interpreter.catalog.catalog import Catalog, Summary
from aurora.interpreter.catalog.query_schema import query_schema
from aurora.interpreter.language.definition import Definition
from aurora.interpreter.language.model import Workflow
from aurora.interpreter.problems.problem import Problem
from aurora.interpreter.run.call import Call
from aurora.interpreter.run.engine import Engine
from aurora.interpreter.run.journal import Edge, Run, Step
from aurora.interpreter.run.ports import Clock, Journal, Toolbox, ToolCall, ToolFacts
from aurora.interpreter.run.truncate import compact

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
