"""Documentation pages of the problem codes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aurora.faults import Code, Fault

from . import codes
from .suggestions import did_you_mean

PAGES_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "problems"


@cache
def list_kinds() -> dict[str, codes.ProblemKind]:
    """Map every code to its kind of problem."""
    return {kind.code: kind for kind in vars(codes).values() if isinstance(kind, codes.ProblemKind)}


def find_kind(code: str) -> codes.ProblemKind | None:
    """Find the kind of a code or a name, ignoring case."""
    word = code.strip().lower()
    return next((kind for kind in list_kinds().values() if word in (kind.code.lower(), kind.name)), None)


def read_page(code: str) -> str:
    """Read the page of a code, in Markdown.

    Args:
        code: the code or its name, `E307` or `enum-literal`.

    Raises:
        Fault: NOT_FOUND when there is no such code.
    """
    kind = find_kind(code)
    if kind is None:
        known = [word for one in list_kinds().values() for word in (one.code, one.name)]
        raise Fault(
            Code.NOT_FOUND,
            f'there is no problem "{code[:80]}"',
            help=did_you_mean(code[:80], known) or "the code of a problem is in brackets after it, as in [E307 …]",
            details={"codes": sorted(list_kinds())},
        )
    return (PAGES_FOLDER / f"{kind.code}.md").read_text(encoding="utf-8")


def summarize_page(code: str) -> str:
    """Return the first paragraph of the page, on one line.

    Raises:
        Fault: as `read_page` does.
    """
    return " ".join(read_page(code).split("\n\n")[1].split())
