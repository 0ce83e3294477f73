"""Survey of the files that define a project's own workflows and agents; none of them is read."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from aurora import hosts, trust
from aurora.interpreter.catalog import MAX_ENTRIES, WORKFLOW_SUFFIXES
from aurora.tools.core import PROJECT_WORKFLOWS

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Project
    from aurora.trust import OwnDefinitions

_FIRST_ENTRIES = 1_000
"""Limit for the entries of the folder of workflows that are counted at each start: a clone may bring any number."""
_FIRST_AGENTS = 100
"""Limit for the agents that are counted at each start; each costs some tenths of a millisecond."""


def survey_project(root: Path, *, whole: bool = False) -> OwnDefinitions:
    """List the files of the project's own workflows and agents, up to a limit.

    Args:
        root: the project's folder.
        whole: take the limits up to which a trusted folder's files are used, instead of the first few.
    """
    most = MAX_ENTRIES if whole else _FIRST_ENTRIES
    workflows, is_complete = _list_workflows(root, most)
    most_agents = hosts.MAX_AGENT_FILES if whole else _FIRST_AGENTS
    agents = hosts.list_agent_files(root, most_agents)
    return trust.OwnDefinitions(workflows, agents, is_complete and len(agents) < most_agents)


def survey_untrusted(project: Project) -> OwnDefinitions:
    """List the project's own files that are not used, because the person has not trusted the project."""
    return trust.OwnDefinitions() if project.trust.is_trusted() else survey_project(project.root)


def build_notice(project: Project) -> str:
    """Build the sentence that reports unused files, for people and models; empty when there are none."""
    unused = survey_untrusted(project)
    if not unused:
        return ""
    return (
        f"Not used: {unused.count_files()} of this folder, because it is not trusted. "
        "`aur trust` in a terminal shows them, and asks."
    )


def _list_workflows(root: Path, most: int) -> tuple[tuple[str, ...], bool]:
    """List the workflow files, and whether these are all."""
    try:
        with os.scandir(root / PROJECT_WORKFLOWS) as entries:
            names = [entry.name for entry in islice(entries, most + 1)]
    except OSError:
        return (), True
    found = sorted(name for name in names if name.endswith(WORKFLOW_SUFFIXES) and not name.startswith("."))
    return tuple(f"{PROJECT_WORKFLOWS}/{name}" for name in found), len(names) <= most
