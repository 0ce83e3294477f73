"""`review.collect`: takes the reviews that have come in, and gives the files that are due next."""

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
    """What the reviewer found in a file; `line` counts from 1, 0 is the file as a whole."""

    line: int = Field(default=0, ge=0)
    severity: Severity
    title: str = Field(min_length=1, max_length=200)
    detail: str = Field(default="", max_length=1000)


class Review(StrictModel):
    """The review of one file; without a path, of the one that was due in its place."""

    path: str | None = Field(default=None, max_length=1000)
    findings: tuple[Remark, ...] = Field(default=(), max_length=30)


class ReviewFinding(Remark):
    """A remark with its file, and an id that stays."""

    id: str
    path: str


class ReviewProgress(StrictModel):
    """The files, what was found before, and what has come in since."""

    files: tuple[ChangedFile, ...] = Field(max_length=500)
    so_far: tuple[ReviewFinding, ...] = Field(default=(), max_length=2000)
    reviewed: tuple[str, ...] = Field(default=(), max_length=500)
    results: tuple[Review, ...] = Field(default=(), max_length=20)


class ReviewState(StrictModel):
    """Where the review stands.

    Attributes:
        due: the files to look at now.
        findings: all so far, the gravest first; serious: how many of them are grave enough to be checked again.
        reviewed: the files that are done, of total.
    """

    due: tuple[ChangedFile, ...]
    findings: tuple[ReviewFinding, ...]
    serious: int
    reviewed: tuple[str, ...]
    total: int
    done: bool


def collect_reviews(given: ReviewProgress, context: Context) -> ReviewState:
    """Take the reviews and give what is due.

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
    """Each review with its file; those that name none stand in the order of the files that were due."""
    paths = [one.path for one in due]
    seen: set[str] = set()
    for at, review in enumerate(reviews):
        path = review.path or (paths[at] if at < len(paths) else "")
        if path not in paths or path in seen:
            twice = (
                f'two reviews came for "{path}"'
                if path in seen
                else f'review {at + 1} is of "{path}", which is not due'
            )
            raise Fault(
                Code.INVALID_INPUT,
                twice,
                help=f"Bring one review for each of {quote_names(paths)}.",
                details={"faults": [{"path": f"$.results[{at}].path", "expected": "a file that is due"}]},
            )
        seen.add(path)
        yield path, review


TOOL = Tool(
    name="review.collect",
    title="Collect reviews",
    description=(
        "Takes the reviews of files as they come in, keeps all findings with the gravest first, and gives the next "
        "files to look at, until none is left."
    ),
    input=ReviewProgress,
    output=ReviewState,
    run=collect_reviews,
    family="reasoning",
    risk="read",
    idempotent=True,
    timeout=10,
    examples=(
        Example(
            "the first files",
            {"files": [{"path": "shop/cart.py", "status": "changed", "added": 12, "removed": 3}]},
            {"batch": 6, "serious": ["blocker", "major"]},
        ),
    ),
    params=Params,
)
