"""`mem.link`: report the references that have a definition in the project."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import indexing, open_store
from aurora.tools.core import Command, Example, StrictModel, Tool
from aurora.tools.files import require_project

from .scope import ListLimit

if TYPE_CHECKING:
    from aurora.memory.indexing import LinkedFile
    from aurora.tools.core import Context


class LinkCounts(StrictModel):
    """References, and those of them with a definition in the project."""

    references: int
    resolved: int
    unresolved: int = Field(description="Names from outside of the project, or of nothing.")


class LinkedReferences(LinkCounts):
    """References of a file."""

    path: str


class LinkOutput(StrictModel):
    """Totals of all files, and files up to the limit, most unresolved references first."""

    files: int = Field(description="Files with references.")
    total: LinkCounts
    kinds: dict[str, LinkCounts] = Field(description="By kind: calls, imports, inherits, implements, mentions.")
    links: tuple[LinkedReferences, ...]


def link_project(given: ListLimit, context: Context) -> LinkOutput:
    """Link the project's references in a temporary database, and report them.

    Raises:
        Fault: as `mem.index`.
    """
    require_project(context.root)
    with (
        tempfile.TemporaryDirectory(prefix="aurora-link-") as folder,
        closing(open_store(Path(folder) / "link.db")) as scratch,
    ):
        found = list(indexing.link_tree(scratch, context.root, context.progress))
    return _build_output(found, given.limit)


def _build_output(found: list[LinkedFile], limit: int) -> LinkOutput:
    references: Counter[tuple[str, str]] = Counter()
    resolved: Counter[tuple[str, str]] = Counter()
    for one in found:
        for key in (("path", one.path), ("kind", one.kind), ("total", "")):
            references[key] += one.references
            resolved[key] += one.resolved

    def count(key: tuple[str, str]) -> dict[str, int]:
        return {
            "references": references[key],
            "resolved": resolved[key],
            "unresolved": references[key] - resolved[key],
        }

    files = [LinkedReferences(path=path, **count((what, path))) for what, path in references if what == "path"]
    return LinkOutput(
        files=len(files),
        total=LinkCounts(**count(("total", ""))),
        kinds={kind: LinkCounts(**count((what, kind))) for what, kind in sorted(references) if what == "kind"},
        links=tuple(sorted(files, key=lambda one: (-one.unresolved, one.path))[:limit]),
    )


TOOL = Tool(
    name="mem.link",
    title="Report the third stage of an indexing",
    description=(
        "Report the references of each file with and without a definition in the project, as an indexing links them. "
        "It indexes the project into a temporary database; the memory is not changed. `mem.index` does all stages."
    ),
    input=ListLimit,
    output=LinkOutput,
    run=link_project,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=3600.0,
    examples=(Example("The whole project", {}),),
    mcp="aurora_mem_link",
    command=Command("mem link", "Report the references that have a definition in the project."),
)
