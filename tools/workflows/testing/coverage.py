"""What walks through a workflow have taken of it, as the outputs of tools tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Strict

if TYPE_CHECKING:
    from aurora.interpreter.simulation import Coverage


class Share(Strict):
    """So many of so many."""

    taken: int
    of: int


class CoveredRule(Lean):
    """One rule, and how often it was taken, was false, and was spent; rules count from 1."""

    phase: str
    rule: int
    then: str
    when: str | None = None
    true: int = 0
    false: int | None = Field(default=None, description="Absent for a rule without `when`: it is never false.")
    otherwise: int | None = Field(default=None, description="How often its `max` was used up; absent without one.")


class Covered(Strict):
    """All of it; what has a count of 0 was never taken."""

    phases: Share
    rules_true: Share
    rules_false: Share
    bounds: Share = Field(description="Rules with a `max` that was used up.")
    error_routes: Share
    untaken_phases: tuple[str, ...]
    rules: tuple[CoveredRule, ...]


def covered(coverage: Coverage) -> Covered:
    """The coverage for an output."""
    flow, counts = coverage.workflow, coverage.counts

    def share(kind: str) -> Share:
        taken, of = coverage.share(kind)
        return Share(taken=taken, of=of)

    return Covered(
        phases=share("phase"),
        rules_true=share("true"),
        rules_false=share("false"),
        bounds=share("else"),
        error_routes=share("error"),
        untaken_phases=tuple(name for name in flow.phases if ("phase", name, 0) not in counts),
        rules=tuple(
            CoveredRule(
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
