"""Would the workflows of this project run: have they problems, and is every tool there that they use?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import failure, passed, warning
from aurora.interpreter.problems.problem import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding


def valid(subject: Subject) -> Iterator[Finding]:
    """One finding for each workflow that has problems; how many have none."""
    catalog = subject.equipment.catalog()
    good = []
    for name in catalog.names():
        problems = catalog.problems(name)
        wrong = errors(problems)
        first = (wrong or problems)[0] if problems else None
        if first is None:
            good.append(name)
            continue
        steps = [f"Run `aur workflow validate {name}` to see all of it."]
        if any(one.fix for one in problems):
            steps.append(f"Run `aur workflow validate --fix {name}` to mend what is beyond doubt.")
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        if wrong:
            yield failure("workflows.valid.wrong", f"{first.heading}{more}", *steps)
        else:
            yield warning("workflows.valid.doubtful", f"{first.heading}{more}", *steps)
    if good:
        yield passed(f"{len(good)} workflows have no problems: {', '.join(good)}")


def used(subject: Subject) -> Iterator[Finding]:
    """Whether every tool that a phase uses exists."""
    catalog, toolbox = subject.equipment.catalog(), subject.equipment.toolbox()
    names: set[str] = set()
    lacking = False
    for name in catalog.names():
        definition, _ = catalog.legible(name)
        phases = definition.workflow.phases if definition else {}
        for phase, spec in phases.items():
            if not spec.uses:
                continue
            names.add(spec.uses)
            if toolbox.facts(spec.uses) is None:
                lacking = True
                said = f'{name}: phase "{phase}" uses the tool "{spec.uses}", which there is not'
                yield failure("workflows.tools.missing", said, "Name a tool that `aur tools list` shows.")
    if not lacking:
        yield passed(f"the {len(names)} tools that their phases use are there")


GROUP = Group(
    "workflows",
    "Workflow Checks",
    (
        Check("workflows.valid", "the workflows have no problems", valid),
        Check("workflows.tools", "every tool is there that a phase uses", used),
    ),
)
