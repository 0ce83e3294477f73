"""Check of the project's workflows, with the tools that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import report_failure, report_pass, report_warning
from aurora.interpreter.problems import select_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding


def check_workflows(context: DoctorContext) -> Iterator[Finding]:
    """Report each workflow that has problems, and the number that have none."""
    catalog = context.equipment.catalog()
    good = []
    told: set[str] = set()
    for name in catalog.list_names():
        problems = catalog.find_problems(name)
        wrong = select_errors(problems)
        first = (wrong or problems)[0] if problems else None
        if first is None:
            good.append(name)
            continue
        if first.heading in told:
            continue  # the mistake of a workflow that this one extends
        told.add(first.heading)
        steps = [f"Run `aur workflow validate {name}` to see all of it."]
        if any(one.fix for one in problems):
            steps.append(f"Run `aur workflow validate --fix {name}` to apply the safe fixes.")
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        if wrong:
            yield report_failure("workflows.valid.wrong", f"{first.heading}{more}", *steps)
        else:
            yield report_warning("workflows.valid.doubtful", f"{first.heading}{more}", *steps)
    if good:
        yield report_pass(f"{len(good)} workflows have no problems: {', '.join(good)}")


GROUP = Group(
    "workflows",
    "Workflow Checks",
    (Check("workflows.valid", "the workflows have no problems", check_workflows),),
)
