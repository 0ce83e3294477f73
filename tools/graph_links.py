"""Tools on the links of the code graph: `graph.neighbors`, `callers`, `implementations` and `path`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora import memory
from aurora.errors import Code, Fault
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

from .graph import (
    LinkKind,
    LinkView,
    MinConfidence,
    NodeName,
    NodeView,
    PagedInput,
    PagedOutput,
    explain_missing_links,
    to_link_views,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurora.memory import Link, Node
    from aurora.memory.model.graph import UnresolvedUse
    from aurora.tools.core import Context


_INHERITANCE_KINDS = ("inherits", "implements")
_MAX_OUTSIDE_USES = 10_000
"""Uses of an external name among which its implementations are searched."""


class NeighborsInput(PagedInput):
    """Definition and filter of its links."""

    name: NodeName
    kinds: tuple[LinkKind, ...] = Field(default=(), strict=False, description="Only these kinds of link.")
    direction: Literal["out", "in", "both"] = Field(
        default="both", description="Direction as seen from the definition."
    )
    min_confidence: MinConfidence = 0.0


class CallersInput(PagedInput):
    """Definition whose callers are listed."""

    name: NodeName
    depth: int = Field(default=1, ge=1, le=10, description="2 includes the callers of callers, and so on.")
    min_confidence: MinConfidence = 0.0


class ImplementationsInput(PagedInput):
    """Definition whose implementations are listed."""

    name: NodeName
    depth: int = Field(default=10, ge=1, le=10, description="1 includes only those that name it directly.")


class LinksOutput(PagedOutput):
    """Page of links."""

    links: tuple[LinkView, ...]
    note: str = ""


class LinkStep(LinkView):
    """Link with its distance in calls."""

    steps: int = 1
    to: str = Field(default="", description="Definition that it leads to, where the name has several.")


class StepsOutput(PagedOutput):
    """Page of links, the nearest first."""

    links: tuple[LinkStep, ...]
    note: str = ""


def list_neighbors(given: NeighborsInput, context: Context) -> LinksOutput:
    """List the links of a definition by confidence.

    Raises:
        Fault: NOT_FOUND with similar names; CONFLICT with the candidates for an ambiguous name.
    """
    graph = context.project.memory.graph
    found = graph.find_one(given.name)
    wanted = memory.LinkFilter(given.kinds, given.direction, given.min_confidence, given.limit, given.offset)
    page = graph.list_neighbors(found, wanted)
    links, left = to_link_views(context, page.links), given.find_next_offset(page.total)
    return LinksOutput(
        id=found.id, total=page.total, next_offset=left, links=links, note=explain_missing_links(context, found)
    )


def _answer_from_outside(fault: Fault, outside: StepsOutput | None) -> StepsOutput:
    """Return what is known of a name that the project does not define.

    Raises:
        Fault: the given one, when nothing is known or the name is defined.
    """
    if fault.code is Code.NOT_FOUND and outside:
        return outside
    raise fault


def list_callers(given: CallersInput, context: Context) -> StepsOutput:
    """List the callers of each definition of a name, also of one defined elsewhere.

    Raises:
        Fault: NOT_FOUND for an unknown name without callers.
    """
    graph = context.project.memory.graph
    try:
        found = graph.find_one(given.name)
    except Fault as fault:
        if fault.code is Code.CONFLICT:
            return _list_callers_of_each(fault.details["candidates"], fault.details["total"], given, context)
        return _answer_from_outside(fault, _find_external_callers(given, context))
    if given.depth == 1:
        page = graph.list_neighbors(
            found, memory.LinkFilter(("calls",), "in", given.min_confidence, given.limit, given.offset)
        )
        shown = tuple(LinkStep(**dict(one)) for one in to_link_views(context, page.links))
        return _build_page(found, page.total, shown, given, context)
    steps = graph.find_users(found, ("calls",), memory.LinkFilter(least=given.min_confidence), given.depth)
    return _page_steps(found, steps, given, context)


def _list_callers_of_each(candidates: Sequence[str], total: int, given: CallersInput, context: Context) -> StepsOutput:
    """List the callers of all definitions of a name, one definition after the other."""
    graph = context.project.memory.graph
    nodes = graph.find_each(candidates)
    least = memory.LinkFilter(least=given.min_confidence)
    found = [
        (to, *each) for to, node in nodes.items() for each in graph.find_users(node, ("calls",), least, given.depth)
    ]
    page = found[given.offset : given.offset + given.limit]
    shown = to_link_views(context, [link for _to, _step, link in page])
    links = tuple(LinkStep(**dict(one), steps=step, to=to) for one, (to, step, _) in zip(shown, page, strict=True))
    called = {to for to, *_ in found}
    without = ", ".join(to for to in nodes if to not in called)
    note = f'"{given.name}" has {total} definitions' + (f"; nothing calls {without}" if without else "")
    left = given.find_next_offset(len(found))
    return StepsOutput(id=given.name, total=len(found), next_offset=left, links=links, note=f"{note}.")


def list_implementations(given: ImplementationsInput, context: Context) -> StepsOutput:
    """List the subclasses of a class or an interface; for a method, the methods that override it.

    Raises:
        Fault: NOT_FOUND for an unknown name without implementations; CONFLICT for an ambiguous name.
    """
    graph = context.project.memory.graph
    try:
        found = graph.find_one(given.name)
    except Fault as fault:
        return _answer_from_outside(fault, _find_external_implementations(given, context))
    steps = graph.find_users(found, _INHERITANCE_KINDS, memory.LinkFilter(), given.depth)
    steps += [(1, link) for link in graph.find_overrides(found)] if found.kind == "method" else []
    return _page_steps(found, steps, given, context)


def _page_steps(
    found: Node, steps: Sequence[tuple[int, Link]], given: CallersInput | ImplementationsInput, context: Context
) -> StepsOutput:
    page = steps[given.offset : given.offset + given.limit]
    shown = to_link_views(context, [link for _step, link in page])
    links = tuple(LinkStep(**dict(one), steps=step) for one, (step, _link) in zip(shown, page, strict=True))
    return _build_page(found, len(steps), links, given, context)


def _build_page(
    found: Node, total: int, links: tuple[LinkStep, ...], given: PagedInput, context: Context
) -> StepsOutput:
    left = given.find_next_offset(total)
    return StepsOutput(
        id=found.id, total=total, next_offset=left, links=links, note=explain_missing_links(context, found)
    )


def _find_external_callers(given: CallersInput, context: Context) -> StepsOutput | None:
    graph = context.project.memory.graph
    total, uses = graph.find_outside_uses(given.name, given.limit, given.offset)
    if not total:
        return None
    return _build_external_page(total, uses, "callers", given, context)


def _find_external_implementations(given: ImplementationsInput, context: Context) -> StepsOutput | None:
    _, uses = context.project.memory.graph.find_outside_uses(given.name, _MAX_OUTSIDE_USES)
    uses = tuple(use for use in uses if use.kind in _INHERITANCE_KINDS)
    if not uses:
        return None
    page = uses[given.offset : given.offset + given.limit]
    return _build_external_page(len(uses), page, "direct implementations", given, context)


def _build_external_page(
    total: int,
    uses: Iterable[UnresolvedUse],
    what: str,
    given: CallersInput | ImplementationsInput,
    context: Context,
) -> StepsOutput:
    graph = context.project.memory.graph
    links = tuple(
        LinkStep(
            kind=use.kind,
            direction="in",
            id=use.node.id,
            what=use.node.kind,
            confidence=1.0,
            how="by name" if not use.via else f"by name, {use.via.partition(':')[2] or 'bare'}",
            at=f"{use.node.path}:{use.line}",
            code=graph.read_line(use.node.path, use.line)[:160],
        )
        for use in uses
    )
    note = f"Not defined in this project; its {what} were found by name."
    return StepsOutput(id=given.name, total=total, next_offset=given.find_next_offset(total), links=links, note=note)


class PathInput(StrictModel):
    """Start and end of the path, and the kinds of links."""

    start: NodeName
    end: NodeName
    kinds: tuple[LinkKind, ...] = Field(default=(), strict=False, description="Only these kinds of link.")
    min_confidence: MinConfidence = 0.5


class PathOutput(CompactModel):
    """Path from the start to the end; each link leads to the next definition."""

    start: NodeView
    end: NodeView
    connected: bool
    links: tuple[LinkView, ...] = ()
    note: str = ""


def find_path(given: PathInput, context: Context) -> PathOutput:
    """Find a shortest path through links of any direction.

    Raises:
        Fault: NOT_FOUND with similar names; CONFLICT with the candidates for an ambiguous name.
    """
    graph = context.project.memory.graph
    start, end = graph.find_one(given.start), graph.find_one(given.end)
    links = graph.find_path(start, end, memory.LinkFilter(given.kinds, "both", given.min_confidence))
    note = "" if links is not None else "No path has only these links; a lower min_confidence includes guesses."
    return PathOutput(
        start=NodeView.from_value(start),
        end=NodeView.from_value(end),
        connected=links is not None,
        links=to_link_views(context, links or ()),
        note=note,
    )


TOOLS = (
    Tool(
        name="graph.neighbors",
        title="Links of a definition",
        description=(
            "List the links of a definition, a file or a section: calls, imports, inherits, implements, mentions, "
            "contains; each with its confidence, the way it was found, and its line of code."
        ),
        input=NeighborsInput,
        output=LinksOutput,
        run=list_neighbors,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        constraints=("It needs an index; calls through variables that are known only at run time are missing.",),
        aliases=(Alias("ag_neighbors"),),
        examples=(Example("All links of a file", {"name": "README.md", "limit": 5}),),
        mcp="aurora_graph_neighbors",
        command=Command(
            "graph neighbors",
            "List the links of a definition, with their lines.",
            arguments=("name",),
            places=("name",),
        ),
    ),
    Tool(
        name="graph.callers",
        title="Callers of a definition",
        description=(
            "List the callers of a function, a method or a class, and with a depth their callers; of a name with "
            'several definitions those of each. Also for names that the project does not define, such as "os.getcwd".'
        ),
        input=CallersInput,
        output=StepsOutput,
        run=list_callers,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        aliases=(
            Alias("find_callers", {"methodName": "name"}),
            Alias("aura_find_callers", {"methodName": "name"}),
        ),
        constraints=("It needs an index; calls through variables that are known only at run time are missing.",),
        examples=(Example("Callers of the top level of a file", {"name": "README.md"}),),
        mcp="aurora_graph_callers",
        command=Command(
            "graph callers",
            "List the callers of a definition, and their callers.",
            arguments=("name",),
            places=("name",),
        ),
    ),
    Tool(
        name="graph.implementations",
        title="Implementations of a definition",
        description=(
            "List the definitions that inherit from a class or implement an interface, directly or indirectly; for a "
            "method, the methods that override it. For a name that the project does not define, the direct ones."
        ),
        input=ImplementationsInput,
        output=StepsOutput,
        run=list_implementations,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        aliases=(
            Alias("find_implementations", {"typeName": "name"}),
            Alias("aura_find_implementations", {"typeName": "name"}),
        ),
        constraints=("It needs an index; calls through variables that are known only at run time are missing.",),
        examples=(Example("Nothing implements a document", {"name": "README.md"}),),
        mcp="aurora_graph_implementations",
        command=Command(
            "graph implementations",
            "List what inherits from or implements a definition.",
            arguments=("name",),
            places=("name",),
        ),
    ),
    Tool(
        name="graph.path",
        title="Path between two definitions",
        description=(
            "Find a shortest path between two definitions through any number of links, with the line of code of each; "
            "direction is out for a link along the path and in for one against it."
        ),
        input=PathInput,
        output=PathOutput,
        run=find_path,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=60.0,
        phases=True,
        aliases=(Alias("ag_why_connected"), Alias("why_connected")),
        constraints=("It needs an index: index the project first.",),
        examples=(Example("From a file to itself", {"start": "README.md", "end": "README.md"}),),
        mcp="aurora_graph_path",
        command=Command(
            "graph path",
            "Find the path of links between two definitions.",
            arguments=("start", "end"),
            places=("start", "end"),
        ),
    ),
)
