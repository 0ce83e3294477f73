"""The tools that phases may use; `make commands` generates this file from the declarations."""

from __future__ import annotations

PHASE_TOOLS: tuple[str, ...] = (
    "agents.list",
    "agents.search",
    "agents.show",
    "answer.respond",
    "changes.list",
    "command.run",
    "complexity.assess",
    "context.retrieve",
    "decomposition.brief",
    "decomposition.verify",
    "evidence.check",
    "graph.callers",
    "graph.diff",
    "graph.implementations",
    "graph.members",
    "graph.neighbors",
    "graph.node",
    "graph.path",
    "jobs.list",
    "mem.activation",
    "mem.backups",
    "mem.check",
    "mem.get",
    "mem.goals",
    "mem.related",
    "mem.search",
    "mem.stats",
    "mem.themes",
    "options.weigh",
    "pattern.record",
    "readiness.check",
    "review.collect",
    "runs.list",
    "runs.show",
    "tasks.collect",
    "tasks.route",
    "workflow.explain",
    "workflow.list",
    "workflow.show",
    "workflow.suggest",
)
"""Tools that a phase of any workflow may use; reading the names imports no tool."""

JOB_TOOLS: tuple[str, ...] = (
    "mem.add",
    "mem.backup",
    "mem.consolidate",
    "mem.export",
    "mem.import",
    "mem.index",
    "mem.rebuild",
    "mem.repair",
)
"""Further tools for the phases of a job that a person starts in a terminal."""
