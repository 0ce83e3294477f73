"""`review.settle`: findings of a review after the attempt to refute the serious ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.tools.core import Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context

Severity = Literal["blocker", "major", "minor", "note"]
_SEVERITY_ORDER: tuple[Severity, ...] = ("blocker", "major", "minor", "note")
_SERIOUS = frozenset({"blocker", "major"})


class ReviewFinding(StrictModel):
    """Finding in a file; `line` counts from 1, 0 means the whole file."""

    path: str = Field(min_length=1, max_length=1000)
    line: int = Field(ge=0)
    severity: Severity
    title: str = Field(min_length=1, max_length=200)
    detail: str = Field(max_length=1000)


class Verdict(StrictModel):
    """Verdict on a finding with its reason, and what it corrects; "minor" is short for that severity."""

    verdict: Literal["holds", "minor", "refuted"]
    because: str = Field(min_length=1, max_length=600)
    line: int | None = Field(default=None, ge=0)
    severity: Severity | None = None
    title: str | None = Field(default=None, min_length=1, max_length=200)
    detail: str | None = Field(default=None, max_length=1000)


class SettledFinding(ReviewFinding):
    """Finding with the reason of the verdict on it; empty when it was not challenged."""

    because: str = ""


class SettleInput(StrictModel):
    """Findings, those of them that were challenged, and a verdict on each of these in the same order."""

    findings: tuple[ReviewFinding, ...] = Field(max_length=1500)
    challenged: tuple[ReviewFinding, ...] = Field(default=(), max_length=1500)
    verdicts: tuple[Verdict, ...] = Field(default=(), max_length=1500)


class SettledReview(StrictModel):
    """Findings that hold, as corrected, those that do not, and the verdict.

    The most severe finding comes first.
    """

    findings: tuple[SettledFinding, ...]
    refuted: tuple[SettledFinding, ...]
    verdict: Literal["request_changes", "approve"]


def settle_review(given: SettleInput, _context: Context) -> SettledReview:
    """Apply the verdicts to the findings."""
    open_verdicts = [*zip(given.challenged, given.verdicts, strict=False)]
    kept: list[SettledFinding] = []
    refuted: list[SettledFinding] = []
    for finding in given.findings:
        at = next((at for at, (one, _) in enumerate(open_verdicts) if one == finding), None)
        verdict = open_verdicts.pop(at)[1] if at is not None else None
        settled = _correct(finding, verdict)
        (refuted if verdict is not None and verdict.verdict == "refuted" else kept).append(settled)
    kept.sort(key=lambda one: _SEVERITY_ORDER.index(one.severity))
    is_serious = any(one.severity in _SERIOUS for one in kept)
    return SettledReview(
        findings=tuple(kept), refuted=tuple(refuted), verdict="request_changes" if is_serious else "approve"
    )


def _correct(finding: ReviewFinding, verdict: Verdict | None) -> SettledFinding:
    changes = verdict.model_dump(include={"because", "line", "title", "detail"}, exclude_none=True) if verdict else {}
    if verdict and (verdict.severity or verdict.verdict == "minor"):
        changes["severity"] = verdict.severity or "minor"
    return SettledFinding(**{**finding.model_dump(), **changes})


TOOL = Tool(
    name="review.settle",
    title="Settle a review",
    description=(
        "Apply verdicts to the findings of a review: refuted ones are taken out, the others get the corrected "
        "severity, line, title and detail; and decide whether changes are requested."
    ),
    input=SettleInput,
    output=SettledReview,
    run=settle_review,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "a finding that is less severe",
            {
                "findings": [{"path": "a.py", "line": 3, "severity": "major", "title": "It fails", "detail": ""}],
                "challenged": [{"path": "a.py", "line": 3, "severity": "major", "title": "It fails", "detail": ""}],
                "verdicts": [{"verdict": "minor", "because": "a.py:9 catches it.", "line": 4}],
            },
        ),
    ),
)
