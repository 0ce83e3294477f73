"""init.plan: what `init.run` or `init.remove` would write, as diffs; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.core import Example, Tool

from .files import (
    choose_hosts,
    report_no_host,
    to_change_rows,
    to_detected_hosts,
    to_trouble_rows,
    warn_unshared_program,
)
from .gitignore import plan_hide, plan_unhide
from .model import ChangeRow, InitOutput, PlanInput

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Context


def plan_init(given: PlanInput, context: Context) -> InitOutput:
    """Plan the changes.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    from aurora.hosts import HOSTS, Launch, UserPaths, plan_changes, plan_removal  # noqa: PLC0415 - listing tools does without
    from aurora.tools.catalog import render_skill  # noqa: PLC0415 - as above

    root, person = context.root, UserPaths.from_environment()
    hosts = choose_hosts(given.hosts, root, person) if given.hosts or not given.remove else HOSTS
    launch = Launch.detect(person)
    if given.remove:
        made = plan_removal(root, person, hosts)
    else:
        made = plan_changes(root, person, hosts, launch, user=given.user, skill=render_skill())
    missing = (report_no_host(),) if not hosts else ()
    return InitOutput(
        root=str(root),
        planned=True,
        removed=given.remove,
        hosts=() if given.remove else to_detected_hosts(hosts, root, person),
        changes=(
            *(() if given.remove else plan_unhide(root)),
            *to_change_rows(made.changes),
            *_plan_gitignore(given, root),
        ),
        standing=made.unchanged,
        troubles=(*missing, *to_trouble_rows(made.problems)),
        advice=() if given.remove or given.user or not hosts else warn_unshared_program(launch),
    )


def _plan_gitignore(given: PlanInput, root: Path) -> tuple[ChangeRow, ...]:
    """What else changes where nothing is left that uses the folder."""
    return plan_hide(root) if given.remove and not given.hosts else ()


TOOL = Tool(
    name="init.plan",
    title="What setting up would write",
    description=(
        "Find the assistants in use, and show as diffs what would be written for them into this project and into "
        "your own files. Nothing is written."
    ),
    input=PlanInput,
    output=InitOutput,
    run=plan_init,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=60.0,
    examples=(Example("For one assistant", {"hosts": ["claude-code"]}),),
)
