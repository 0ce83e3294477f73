"""Check of `requires`: the version of Aurora and the tools that a workflow needs."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

from aurora import __version__
from aurora.interpreter.problems import codes, did_you_mean, suggest_fix

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter.problems import Problem

    from .view import WorkflowView

_CONDITION = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d{1,6}(?:\.\d{1,6}){0,3})\s*")
_OPERATORS: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def check_requirements(view: WorkflowView) -> Iterator[Problem]:
    """Report an unmet or malformed version, and tools that do not exist."""
    needs = view.definition.workflow.requires
    if needs is None:
        return
    if needs.aurora is not None:
        met = is_version_met(needs.aurora, __version__)
        if met is None:
            message = f'"{needs.aurora}" is not a requirement of a version'
            place = view.locate_value("requires", "aurora")
            yield codes.UNMET_REQUIREMENT.make_problem(place, message, help='for example ">=1.2", or ">=1.2, <2"')
        elif not met:
            message = f"this workflow needs Aurora {needs.aurora}, and this is {__version__}"
            place = view.locate_value("requires", "aurora")
            yield codes.UNMET_REQUIREMENT.make_problem(place, message, help="install another version of Aurora")
    for index, name in enumerate(needs.tools) if view.tools is not None else ():
        if view.tools is not None and view.tools.facts(name) is None:
            known = view.tools.names(in_job=view.definition.workflow.is_job)
            message = f'this workflow needs the tool "{name}", which does not exist here'
            help_ = did_you_mean(name, known) or "install the distribution that has it"
            place = view.locate_value("requires", "tools", index)
            yield codes.UNMET_REQUIREMENT.make_problem(place, message, help=help_, fix=suggest_fix(name, known))


def is_version_met(requirement: str, version: str) -> bool | None:
    """Return whether a version meets all conditions of `>=1.2, <2`; None when that cannot be read.

    Args:
        requirement: conditions between commas, each an operator and a version of up to four numbers.
        version: a version of numbers; what follows them, as `rc1`, is ignored.
    """
    conditions = [_CONDITION.fullmatch(part) for part in requirement.split(",")]
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    if numbers is None or any(found is None for found in conditions):
        return None
    own = _pad_version(numbers[0])
    return all(_OPERATORS[found[1]](own, _pad_version(found[2])) for found in conditions if found)


def _pad_version(text: str) -> tuple[int, ...]:
    """Convert to four numbers, so that 1.2 equals 1.2.0."""
    numbers = [int(part) for part in text.split(".")][:4]
    return (*numbers, *[0] * (4 - len(numbers)))


CHECK = Check(check_requirements)
