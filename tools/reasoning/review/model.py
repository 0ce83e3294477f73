"""Input, settings and output of the readiness check."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aurora.tools.core import StrictModel

_DEBT_MARKERS = ("TODO", "FIXME", "HACK", "XXX")
_SOURCES = (
    *("*.py", "*.js", "*.jsx", "*.ts", "*.tsx", "*.go", "*.rs", "*.rb", "*.java", "*.kt", "*.cs", "*.php", "*.c"),
    *("*.cc", "*.cpp", "*.swift"),
)
_TESTS = (
    *("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "*Test.*", "*Tests.*", "*IT.java"),
    *("tests/", "test/", "spec/", "__tests__/"),
)
_EXEMPT = ("conftest.py", "setup.py", "*.config.*", "*.d.ts", "migrations/", "examples/", "docs/")


class DebtParams(StrictModel):
    """Markers of postponed work, and the allowed number of new ones."""

    markers: tuple[str, ...] = Field(default=_DEBT_MARKERS, min_length=1, max_length=20)
    most: int = Field(default=0, ge=0)


class TestParams(StrictModel):
    """Patterns of source and test files, and the least share of tested ones."""

    source: tuple[str, ...] = _SOURCES
    tests: tuple[str, ...] = _TESTS
    exempt: tuple[str, ...] = _EXEMPT
    least_share: float = Field(default=1.0, ge=0, le=1)


class QuestionParams(StrictModel):
    """Markers of open questions in changed lines, and their allowed number."""

    markers: tuple[str, ...] = Field(default=("???",), max_length=20)
    most: int = Field(default=0, ge=0)


class Params(StrictModel):
    """All settings of `readiness.check`; the comments are in the workflow `feature`."""

    debt: DebtParams = DebtParams()
    tests: TestParams = TestParams()
    questions: QuestionParams = QuestionParams()
    must_change: bool = True
    most_files: int = Field(default=20_000, ge=1, le=100_000)
    most_shown: int = Field(default=20, ge=1, le=100)


class ReadinessInput(StrictModel):
    """Facts about the work that the project does not show."""

    base: str = Field(
        default="",
        max_length=200,
        description="Compare with this revision; by default with the commit at which the branch left the main branch, "
        "and with the last commit where no main branch is known.",
    )
    questions: tuple[str, ...] = Field(default=(), max_length=50, description="Open questions.")
    failing: tuple[str, ...] = Field(default=(), max_length=50, description="Checks that were run and fail.")


class MarkedLine(StrictModel):
    """Changed line with a marker."""

    path: str
    line: int
    text: str


class Gate(StrictModel):
    """Gate with its finding and its bound."""

    name: Literal["change", "debt", "tests", "questions", "checks"]
    passed: bool
    found: str
    allowed: str


class Readiness(StrictModel):
    """Verdict with its gates and findings.

    Attributes:
        gates: all gates; blockers: for each failed gate, a sentence with the fix.
        changed: number of files that differ from the base.
        debt: changed lines with a marker of debt; untested: changed source files without a test.
        questions: the given questions, and those found in changed lines.
        versioned: True when the project is in git; without git only the input counts.
    """

    verdict: Literal["READY", "NOT_READY"]
    gates: tuple[Gate, ...]
    blockers: tuple[str, ...]
    changed: int
    debt: tuple[MarkedLine, ...]
    untested: tuple[str, ...]
    questions: tuple[str, ...]
    versioned: bool
