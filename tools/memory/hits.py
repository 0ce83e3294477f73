"""Hits of a search, kept up to date with the files, steered by a run, and recorded as uses."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field

from aurora.errors import Code, Fault, did_you_mean, list_names
from aurora.memory import LinkFilter, has_memory, records, usage
from aurora.memory.files import is_test_file
from aurora.system.secrets.masks import count_left_out
from aurora.tools.core import CompactModel, StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.memory import Chunk, Hit, Link, Node, SearchResult, StepRow
    from aurora.memory.graph.graph import Graph
    from aurora.tools.core import Context


_MAX_FILES = 3
_MAX_BYTES = 200_000
"""Files up to this total size are reindexed in under 0.1 s; `aur mem index` or the watcher does the rest."""


def search_fresh(query: str, context: Context, **filters: Any) -> SearchResult:
    """Search the project's memory; reindex the hits' files when they have changed.

    Args:
        query: text to search for.
        context: the project.
        filters: as `Memory.search` takes them.

    Raises:
        Fault: as `Memory.search`. A file that cannot be reindexed is no fault: its hits stay marked as stale.
    """
    memory = context.project.memory
    found = memory.search(query, root=context.root, index_step=context.project.index_step, **filters)
    if refresh_files([hit.chunk for hit in found.hits if hit.stale], context):
        return memory.search(query, root=context.root, index_step=context.project.index_step, **filters)
    return found


def refresh_files(chunks: Sequence[Chunk], context: Context) -> bool:
    """Reindex the files of these chunks, and those that they cite, if these are few and small.

    Returns:
        True when they were reindexed.
    """
    memory = context.project.memory
    paths = [path for chunk in chunks for path in records.list_source_paths(chunk)]
    if not paths or memory.read_only:
        return False
    stale = memory.find_stale_paths(paths, root=context.root)
    return bool(stale) and _reindex_stale(sorted(stale), context)


def _reindex_stale(paths: list[str], context: Context) -> bool:
    """Reindex a few small files; return False when they are too large or another process is writing."""
    memory = context.project.memory
    files = [context.root / path for path in paths]
    try:
        if len(files) > _MAX_FILES or sum(file.stat().st_size for file in files if file.exists()) > _MAX_BYTES:
            return False
        if not memory.is_writable_now():
            return False
        memory.index(context.root, paths=files)
    except (Fault, OSError):
        return False
    return True


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


RUN_BOOST = 1.02
"""Factor of the score of a hit that the run has touched: it decides between hits whose scores are nearly equal.

It was measured: a run about something else changes no rank of 62 labelled questions about three code bases;
with 1.03 it lowers two of them by one place.
"""
_MAX_VALUES = 20_000
"""Values of a run that are read, the newest steps first; a run of SOAR has some hundred."""
_WORD = re.compile(r"[^\s\"'`(){}\[\]<>,;]+")
_LINES = re.compile(r":\d+(-\d+)?$")
_FIELDS = ("inputs", "result", "brought")


class TouchedPlaces(NamedTuple):
    """Words of a run that may be ids of chunks or paths of files; others match nothing."""

    names: frozenset[str]

    def includes(self, hit: Hit) -> bool:
        """Return whether the run has touched the chunk of a hit, or its file."""
        return hit.chunk.id in self.names or (hit.chunk.path or "") in self.names


def collect_touched(steps: Sequence[StepRow]) -> TouchedPlaces:
    """Collect what the steps of a run name, the newest first, up to a bound."""
    names: set[str] = set()
    for count, text in enumerate(_iterate_texts(step.document for step in reversed(steps))):
        if count >= _MAX_VALUES:
            break
        for word in _WORD.findall(text[:4000]):
            names.add(_LINES.sub("", word.rstrip(".:")))
    return TouchedPlaces(frozenset(names))


def boost_touched(hits: Iterable[Hit], touched: TouchedPlaces) -> list[Hit]:
    """Boost the hits that the run has touched; equal scores keep their order."""
    boosted = [
        hit._replace(score=min(1.0, round(hit.score * RUN_BOOST, 4)), parts={"run": RUN_BOOST, **hit.parts})
        if touched.includes(hit)
        else hit
        for hit in hits
    ]
    return sorted(boosted, key=lambda hit: -hit.score)


def _iterate_texts(documents: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the texts in the inputs, results and answers of steps."""
    for document in documents:
        waiting: list[Any] = [document.get(field) for field in _FIELDS]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                waiting.extend(value.values())
            elif isinstance(value, list | tuple):
                waiting.extend(value)


_PERSON = ("cli", "page")
"""Surfaces on which a person sees the list of hits, and a model does not."""


def record_uses(ids: Iterable[str], context: Context) -> None:
    """Record a use of the chunks that a response has, unless a person sees it.

    It is one write, made later if another process is writing, and none in a read-only memory. It never fails.
    """
    if context.surface not in _PERSON:
        context.project.memory.try_record_use(tuple(dict.fromkeys(ids)))


def record_line_uses(path: str, start: int, text: str, context: Context, *, is_first: bool) -> None:
    """Record a use of the chunks that have one of the lines shown, unless a person sees them.

    Args:
        path: the file, relative to the project.
        start: the line that the text begins with.
        text: the lines; a page of them.
        context: the call.
        is_first: the first page; on a later one a chunk that begins before it has been counted.
    """
    if context.surface in _PERSON or not text or not has_memory(context.root):
        return
    with suppress(Fault):  # the file is shown, whatever the state of the memory
        store = context.project.memory.store
        end = start + text.removesuffix("\n").count("\n")
        used = usage.find_chunks_at_lines(store, path, start, end)
        earlier = () if is_first else usage.find_chunks_at_lines(store, path, 1, start - 1)
        record_uses((id_ for id_ in used if id_ not in earlier), context)


_MAX_USES = 50
_MAX_LISTED_USES = 5
"""Uses of a definition that are counted, and those that are named."""
_LEAST_CONFIDENCE = 0.5
"""Confidence of a link from which it is more than a guess by the name alone."""


def map_uses(ids: Sequence[str], context: Context) -> dict[str, tuple[str, ...]]:
    """Map chunks to the callers, implementers and tests of their definition, a line each."""
    if not ids:  # a search without a map loads no graph
        return {}
    graph = context.project.memory.graph
    found = {id_: graph.find_in_chunk(id_) for id_ in ids}
    return {id_: tuple(_describe_uses(graph, nodes[0])) if nodes else () for id_, nodes in found.items()}


def _describe_uses(graph: Graph, node: Node) -> Iterator[str]:
    def list_links(*kinds: str) -> Sequence[Link]:
        return graph.list_neighbors(node, LinkFilter(kinds, "in", _LEAST_CONFIDENCE, _MAX_USES)).links

    calls = list_links("calls")
    tests = [link for link in calls if is_test_file(link.path)]
    others = [link for link in calls if not is_test_file(link.path)]
    below = [*list_links("inherits", "implements"), *graph.find_overrides(node)[:_MAX_USES]]
    for name, links in (("callers", others), ("implementers", below), ("tests", tests)):
        places = list(dict.fromkeys(f"{link.path}:{link.line} {link.node.symbol}".rstrip() for link in links))
        if places:
            more = len(places) - _MAX_LISTED_USES
            yield f"{name}: {', '.join(places[:_MAX_LISTED_USES])}{f' and {more} more' if more > 0 else ''}"


class IndexState(CompactModel):
    """Commit at which the index stands, and the number of files that changed since."""

    commit: str = Field(default="", description="Indexed at.")
    behind: int | None = Field(default=None, description="Files changed since; absent: not known.")


def read_index_state(context: Context) -> IndexState | None:
    """Read the state of the project's index; None when the project was never indexed."""
    try:
        found = context.project.memory.freshness.measure(context.root)
    except Fault:  # an answer is not lost because the tree cannot be listed
        return IndexState()
    return IndexState(commit=found.commit, behind=found.behind) if found else None


class SkippedFile(StrictModel):
    """File that was not indexed, with the reason."""

    path: str
    reason: str
    detail: str = ""


def describe_left_out(texts: Iterable[tuple[str, str]]) -> str:
    """Describe the left out lines of `(name, text)` pairs; empty without any."""
    counts: dict[str, int] = {}
    for name, text in texts:
        if count := count_left_out(text):
            counts[name] = counts.get(name, 0) + count
    total = sum(counts.values())
    lines = "1 line" if total == 1 else f"{total} lines"
    return f"{lines} left out, with secrets: {', '.join(counts)}." if total else ""
