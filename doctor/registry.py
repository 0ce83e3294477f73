"""Registry of the checks by group; a new check is one function and one line here."""

from __future__ import annotations

from . import configuration, hooks, memory, project, references, servers, system
from .model import Check, Group

_SERVER_TIMEOUT = 20.0
"""Seconds; longer than the timeout of the server itself."""

GROUPS = (
    Group(
        "mcp",
        "MCP Integration Checks",
        (
            Check("mcp.config", "the assistants' files are valid", configuration.check_config),
            Check("mcp.tools", "aurora_query, aurora_search and aurora_get can be loaded", servers.check_tools),
            Check("mcp.phases", "the phases can be loaded", servers.check_phases),
            Check("mcp.server", "the server starts", servers.check_handshake, seconds=_SERVER_TIMEOUT),
            Check(
                "mcp.stateless",
                "the server answers without a handshake",
                servers.check_stateless,
                seconds=_SERVER_TIMEOUT,
            ),
            Check("mcp.http", "the servers of entries over HTTP answer", servers.check_http, seconds=_SERVER_TIMEOUT),
            Check("mcp.database", "the server and the command line open the same memory", servers.check_database),
            Check(
                "mcp.references",
                "the assistants' files about Aurora are up to date",
                references.check_references,
            ),
            Check("mcp.hooks", "hooks of assistants start in time", hooks.check_hooks, seconds=_SERVER_TIMEOUT),
        ),
    ),
    Group(
        "workflows",
        "Workflow Checks",
        (Check("workflows.valid", "the workflows have no problems", project.check_workflows),),
    ),
    Group(
        "memory",
        "Memory Checks",
        (
            Check("memory.opens", "the memory opens", memory.check_database),
            Check(
                "memory.whole",
                "the memory passes its integrity check",
                memory.check_integrity,
                requires=("memory.opens",),
                seconds=20.0,
                slow="Run `aur mem check`, which takes its time.",
            ),
            Check(
                "memory.fresh",
                "the memory is up to date",
                memory.check_freshness,
                requires=("memory.opens",),
                seconds=20.0,
                slow="Run `aur mem index`.",
            ),
            Check("memory.worktrees", "the indexes of linked worktrees are in use", memory.check_worktrees),
            Check("memory.meaning", "texts can be embedded offline", memory.check_embeddings),
            Check("memory.grammars", "the grammars load", memory.check_grammars),
        ),
    ),
    Group(
        "project",
        "Project Checks",
        (
            Check("project.folder", ".aurora/ exists", project.check_folder),
            Check(
                "project.rights",
                ".aurora/ is readable and writable by its owner, and not writable by everyone",
                project.check_permissions,
            ),
            Check("project.trust", "the project's own workflows and agents are used", project.check_trust),
            Check("project.agents", "the definitions of agents can be read", project.check_agents),
            Check("project.commands", "the programs that phases may run exist", project.check_commands),
        ),
    ),
    Group(
        "system",
        "System Checks",
        (
            Check("system.python", "Python is new enough", system.check_python),
            Check("system.sqlite", "SQLite can store a memory", system.check_sqlite),
            Check("system.space", "there is enough disk space", system.check_disk_space),
            Check(
                "system.extensions",
                "no installed distribution has a broken tool",
                system.check_extensions,
                seconds=30.0,
            ),
            Check("system.environment", "no environment variable overrides anything", system.check_environment),
        ),
    ),
)
"""In display order."""
