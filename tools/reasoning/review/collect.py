"""`review.collect`: takes the reviews that have come in, and gives the files that are due next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.faults.suggest import quoted
from aurora.tools.core.declaration import Example, Strict, Tool

from .changes import Changed  # noqa: TC001 - pydantic reads it at run time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.tools.core.context import Context

Severity = Literal["blocker", "major", "minor", "note"]
_ORDER: tuple[Severity, ...] = ("blocker", "major", "minor", "note")


class Params(Strict):
    """All settings of `review.collect`; see the comments in the workflow."""

    batch: int = Field(ge=1, le=20)
    serious: tuple[Severity, ...]


class Remark(Strict):
    """What the reviewer found in a file; `line` counts from 1, 0 is the file as a whole."""

    line: int = Field(default=0, ge=0)
    severity: Severity
    title: str = Field(min_length=1, max_length=200)
    detail: str = Field(default="", max_length=1000)


class Review(Strict):
    """The review of one file; without a path, of the one that was due in its place."""

    path: str | None = Field(default=None, max_length=1000)
    findings: tuple[Remark, ...] = Field(default=(), max_length=30)


class Finding(Remark):
    """A remark with its file, and an id that stays."""

    id: str
    path: str


class Progress(Strict):
    """The files, what was found before, and what has come in since."""

    files: tuple[Changed, ...] = Field(max_length=500)
    so_far: tuple[Finding, ...] = Field(default=(), max_length=2000)
    reviewed: tuple[str, ...] = Field(default=(), max_length=500)
    results: tuple[Review, ...] = Field(default=(), max_length=20)


class Collected(Strict):
    """Where the review stands.

    Attributes:
        due: the files to look at now.
        findings: all so far, the gravest first; serious: how many of them are grave enough to be checked again.
        reviewed: the files that are done, of total.
    """

    due: tuple[Changed, ...]
    findings: tuple[Finding, ...]
    serious: int
    reviewed: tuple[str, ...]
    total: int
    done: bool


def collect(given: Progress, context: Context) -> Collected:
    """Take the reviews and give what is due.

    Raises:
        Fault: INVALID_INPUT for a review of a file that is not due, or two of one file.
    """
    params: Params = context.params
    due = _due(given.files, given.reviewed, params)
    reviews = dict(_named(given.results, due))
    findings = [*given.so_far]
    for path, review in reviews.items():
        for remark in review.findings:
            findings.append(Finding(id=f"f{len(findings) + 1}", path=path, **remark.model_dump()))
    findings.sort(key=lambda one: (_ORDER.index(one.severity), one.path, one.line))
    reviewed = (*given.reviewed, *reviews)
    left = _due(given.files, reviewed, params)
    return Collected(
        due=tuple(left),
        findings=tuple(findings),
        serious=sum(one.severity in params.serious for one in findings),
        reviewed=reviewed,
        total=len(given.files),
        done=not left,
    )


def _due(files: Sequence[Changed], reviewed: Sequence[str], params: Params) -> list[Changed]:
    return [one for one in files if one.path not in reviewed][: params.batch]


def _named(reviews: Sequence[Review], due: Sequence[Changed]) -> Iterator[tuple[str, Review]]:
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
                help=f"Bring one review for each of {quoted(paths)}.",
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
    input=Progress,
    output=Collected,
    run=collect,
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
