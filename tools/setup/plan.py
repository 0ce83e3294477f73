"""init.plan: what `init.run` or `init.remove` would write, as diffs; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.core.declaration import Example, Tool

from .files import chosen, found, nobody, rows, troubled, unshared
from .gitignore import to_be_hidden, to_be_shown
from .model import ChangeRow, InitOutput, PlanInput

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core.context import Context


def plan_init(given: PlanInput, context: Context) -> InitOutput:
    """Plan the changes.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    from aurora.hosts import HOSTS, Launch, Person, plan, plan_removal  # noqa: PLC0415 - listing tools does without
    from aurora.tools.catalog.skill import skill_text  # noqa: PLC0415 - as above

    root, person = context.root, Person.of()
    hosts = chosen(given.hosts, root, person) if given.hosts or not given.remove else HOSTS
    launch = Launch.of(person)
    if given.remove:
        made = plan_removal(root, person, hosts)
    else:
        made = plan(root, person, hosts, launch, user=given.user, skill=skill_text())
    missing = (nobody(),) if not hosts else ()
    return InitOutput(
        root=str(root),
        planned=True,
        removed=given.remove,
        hosts=() if given.remove else found(hosts, root, person),
        changes=(*(() if given.remove else to_be_shown(root)), *rows(made.changes), *_hidden(given, root)),
        standing=made.standing,
        troubles=(*missing, *troubled(made.troubles)),
        advice=() if given.remove or given.user or not hosts else unshared(launch),
    )


def _hidden(given: PlanInput, root: Path) -> tuple[ChangeRow, ...]:
    """What else changes where nothing is left that uses the folder."""
    return to_be_hidden(root) if given.remove and not given.hosts else ()


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
