"""graph.neighbors, graph.callers and graph.implementations: what leads to a definition, and where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.faults import Code, Fault
from aurora.tools.core.declaration import Example, Tool

from .model import Kind, Least, Name, Page, Paged, Seen, seen, unlinked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Link, Node
    from aurora.tools.core.context import Context

_BELOW = ("inherits", "implements")


class NeighborsInput(Paged):
    """Which links."""

    name: Name
    kinds: tuple[Kind, ...] = Field(default=(), strict=False, description="Only these kinds of link.")
    direction: Literal["out", "in", "both"] = Field(default="both", description="Seen from the definition.")
    min_confidence: Least = 0.0


class CallersInput(Paged):
    """Whose callers."""

    name: Name
    depth: int = Field(default=1, ge=1, le=10, description="2 also tells who calls the callers, and so on.")
    min_confidence: Least = 0.0


class ImplementationsInput(Paged):
    """Of what."""

    name: Name
    depth: int = Field(default=10, ge=1, le=10, description="1 tells only those that name it themselves.")


class LinksOutput(Page):
    """One page of links."""

    links: tuple[Seen, ...]
    note: str = ""


class Step(Seen):
    """A link, and how many calls away it is."""

    steps: int = 1


class StepsOutput(Page):
    """One page of links, the nearest first."""

    links: tuple[Step, ...]
    note: str = ""


def neighbors(given: NeighborsInput, context: Context) -> LinksOutput:
    """List the links of a definition, the surest first.

    Raises:
        Fault: NOT_FOUND with near names; CONFLICT with the candidates when the name may mean several.
    """
    from aurora.memory import Filter  # noqa: PLC0415 - listing tools must not pay for the memory

    graph = context.project.memory.graph
    found = graph.one(given.name)
    wanted = Filter(given.kinds, given.direction, given.min_confidence, given.limit, given.offset)
    page = graph.neighbors(found, wanted)
    links, left = seen(context, page.links), given.next_of(page.total)
    return LinksOutput(id=found.id, total=page.total, next_offset=left, links=links, note=unlinked(context, found))


def callers(given: CallersInput, context: Context) -> StepsOutput:
    """List who calls a definition; a name that the project does not define is looked up among what it calls outside.

    Raises:
        Fault: NOT_FOUND when nothing is called so and nobody calls it; CONFLICT when the name may mean several.
    """
    from aurora.memory import Filter  # noqa: PLC0415 - as above

    graph = context.project.memory.graph
    try:
        found = graph.one(given.name)
    except Fault as fault:
        if fault.code is Code.NOT_FOUND and (outside := _outside(given, context)):
            return outside
        raise
    if given.depth == 1:
        page = graph.neighbors(found, Filter(("calls",), "in", given.min_confidence, given.limit, given.offset))
        shown = tuple(Step(**dict(one)) for one in seen(context, page.links))
        return _page(found, page.total, shown, given, context)
    steps = graph.users(found, ("calls",), Filter(least=given.min_confidence), given.depth)
    return _steps(found, steps, given, context)


def implementations(given: ImplementationsInput, context: Context) -> StepsOutput:
    """List what inherits from a class or implements an interface; for a method, the methods that take its place.

    Raises:
        Fault: NOT_FOUND with near names; CONFLICT with the candidates when the name may mean several.
    """
    from aurora.memory import Filter  # noqa: PLC0415 - as above

    graph = context.project.memory.graph
    found = graph.one(given.name)
    steps = graph.users(found, _BELOW, Filter(), given.depth)
    steps += [(1, link) for link in graph.overridden(found)] if found.kind == "method" else []
    return _steps(found, steps, given, context)


def _steps(
    found: Node, steps: Sequence[tuple[int, Link]], given: CallersInput | ImplementationsInput, context: Context
) -> StepsOutput:
    page = steps[given.offset : given.offset + given.limit]
    shown = seen(context, [link for _step, link in page])
    links = tuple(Step(**dict(one), steps=step) for one, (step, _link) in zip(shown, page, strict=True))
    return _page(found, len(steps), links, given, context)


def _page(found: Node, total: int, links: tuple[Step, ...], given: Paged, context: Context) -> StepsOutput:
    left = given.next_of(total)
    return StepsOutput(id=found.id, total=total, next_offset=left, links=links, note=unlinked(context, found))


def _outside(given: CallersInput, context: Context) -> StepsOutput | None:
    graph = context.project.memory.graph
    total, uses = graph.outside(given.name, given.limit, given.offset)
    if not total:
        return None
    links = tuple(
        Step(
            kind=use.kind,
            direction="in",
            id=use.node.id,
            what=use.node.kind,
            confidence=1.0,
            how="by name" if not use.via else f"by name, {use.via.partition(':')[2] or 'bare'}",
            at=f"{use.node.path}:{use.line}",
            code=graph.line(use.node.path, use.line)[:160],
        )
        for use in uses
    )
    note = "Not defined in this project; found by its name."
    return StepsOutput(id=given.name, total=total, next_offset=given.next_of(total), links=links, note=note)


TOOLS = (
    Tool(
        name="graph.neighbors",
        title="What a definition is linked with",
        description=(
            "List the links of a definition, a file or a section: calls, imports, inherits, implements, mentions, "
            "contains; each with its confidence, how it was found, and the line that says so."
        ),
        input=NeighborsInput,
        output=LinksOutput,
        run=neighbors,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        constraints=("It needs an index; calls of what a variable holds at run time are not known.",),
        examples=(Example("All links of a file", {"name": "README.md", "limit": 5}),),
        mcp="aurora_graph_neighbors",
        command=("graph", "neighbors"),
    ),
    Tool(
        name="graph.callers",
        title="Who calls it",
        description=(
            "List who calls a function, a method or a class, and with a depth who calls the callers. Works for names "
            'that the project does not define too, such as "os.getcwd".'
        ),
        input=CallersInput,
        output=StepsOutput,
        run=callers,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        aliases=("find_callers",),
        constraints=("It needs an index; calls of what a variable holds at run time are not known.",),
        examples=(Example("Who calls what a file holds at its top", {"name": "README.md"}),),
        mcp="aurora_graph_callers",
        command=("graph", "callers"),
    ),
    Tool(
        name="graph.implementations",
        title="What implements it",
        description=(
            "List what inherits from a class or implements an interface, directly or through others; for a method, "
            "the methods that take its place."
        ),
        input=ImplementationsInput,
        output=StepsOutput,
        run=implementations,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        aliases=("find_implementations",),
        constraints=("It needs an index; calls of what a variable holds at run time are not known.",),
        examples=(Example("Nothing implements a document", {"name": "README.md"}),),
        mcp="aurora_graph_implementations",
        command=("graph", "implementations"),
    ),
)
