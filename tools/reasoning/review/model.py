"""What is asked about readiness, by which bounds it is judged, and what is told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aurora.tools.core import StrictModel


class DebtParams(StrictModel):
    """Words that mark work put off, and how many new ones are allowed."""

    markers: tuple[str, ...] = Field(min_length=1, max_length=20)
    most: int = Field(ge=0)


class TestParams(StrictModel):
    """What a source file is, what its tests are, and which share of the changed ones must have some."""

    source: tuple[str, ...]
    tests: tuple[str, ...]
    exempt: tuple[str, ...]
    least_share: float = Field(ge=0, le=1)


class QuestionParams(StrictModel):
    """How many open questions are allowed, and what marks one in a changed line."""

    markers: tuple[str, ...] = Field(max_length=20)
    most: int = Field(ge=0)


class Params(StrictModel):
    """All settings of `readiness.check`; see the comments in the workflow."""

    debt: DebtParams
    tests: TestParams
    questions: QuestionParams
    must_change: bool
    most_files: int = Field(ge=1, le=100_000)
    most_shown: int = Field(ge=1, le=100)


class ReadinessInput(StrictModel):
    """What is said of the work; what can be seen in the project is not asked for."""

    base: str = Field(default="", max_length=200, description="Compare with this revision; else the last commit.")
    questions: tuple[str, ...] = Field(default=(), max_length=50, description="Questions that are still open.")
    failing: tuple[str, ...] = Field(default=(), max_length=50, description="Checks that were run and do not pass.")


class MarkedLine(StrictModel):
    """A changed line with a marker in it."""

    path: str
    line: int
    text: str


class Gate(StrictModel):
    """One check: what was found, what is allowed, and what to do when that is not enough."""

    name: Literal["change", "debt", "tests", "questions", "checks"]
    passed: bool
    found: str
    allowed: str


class Readiness(StrictModel):
    """The verdict with all that made it.

    Attributes:
        gates: each check; blockers: for each that failed, one sentence that says what to mend.
        changed: how many files differ from the base.
        debt: changed lines with a marker of debt; untested: changed source files without a test beside them.
        questions: those that were told, and those found in changed lines.
        versioned: whether git keeps the project; without it only what was told can be judged.
    """

    verdict: Literal["READY", "NOT_READY"]
    gates: tuple[Gate, ...]
    blockers: tuple[str, ...]
    changed: int
    debt: tuple[MarkedLine, ...]
    untested: tuple[str, ...]
    questions: tuple[str, ...]
    versioned: bool
