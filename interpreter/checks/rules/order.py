"""Check of the order of a phase's rules, and of `max` and `else`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.check import Check
from aurora.interpreter.problems import codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.problems import Problem


def check_rule_order(view: WorkflowView) -> Iterator[Problem]:
    """Report rules after an unconditional one, and `max` or `else` alone."""
    always: dict[str, int] = {}
    for name, index, rule, loc in view.rules():
        if name in always:
            message = f'rule {index + 1} of phase "{name}" can never win: rule {always[name] + 1} always does'
            yield codes.SHADOWED_RULE.make_problem(
                view.locate_value(*loc), message, help="move the rule without `when` to the end"
            )
        elif rule.when is None:
            always[name] = index
        if rule.max is not None and rule.else_ is None:
            message = f'"max" without "else" in rule {index + 1} of phase "{name}"'
            help_ = "add where the run goes when the limit is reached: `else: PHASE`, or `else: end`"
            yield codes.MAX_WITHOUT_ELSE.make_problem(view.locate_key(*loc, "max"), message, help=help_)
        if rule.max is None and rule.else_ is not None:
            message = f'"else" without "max" in rule {index + 1} of phase "{name}" is never taken'
            yield codes.MEANINGLESS_COMBINATION.make_problem(
                view.locate_key(*loc, "else"), message, help="add `max: 2`, or remove `else`"
            )


CHECK = Check(check_rule_order)
