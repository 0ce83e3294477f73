"""Core of the tools: declaration, context, registry, argument validation."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .arguments import adapt_arguments, validate_arguments
    from .context import (
        DEFAULT_WORKFLOW,
        NO_PHASE,
        PROJECT_WORKFLOWS,
        Context,
        PhaseOrigin,
        ProgressCallback,
        Project,
        Surface,
        extend_digest,
        has_own_steps,
        ignore_progress,
        is_own_run,
        sign_document,
    )
    from .declaration import (
        JSON_TYPES,
        Alias,
        Command,
        CompactModel,
        Example,
        Family,
        Json,
        Risk,
        StrictModel,
        Switch,
        Tool,
    )
    from .exposure import NO_COMMAND, NO_MCP, NO_TOOL
    from .phase_table import JOB_TOOLS, PHASE_TOOLS
    from .registry import DEFAULT_TOOLS, TOOLSETS, ToolRegistry, resolve_alias

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
    "resolve_alias",
    "sign_document",
    "validate_arguments",
]

__getattr__ = export_lazily(
    __name__,
    {
        "arguments": ["adapt_arguments", "validate_arguments"],
        "context": [
            "DEFAULT_WORKFLOW",
            "NO_PHASE",
            "PROJECT_WORKFLOWS",
            "Context",
            "PhaseOrigin",
            "ProgressCallback",
            "Project",
            "Surface",
            "extend_digest",
            "has_own_steps",
            "ignore_progress",
            "is_own_run",
            "sign_document",
        ],
        "declaration": [
            "JSON_TYPES",
            "Alias",
            "Command",
            "CompactModel",
            "Example",
            "Family",
            "Json",
            "Risk",
            "StrictModel",
            "Switch",
            "Tool",
        ],
        "exposure": ["NO_COMMAND", "NO_MCP", "NO_TOOL"],
        "phase_table": ["JOB_TOOLS", "PHASE_TOOLS"],
        "registry": ["DEFAULT_TOOLS", "TOOLSETS", "ToolRegistry", "resolve_alias"],
    },
)
