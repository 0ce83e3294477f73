"""`review.collect`: collect reviews, and return the files that are due next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault, quote_names
from aurora.tools.core import Example, StrictModel, Tool

from .changes import ChangedFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.core import Context

Severity = Literal["blocker", "major", "minor", "note"]
_SEVERITY_ORDER: tuple[Severity, ...] = ("blocker", "major", "minor", "note")


class Params(StrictModel):
    """All settings of `review.collect`; see the comments in the workflow."""

    batch: int = Field(ge=1, le=20)
    serious: tuple[Severity, ...]


class Remark(StrictModel):
    """Remark on a file; `line` counts from 1, 0 means the whole file."""

    line: int = Field(default=0, ge=0)
    severity: Severity
    title: str = Field(min_length=1, max_length=200)
    detail: str = Field(default="", max_length=1000)


class Review(StrictModel):
    """Review of a file; without a path, of the file due at the same index."""

    path: str | None = Field(default=None, max_length=1000)
    findings: tuple[Remark, ...] = Field(default=(), max_length=30)


class ReviewFinding(Remark):
    """Remark with its file and a stable id."""

    id: str
    path: str


class ReviewProgress(StrictModel):
    """Files, earlier findings, and new reviews."""

    files: tuple[ChangedFile, ...] = Field(max_length=500)
    so_far: tuple[ReviewFinding, ...] = Field(default=(), max_length=2000)
    reviewed: tuple[str, ...] = Field(default=(), max_length=500)
    results: tuple[Review, ...] = Field(default=(), max_length=20)


class ReviewState(StrictModel):
    """State of the review.

    Attributes:
        due: files to review now.
        findings: all findings so far, the most severe first; serious: number of those to verify.
        reviewed: files that are done, of total.
    """

    due: tuple[ChangedFile, ...]
    findings: tuple[ReviewFinding, ...]
    serious: int
    reviewed: tuple[str, ...]
    total: int
    done: bool


def collect_reviews(given: ReviewProgress, context: Context) -> ReviewState:
    """Add the reviews, and return the files that are due.

    Raises:
        Fault: INVALID_INPUT for a review of a file that is not due, or two of one file.
    """
    params: Params = context.params
    due = _select_due(given.files, given.reviewed, params)
    reviews = dict(_match_reviews(given.results, due))
    findings = [*given.so_far]
    for path, review in reviews.items():
        for remark in review.findings:
            findings.append(ReviewFinding(id=f"f{len(findings) + 1}", path=path, **remark.model_dump()))
    findings.sort(key=lambda one: (_SEVERITY_ORDER.index(one.severity), one.path, one.line))
    reviewed = (*given.reviewed, *reviews)
    left = _select_due(given.files, reviewed, params)
    return ReviewState(
        due=tuple(left),
        findings=tuple(findings),
        serious=sum(one.severity in params.serious for one in findings),
        reviewed=reviewed,
        total=len(given.files),
        done=not left,
    )


def _select_due(files: Sequence[ChangedFile], reviewed: Sequence[str], params: Params) -> list[ChangedFile]:
    return [one for one in files if one.path not in reviewed][: params.batch]


def _match_reviews(reviews: Sequence[Review], due: Sequence[ChangedFile]) -> Iterator[tuple[str, Review]]:
    """Match reviews with files; those without a path follow the order of the due files."""
    paths = [one.path for one in due]
    seen: set[str] = set()
    for index, review in enumerate(reviews):
        path = review.path or (paths[index] if index < len(paths) else "")
        if path not in paths or path in seen:
            message = f'review {index + 1} is for "{path}", which is not due'
            if path in seen:
                message = f'there are two reviews for "{path}"'
            raise Fault(
                Code.INVALID_INPUT,
                message,
                help=f"Send one review for each of {quote_names(paths)}.",
                details={"faults": [{"path": f"$.results[{index}].path", "expected": "a file that is due"}]},
            )
        seen.add(path)
        yield path, review


TOOL = Tool(
    name="review.collect",
    title="Collect reviews",
    description=(
        "Collect the reviews of files, keep all findings with the most severe first, and return the next files to "
        "review, until none is left."
    ),
    input=ReviewProgress,
    output=ReviewState,
    run=collect_reviews,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    phases=True,
    examples=(
        Example(
            "the first files",
            {"files": [{"path": "shop/cart.py", "status": "changed", "added": 12, "removed": 3}]},
            {"batch": 6, "serious": ["blocker", "major"]},
        ),
    ),
    params=Params,
)
