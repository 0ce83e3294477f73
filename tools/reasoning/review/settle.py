"""`review.settle`: findings of a review: their places, and what the challenge makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Fault
from aurora.tools.core import Example, StrictModel, Tool
from aurora.tools.files import open_worktree, read_text

from .hunks import find_nearest, read_hunks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from aurora.tools.core import Context

    from .hunks import Hunk

Severity = Literal["blocker", "major", "minor", "note"]
_SEVERITY_ORDER: tuple[Severity, ...] = ("blocker", "major", "minor", "note")
_SERIOUS = frozenset({"blocker", "major"})
_MAX_TEXT_CHARS = 200


class ReviewFinding(StrictModel):
    """Finding in a file.

    Attributes:
        line: counts from 1; 0 means the whole file.
        text: that line; place: what is wrong with the place; because: the reason of the verdict. All may be empty.
    """

    path: str = Field(min_length=1, max_length=1000)
    line: int = Field(ge=0)
    severity: Severity
    title: str = Field(min_length=1, max_length=200)
    detail: str = Field(max_length=1000)
    text: str = ""
    place: str = ""
    because: str = ""


class Verdict(StrictModel):
    """Verdict on a finding with its reason, and what it corrects; "minor" is short for that severity."""

    verdict: Literal["holds", "minor", "refuted"]
    because: str = Field(min_length=1, max_length=600)
    line: int | None = Field(default=None, ge=0)
    severity: Severity | None = None
    title: str | None = Field(default=None, min_length=1, max_length=200)
    detail: str | None = Field(default=None, max_length=1000)


class SettleInput(StrictModel):
    """Findings, those of them that were challenged, and a verdict on each of these in the same order."""

    findings: tuple[ReviewFinding, ...] = Field(max_length=1500)
    challenged: tuple[ReviewFinding, ...] = Field(default=(), max_length=1500)
    verdicts: tuple[Verdict, ...] = Field(default=(), max_length=1500)
    files: tuple[str, ...] = Field(default=(), max_length=500, description="The files that were reviewed.")
    base: str = Field(default="", max_length=200, description="The branch or commit that they were compared with.")


class SettledReview(StrictModel):
    """Findings that hold, as corrected, those that do not, and the verdict.

    The most severe finding comes first.

    Attributes:
        doubtful: those of `findings` without a verdict that are serious, or whose place is wrong.
        quiet: the reviewed files without any finding.
    """

    findings: tuple[ReviewFinding, ...]
    refuted: tuple[ReviewFinding, ...]
    doubtful: tuple[ReviewFinding, ...]
    quiet: tuple[str, ...]
    verdict: Literal["request_changes", "approve"]


def settle_review(given: SettleInput, context: Context) -> SettledReview:
    """Apply the verdicts to the findings, and check the place of each.

    Raises:
        Fault: NOT_FOUND when git knows no such base.
    """
    open_verdicts = [*zip(given.challenged, given.verdicts, strict=False)]
    kept: list[ReviewFinding] = []
    refuted: list[ReviewFinding] = []
    for finding in given.findings:
        at = next((at for at, (one, _) in enumerate(open_verdicts) if one == finding), None)
        verdict = open_verdicts.pop(at)[1] if at is not None else None
        settled = _correct(finding, verdict)
        (refuted if verdict is not None and verdict.verdict == "refuted" else kept).append(settled)
    kept = _check_places(kept, given.base, context.root)
    kept.sort(key=lambda one: _SEVERITY_ORDER.index(one.severity))
    named = {one.path for one in (*kept, *refuted)}
    is_serious = any(one.severity in _SERIOUS for one in kept)
    return SettledReview(
        findings=tuple(kept),
        refuted=tuple(refuted),
        doubtful=tuple(one for one in kept if not one.because and (one.place or one.severity in _SERIOUS)),
        quiet=tuple(path for path in given.files if path not in named),
        verdict="request_changes" if is_serious else "approve",
    )


def _correct(finding: ReviewFinding, verdict: Verdict | None) -> ReviewFinding:
    changes = verdict.model_dump(include={"because", "line", "title", "detail"}, exclude_none=True) if verdict else {}
    if verdict and (verdict.severity or verdict.verdict == "minor"):
        changes["severity"] = verdict.severity or "minor"
    return finding.model_copy(update=changes)


def _check_places(findings: list[ReviewFinding], base: str, root: Path) -> list[ReviewFinding]:
    """Add to each finding the text of its line, and what is wrong with its place."""
    tree = open_worktree(root)
    paths = [*dict.fromkeys(one.path for one in findings)]
    hunks = read_hunks(tree, tree.resolve_base(base), paths, context=0) if tree else {}
    lines = {path: _read_file(root, path) for path in paths}
    checked: list[ReviewFinding] = []
    for one in findings:
        text, place = _check_place(one, hunks.get(one.path, []), lines[one.path])
        checked.append(one.model_copy(update={"text": text, "place": place}))
    return checked


def _read_file(root: Path, path: str) -> Sequence[str] | None:
    try:
        return read_text(root, path).lines
    except Fault:
        return None


def _check_place(finding: ReviewFinding, hunks: list[Hunk], lines: Sequence[str] | None) -> tuple[str, str]:
    """Return the text of the finding's line, and what is wrong with its place."""
    if lines is None:
        return "", "" if hunks else "the project has no such file"
    if not finding.line:
        return "", ""
    if finding.line > len(lines):
        return "", f"the file has {len(lines)} lines"
    text = " ".join(lines[finding.line - 1].split())[:_MAX_TEXT_CHARS]
    nearest = find_nearest(hunks, finding.line)
    if nearest is None:
        return text, ""  # also in a file that did not change: a change can break it
    first, last = nearest
    where = f"line {first} is" if first == last else f"lines {first}-{last} are"
    return text, f"it is neither changed nor next to a change; {where} the nearest"


TOOL = Tool(
    name="review.settle",
    title="Settle a review",
    description=(
        "Check that findings of a review are at changed lines; take out the refuted, correct the others; name files "
        "without a finding, and decide whether changes are requested."
    ),
    input=SettleInput,
    output=SettledReview,
    run=settle_review,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=60,
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
