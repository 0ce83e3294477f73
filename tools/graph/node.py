"""Tools `graph.node` and `graph.members`: one definition and its members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

from .model import NodeName, NodeView, PagedInput, PagedOutput

if TYPE_CHECKING:
    from aurora.tools.core import Context


class NodeInput(StrictModel):
    """Name to look up."""

    name: NodeName


class NodeOutput(CompactModel):
    """Definition with its place and link counts."""

    id: str
    kind: str
    path: str
    lines: str
    symbol: str = ""
    language: str = ""
    parent: str | None = None
    chunk: str | None = None
    out: dict[str, int]
    into: dict[str, int]


class MembersInput(PagedInput):
    """Definition whose members are listed."""

    name: NodeName


class MembersOutput(PagedOutput):
    """Page of members, in the order of the text."""

    members: tuple[NodeView, ...]


def show_node(given: NodeInput, context: Context) -> NodeOutput:
    """Show one definition.

    Raises:
        Fault: NOT_FOUND with similar names; CONFLICT with the candidates for an ambiguous name.
    """
    graph = context.project.memory.graph
    found = graph.find_one(given.name)
    parent, counts = graph.find_parent(found), graph.count_links(found)
    return NodeOutput(
        id=found.id,
        kind=found.kind,
        path=found.path,
        lines=found.lines,
        symbol=found.symbol,
        language=found.language,
        parent=parent.id if parent else None,
        chunk=graph.find_chunk(found),
        out=counts["out"],
        into=counts["in"],
    )


def list_members(given: MembersInput, context: Context) -> MembersOutput:
    """List the members of a file, a class or a section.

    Raises:
        Fault: as `show_node`.
    """
    graph = context.project.memory.graph
    found = graph.find_one(given.name)
    every = graph.list_members(found)
    page = every[given.offset : given.offset + given.limit]
    left = given.find_next_offset(len(every))
    return MembersOutput(id=found.id, total=len(every), next_offset=left, members=tuple(map(NodeView.from_value, page)))


TOOLS = (
    Tool(
        name="graph.node",
        title="One definition in the code graph",
        description=(
            "Look up a definition, a file or a section by name: its place, parent and chunk, and the number of "
            "outgoing and incoming links of each kind."
        ),
        input=NodeInput,
        output=NodeOutput,
        run=show_node,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        aliases=(Alias("ag_node"), Alias("get_node_details", {"node_id": "name"})),
        examples=(Example("A file", {"name": "README.md"}),),
        mcp="aurora_graph_node",
        command=Command(
            "graph node", "Show one definition: its place and its link counts.", arguments=("name",), places=("name",)
        ),
    ),
    Tool(
        name="graph.members",
        title="Members of a class or a file",
        description="List the members of a class, the definitions of a file, or the sections of a document.",
        input=MembersInput,
        output=MembersOutput,
        run=list_members,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=30.0,
        phases=True,
        aliases=(
            Alias("get_type_members", {"typeName": "name"}),
            Alias("aura_get_type_members", {"typeName": "name"}),
        ),
        examples=(Example("The sections of a document", {"name": "README.md", "limit": 5}),),
        mcp="aurora_graph_members",
        command=Command(
            "graph members", "List the members of a class, a file or a document.", arguments=("name",), places=("name",)
        ),
    ),
)
