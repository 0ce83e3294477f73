"""Coverage of a workflow's phases and rules by runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import CompactModel, StrictModel

if TYPE_CHECKING:
    from aurora.interpreter.lab.coverage import Coverage


class CoverageShare(StrictModel):
    """Taken parts of a number of parts."""

    taken: int
    of: int


class RuleCoverage(CompactModel):
    """Counts of a rule taken, false, and past its `max`; rules count from 1."""

    phase: str
    rule: int
    then: str
    when: str | None = None
    true: int = 0
    false: int | None = Field(default=None, description="Absent for a rule without `when`, which is never false.")
    otherwise: int | None = Field(default=None, description="Times that its `max` was used up; absent without `max`.")


class CoverageReport(StrictModel):
    """Coverage of a workflow; a part with a count of 0 was never taken."""

    phases: CoverageShare
    rules_true: CoverageShare
    rules_false: CoverageShare
    bounds: CoverageShare = Field(description="Rules with a `max` that was used up.")
    error_routes: CoverageShare
    skips: CoverageShare = Field(description="Phases with a `when` that were skipped.")
    untaken_phases: tuple[str, ...]
    rules: tuple[RuleCoverage, ...]


def to_coverage_report(coverage: Coverage) -> CoverageReport:
    """Convert the coverage to a row of an output."""
    flow, counts = coverage.workflow, coverage.counts

    def to_share(kind: str) -> CoverageShare:
        taken, of = coverage.count_taken(kind)
        return CoverageShare(taken=taken, of=of)

    return CoverageReport(
        phases=to_share("phase"),
        rules_true=to_share("true"),
        rules_false=to_share("false"),
        bounds=to_share("else"),
        error_routes=to_share("error"),
        skips=to_share("skipped"),
        untaken_phases=tuple(name for name in flow.phases if ("phase", name, 0) not in counts),
        rules=tuple(
            RuleCoverage(
                phase=name,
                rule=index + 1,
                then=rule.then,
                when=rule.when,
                true=counts["true", name, index],
                false=None if rule.when is None else counts["false", name, index],
                otherwise=None if rule.max is None else counts["else", name, index],
            )
            for name, phase in flow.phases.items()
            for index, rule in enumerate(phase.next_action)
        ),
    )
