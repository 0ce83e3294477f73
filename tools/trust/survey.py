"""Survey of the files that define a project's own workflows and agents; none of them is read."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from aurora import hosts, trust
from aurora.faults import Fault
from aurora.faults.paths.read import read_inside
from aurora.interpreter.catalog.paths import MAX_ENTRIES, WORKFLOW_SUFFIXES
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


def survey_unused(project: Project) -> OwnDefinitions:
    """List the project's own files that are not used: without trust all, else the changed ones."""
    found = project.trust
    if found.uses_every_content:
        return trust.OwnDefinitions()
    own = survey_project(project.root)
    if not own or not found.is_trusted():
        return own
    workflows = tuple(file for file in own.workflows if not is_file_trusted(project, file))
    agents = tuple(file for file in own.agents if not is_file_trusted(project, file))
    return trust.OwnDefinitions(workflows, agents, is_changed=True)


def build_notice(project: Project) -> str:
    """Build the sentence that reports unused files, for people and models; empty when there are none."""
    unused = survey_unused(project)
    if not unused:
        return ""
    return (
        f"Not used: {unused.count_files()} of this folder, {unused.reason}. "
        "`aur trust` in a terminal shows them, and asks."
    )


def is_file_trusted(project: Project, file: str) -> bool:
    """Return whether a file of the project is as the person was shown it, with all that it is made of.

    Args:
        project: the open project.
        file: relative to it.
    """
    try:
        content = read_inside(project.root, file, trust.MAX_CONTENT_BYTES)
    except Fault:  # a link that leads outside, which is never used
        return False
    return project.trust.is_unchanged(project.root / file, content)


def _list_workflows(root: Path, most: int) -> tuple[tuple[str, ...], bool]:
    """List the workflow files, and whether these are all."""
    try:
        with os.scandir(root / PROJECT_WORKFLOWS) as entries:
            names = [entry.name for entry in islice(entries, most + 1)]
    except OSError:
        return (), True
    found = sorted(name for name in names if name.endswith(WORKFLOW_SUFFIXES) and not name.startswith("."))
    return tuple(f"{PROJECT_WORKFLOWS}/{name}" for name in found), len(names) <= most
