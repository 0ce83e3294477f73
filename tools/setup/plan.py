"""`init.plan`: diffs of what `init.run` or `init.remove` would write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora import hosts
from aurora.tools import catalog
from aurora.tools.core import Example, Tool

from .files import (
    choose_hosts,
    explain_shared_files,
    list_advice,
    list_failed_hosts,
    list_left_out,
    list_offers,
    report_no_host,
    to_change_rows,
    to_detected_hosts,
    to_trouble_rows,
)
from .gitignore import plan_hide, plan_unhide
from .model import ChangeRow, InitOutput, PlanInput

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Context


def plan_init(given: PlanInput, context: Context) -> InitOutput:
    """Plan a setup or removal without writing anything.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    chosen = choose_hosts(given.hosts, root, person) if given.hosts or not given.remove else hosts.HOSTS
    launch = hosts.Launch.detect(person)
    if given.remove:
        plan = hosts.plan_removal(root, person, chosen, hosts.HOSTS)
    else:
        plan = hosts.plan_changes(
            root,
            person,
            chosen,
            launch,
            user=given.user,
            skill=catalog.render_skill(),
            allow_tools=given.allow_tools,
            left_out=list_left_out(given),
        )
    missing = () if chosen else (report_no_host(),)
    return InitOutput(
        root=str(root),
        planned=True,
        removed=given.remove,
        hosts=() if given.remove else to_detected_hosts(chosen, root, person),
        changes=(
            *(() if given.remove else plan_unhide(root)),
            *to_change_rows(plan.changes),
            *_plan_gitignore(given, root),
        ),
        standing=plan.unchanged,
        troubles=(*missing, *to_trouble_rows(plan.problems)),
        failed=tuple(list_failed_hosts(given.hosts, chosen, plan.problems)),
        offers=() if given.remove or given.allow_tools else list_offers(chosen, root, person, user=given.user),
        advice=tuple(
            explain_shared_files(plan)
            if given.remove
            else list_advice(given, launch, plan.problems, chosen, chosen if plan.changes else ())
        ),
    )


def _plan_gitignore(given: PlanInput, root: Path) -> tuple[ChangeRow, ...]:
    """Plan the change of .gitignore when no host is left."""
    return plan_hide(root) if given.remove and not given.hosts else ()


TOOL = Tool(
    name="init.plan",
    title="Plan the setup",
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
