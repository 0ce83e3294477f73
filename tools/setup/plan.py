"""`init.plan`: diffs of what `init.run` or `init.remove` would write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora import hosts
from aurora.tools.core import Example, Tool

from .files import (
    choose_hosts,
    explain_shared_files,
    list_advice,
    list_failed_hosts,
    list_offers,
    plan_setup,
    report_no_host,
    to_change_rows,
    to_detected_hosts,
    to_trouble_rows,
)
from .gitignore import plan_hide, plan_unhide
from .model import InitOutput, PlanInput
from .remove import is_last_removal

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.hosts import UserPaths
    from aurora.tools.core import Context


def plan_init(given: PlanInput, context: Context) -> InitOutput:
    """Plan a setup or removal without writing anything.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    return _plan_removal(given, root, person) if given.remove else _plan_setup(given, root, person)


def _plan_removal(given: PlanInput, root: Path, person: UserPaths) -> InitOutput:
    chosen = choose_hosts(given.hosts, root, person) if given.hosts else hosts.HOSTS
    plan = hosts.plan_removal(root, person, chosen, hosts.HOSTS)
    hidden = plan_hide(root) if is_last_removal(chosen, root, person) else ()
    return InitOutput(
        root=str(root),
        planned=True,
        removed=True,
        hosts=(),
        # git hides the folder again when no host is left
        changes=(*to_change_rows(plan.changes), *hidden),
        standing=plan.unchanged,
        troubles=to_trouble_rows(plan.problems),
        failed=tuple(list_failed_hosts(given.hosts, chosen, plan.problems)),
        advice=tuple(explain_shared_files(plan)),
    )


def _plan_setup(given: PlanInput, root: Path, person: UserPaths) -> InitOutput:
    chosen = choose_hosts(given.hosts, root, person)
    launch = hosts.Launch.detect(person)
    plan = plan_setup(given, chosen, launch, root, person)
    missing = () if chosen else (report_no_host(),)
    changed = chosen if plan.changes else ()
    return InitOutput(
        root=str(root),
        planned=True,
        removed=False,
        hosts=to_detected_hosts(chosen, root, person),
        changes=(*plan_unhide(root), *to_change_rows(plan.changes)),
        standing=plan.unchanged,
        troubles=(*missing, *to_trouble_rows(plan.problems)),
        failed=tuple(list_failed_hosts(given.hosts, chosen, plan.problems)),
        offers=() if given.allow_tools else list_offers(chosen, root, person, user=given.user),
        advice=tuple(list_advice(given, launch, plan.problems, chosen, changed)),
    )


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
