"""Survey of the files that define a project's own workflows and agents; none of them is read."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from aurora import hosts, trust
from aurora.interpreter.catalog import WORKFLOW_SUFFIXES
from aurora.tools.core import PROJECT_WORKFLOWS

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Project
    from aurora.trust import OwnDefinitions

_MOST_ENTRIES = 1_000
"""Limit for the entries of the folder of workflows that are counted: a clone may bring any number."""
_MOST_AGENTS = 100
"""Limit for the counted agents; each costs some tenths of a millisecond."""


def survey_project(root: Path) -> OwnDefinitions:
    """List the files of the project's own workflows and agents, up to a limit."""
    workflows, is_complete = _list_workflows(root)
    agents = hosts.list_agent_files(root, _MOST_AGENTS)
    return trust.OwnDefinitions(workflows, agents, is_complete and len(agents) < _MOST_AGENTS)


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


def _list_workflows(root: Path) -> tuple[tuple[str, ...], bool]:
    """List the workflow files, and whether these are all."""
    try:
        with os.scandir(root / PROJECT_WORKFLOWS) as entries:
            names = [entry.name for entry in islice(entries, _MOST_ENTRIES + 1)]
    except OSError:
        return (), True
    found = sorted(name for name in names if name.endswith(WORKFLOW_SUFFIXES) and not name.startswith("."))
    return tuple(f"{PROJECT_WORKFLOWS}/{name}" for name in found), len(names) <= _MOST_ENTRIES
