"""What a problem's code means: the page of the documentation that tells it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aurora.faults import Code, Fault

from . import codes
from .suggestions import did_you_mean

PAGES_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "problems"


@cache
def list_kinds() -> dict[str, codes.ProblemKind]:
    """Every kind of problem, by its code."""
    return {kind.code: kind for kind in vars(codes).values() if isinstance(kind, codes.ProblemKind)}


def find_kind(said: str) -> codes.ProblemKind | None:
    """The kind that a code or a name means, in capitals or not."""
    word = said.strip().lower()
    return next((kind for kind in list_kinds().values() if word in (kind.code.lower(), kind.name)), None)


def read_page(said: str) -> str:
    """The page of a code, in Markdown.

    Args:
        said: the code or its name, `E307` or `enum-literal`.

    Raises:
        Fault: NOT_FOUND when there is no such code.
    """
    kind = find_kind(said)
    if kind is None:
        known = [word for one in list_kinds().values() for word in (one.code, one.name)]
        raise Fault(
            Code.NOT_FOUND,
            f'there is no problem "{said[:80]}"',
            help=did_you_mean(said[:80], known) or "a code stands in brackets behind each problem, as in [E307 …]",
            details={"codes": sorted(list_kinds())},
        )
    return (PAGES_FOLDER / f"{kind.code}.md").read_text(encoding="utf-8")


def summarize_page(said: str) -> str:
    """The first paragraph of the page, on one line.

    Raises:
        Fault: as `page` does.
    """
    return " ".join(read_page(said).split("\n\n")[1].split())
