"""Core of the tools: declaration, context, registry, argument validation."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .aliases import Alias, resolve_alias
    from .client_values import adapt_arguments
    from .command import Command, Switch
    from .compact import CompactModel
    from .context import NO_PHASE, Context, PhaseOrigin, ProgressCallback, Surface, ignore_progress
    from .declaration import Example, Family, Risk, StrictModel, Tool
    from .exposure import NO_COMMAND, NO_MCP, NO_TOOL
    from .json_value import JSON_TYPES, Json
    from .phase_table import JOB_TOOLS, PHASE_TOOLS
    from .project import DEFAULT_WORKFLOW, PROJECT_WORKFLOWS, Project
    from .registry import DEFAULT_TOOLS, ToolRegistry
    from .run_signature import extend_digest, has_own_steps, is_own_run, sign_document
    from .toolsets import TOOLSETS
    from .validate import validate_arguments
    from .volatile_fields import mark_volatile_fields

__all__ = [
    "DEFAULT_TOOLS",
    "DEFAULT_WORKFLOW",
    "JOB_TOOLS",
    "JSON_TYPES",
    "NO_COMMAND",
    "NO_MCP",
    "NO_PHASE",
    "NO_TOOL",
    "PHASE_TOOLS",
    "PROJECT_WORKFLOWS",
    "TOOLSETS",
    "Alias",
    "Command",
    "CompactModel",
    "Context",
    "Example",
    "Family",
    "Json",
    "PhaseOrigin",
    "ProgressCallback",
    "Project",
    "Risk",
    "StrictModel",
    "Surface",
    "Switch",
    "Tool",
    "ToolRegistry",
    "adapt_arguments",
    "extend_digest",
    "has_own_steps",
    "ignore_progress",
    "is_own_run",
    "mark_volatile_fields",
    "resolve_alias",
    "sign_document",
    "validate_arguments",
]

__getattr__ = export_lazily(
    __name__,
    {
        "aliases": ["Alias", "resolve_alias"],
        "client_values": ["adapt_arguments"],
        "command": ["Command", "Switch"],
        "compact": ["CompactModel"],
        "context": ["NO_PHASE", "Context", "PhaseOrigin", "ProgressCallback", "Surface", "ignore_progress"],
        "declaration": ["Example", "Family", "Risk", "StrictModel", "Tool"],
        "exposure": ["NO_COMMAND", "NO_MCP", "NO_TOOL"],
        "json_value": ["JSON_TYPES", "Json"],
        "phase_table": ["JOB_TOOLS", "PHASE_TOOLS"],
        "project": ["DEFAULT_WORKFLOW", "PROJECT_WORKFLOWS", "Project"],
        "registry": ["DEFAULT_TOOLS", "ToolRegistry"],
        "run_signature": ["extend_digest", "has_own_steps", "is_own_run", "sign_document"],
        "toolsets": ["TOOLSETS"],
        "validate": ["validate_arguments"],
        "volatile_fields": ["mark_volatile_fields"],
    },
)
