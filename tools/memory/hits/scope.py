"""Search within the records of one workflow, or with the boost of what a run has touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.faults import Code, Fault, did_you_mean, list_names

from .fresh import search_fresh
from .touched import boost_touched, collect_touched

if TYPE_CHECKING:
    from aurora.memory import SearchResult
    from aurora.tools.core import Context

    from .touched import TouchedPlaces

_AHEAD = 10
"""Hits beyond the page that the boost of a run may bring onto it."""
_MAX_RECORDS = 200
"""Best records among which those of a workflow are selected."""


class SearchScope(NamedTuple):
    """Scope of a search.

    Attributes:
        workflow: only past reasoning that runs of this workflow recorded; None for everything.
        run: the id of a run; what it has touched ranks higher where scores are nearly equal; None for no run.
    """

    workflow: str | None = None
    run: str | None = None


def search_scoped(
    query: str, context: Context, scope: SearchScope, *, limit: int, offset: int, **filters: Any
) -> SearchResult:
    """Search the project's memory within a scope.

    Args:
        query: text to search for.
        context: the project.
        scope: the workflow or the run.
        limit: maximum number of hits.
        offset: number of best hits to skip.
        filters: as `Memory.search` takes them.

    Raises:
        Fault: NOT_FOUND for an unknown run; as `Memory.search`.
    """
    if scope == SearchScope():
        return search_fresh(query, context, limit=limit, offset=offset, **filters)
    if scope.workflow is not None:
        found = _search_workflow(query, context, scope.workflow, offset + limit, filters)
    else:
        found = search_fresh(query, context, limit=offset + limit + _AHEAD, offset=0, **filters)
    if scope.run is not None:
        found = found._replace(hits=boost_touched(found.hits, _collect_places(context, scope.run)))
    return found._replace(hits=found.hits[offset : offset + limit])


def _collect_places(context: Context, run: str) -> TouchedPlaces:
    steps = context.project.memory.journal.steps(run)
    if not steps:
        help_ = "`aur runs list` shows the runs of this project."
        raise Fault(Code.NOT_FOUND, f'there is no run "{run[:80]}"', help=help_, details={"run": run[:80]})
    return collect_touched(steps)


def _search_workflow(query: str, context: Context, workflow: str, limit: int, filters: dict[str, Any]) -> SearchResult:
    """Search the records of the runs of one workflow; all knowledge where it has none that fit.

    Only `soar` records answers, so that a search within another workflow would find nothing for ever.
    """
    found = search_fresh(query, context, limit=_MAX_RECORDS, offset=0, **{**filters, "types": ("reas",)})
    own = [hit for hit in found.hits if hit.chunk.metadata.get("workflow") == workflow]
    if own:
        return found._replace(hits=own, total=len(own))
    name, catalog = workflow[:80], context.project.workflows
    known = catalog.list_names()
    # a removed workflow may still have records, so only a search without hits looks for its name
    if workflow not in known and catalog.find_untrusted_file(workflow) is None:
        note = f'There is no workflow "{name}": {did_you_mean(name, known) or f"there are {list_names(known)}."}'
        return found._replace(hits=[], total=0, note=note)
    found = search_fresh(query, context, limit=limit, offset=0, **filters)
    note = f'No past reasoning of the workflow "{name}" fits; this is from everything that the memory contains.'
    return found._replace(note=" ".join(part for part in (note, found.note) if part))
