"""Coverage of the rules of a workflow, by its test cases and by recorded runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.analysis import preview_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.ui.web import PageRequest

    from .fired import FiredRules


@dataclass(frozen=True, slots=True)
class CoveredRule:
    """Rule with its counts; `tests` is None as long as the cases have not run."""

    phase: str
    number: int
    when: str
    then: str
    place: str
    runs: int
    reached: int
    tests: int | None
    remark: str


@dataclass(frozen=True, slots=True)
class TestSummary:
    """Outcome of the test cases."""

    passed: int
    failed: int
    taken: int
    of: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of a workflow."""

    rules: Sequence[CoveredRule]
    fired: int
    runs: int
    tests: TestSummary | None


def build_coverage(
    page: PageRequest, definition: Definition, fired: FiredRules, tested: Mapping[str, Any] | None
) -> Coverage:
    """Build the coverage.

    Args:
        page: the request.
        definition: the workflow.
        fired: the counts of recorded runs.
        tested: the output of the test cases; None when they have not run.
    """
    counts = _count_tests(definition, tested)
    rules = []
    for phase in definition.workflow.phases:
        for rule in preview_rules(definition, phase):
            key = (phase, rule.rule)
            number = fired.fired.get(key, 0) + fired.spent.get(key, 0)
            reached = fired.reached.get(phase, 0)
            rules.append(
                CoveredRule(
                    phase=phase,
                    number=rule.rule,
                    when=rule.when or "always",
                    then=rule.then,
                    place=page.relate(rule.place),
                    runs=number,
                    reached=reached,
                    tests=None if counts is None else counts.get(key, 0),
                    remark=_describe(number, reached, fired.runs),
                )
            )
    return Coverage(rules, sum(rule.runs > 0 for rule in rules), fired.runs, _summarize_tests(definition, tested))


def _describe(fired: int, reached: int, runs: int) -> str:
    if fired or not runs:
        return ""
    if not reached:
        return f"no run of {runs} came to this phase as it is now"
    return f"has not fired in {reached} run{'' if reached == 1 else 's'} that came here"


def _find_report(definition: Definition, tested: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    reports = (tested or {}).get("coverage", ())
    found = (one["coverage"] for one in reports if one["workflow"] == definition.workflow.name)
    report: Mapping[str, Any] | None = next(found, None)
    return report


def _count_tests(definition: Definition, tested: Mapping[str, Any] | None) -> dict[tuple[str, int], int] | None:
    report = _find_report(definition, tested)
    if report is None:
        return None
    return {
        (rule["phase"], rule["rule"]): rule.get("true", 0) + (rule.get("otherwise") or 0) for rule in report["rules"]
    }


def _summarize_tests(definition: Definition, tested: Mapping[str, Any] | None) -> TestSummary | None:
    report = _find_report(definition, tested)
    if tested is None or report is None:
        return None
    share = report["rules_true"]
    return TestSummary(tested["passed"], tested["failed"], share["taken"], share["of"])
