"""Input that the reports of stages share, and the limit of their lists."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import StrictModel
from aurora.tools.files import require_project, resolve_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from aurora.memory import SkippedFile
    from aurora.tools.core import Context


class ListLimit(StrictModel):
    """Length of the list of files."""

    limit: int = Field(default=200, ge=0, le=100_000, description="Most files that are listed; all are counted.")


class StageScope(ListLimit):
    """Part of the project, and the length of the list of files."""

    path: str | None = Field(
        default=None, min_length=1, description="A file or folder of the project; by default the whole project."
    )


def resolve_scope(given: StageScope, context: Context) -> Sequence[Path]:
    """Resolve the path of a stage; empty for the whole project.

    Raises:
        Fault: as `mem.index`.
    """
    require_project(context.root)
    return () if given.path is None else (resolve_part(given.path, context),)


def count_reasons(skipped: Iterable[SkippedFile]) -> dict[str, int]:
    """Count skipped files by reason."""
    return dict(sorted(Counter(one.reason for one in skipped).items()))
