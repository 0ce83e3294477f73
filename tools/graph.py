"""Tools `graph.node`, `graph.members` and `graph.diff`, and the models of all graph tools."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from aurora import memory
from aurora.errors import Code, Fault, ignore_changes
from aurora.system.files import open_temporary_folder
from aurora.system.paths.resolve import resolve_inside
from aurora.tools.core import Alias, Command, CompactModel, Example, StrictModel, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.memory import Link, Node
    from aurora.memory.graph.diff import Change
    from aurora.tools.core import Context


LinkKind = Literal["calls", "imports", "inherits", "implements", "mentions", "contains"]

NodeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description='A name, "Class.method", "path:line", a path, or the id of a chunk or a node ("path::Name").',
    ),
]
MinConfidence = Annotated[
    float,
    Field(ge=0, le=1, description="Minimum confidence of links: 1 is resolved by scope or import, less is a guess."),
]
_MAX_LINE_LENGTH = 160


class PagedInput(StrictModel):
    """Fields of an input with pages."""

    limit: int = Field(default=20, ge=1, le=50, description="Maximum number of results.")
    offset: int = Field(default=0, ge=0, description="Number of results to skip.")

    def find_next_offset(self, total: int) -> int | None:
        """Return the offset of the next page, or None on the last page."""
        end = self.offset + self.limit
        return end if end < total else None


class PagedOutput(CompactModel):
    """Fields of an output that is one of several pages."""

    id: str
    total: int
    next_offset: int | None = Field(default=None, description="Offset of the next page.")


class NodeView(CompactModel):
    """Definition, file, or section of a document."""

    id: str
    kind: str
    lines: str
    language: str = ""


class LinkView(CompactModel):
    """Link, as seen from the requested definition."""

    kind: str
    direction: Literal["out", "in"]
    id: str = Field(description="Id of the other end.")
    what: str = Field(default="", description="Kind of the other end: function, class …")
    confidence: float
    how: str
    at: str = Field(description="Place of the link, path:line.")
    code: str = Field(default="", description="Indexed text of that line.")


def explain_missing_links(context: Context, node: Node) -> str:
    """Return a note for a definition in a language without links; empty for other languages."""
    if context.project.memory.graph.is_linked(node):
        return ""
    return f"Links in {node.language} are not indexed, only definitions: search for the name instead."


def to_link_views(context: Context, links: Iterable[Link]) -> tuple[LinkView, ...]:
    """Return links as outputs, each with its line of code."""
    graph = context.project.memory.graph
    return tuple(
        LinkView.from_value(
            link,
            direction="out" if link.outward else "in",
            id=link.node.id,
            what=link.node.kind,
            confidence=round(link.confidence, 2),
            at=f"{link.path}:{link.line}",
            code=graph.read_line(link.path, link.line)[:_MAX_LINE_LENGTH],
        )
        for link in links
    )


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
    return NodeOutput.from_value(
        found,
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


class DiffInput(PagedInput):
    """Revision or database to compare with."""

    against: str = Field(
        default="HEAD",
        min_length=1,
        max_length=500,
        description="A git revision, or the path of an earlier database inside the project.",
    )
    min_confidence: MinConfidence = 0.5


class GraphChange(CompactModel):
    """Definition or link that was added or removed, or a file that was moved."""

    change: Literal["added", "removed", "moved"]
    kind: str
    id: str
    target: str = Field(default="", description="Target of a link or a moved file; empty for a definition.")


class DiffOutput(CompactModel):
    """Page of changes: files moved, definitions added and removed, links added and removed."""

    against: str
    counts: dict[str, int]
    changes: tuple[GraphChange, ...]
    next_offset: int | None = Field(default=None, description="Offset of the next page.")
    note: str = ""


def diff_graph(given: DiffInput, context: Context) -> DiffOutput:
    """Compare the indexed graph with an earlier one.

    Raises:
        Fault: NOT_FOUND without an index, and for an unknown revision; the faults of a database that cannot be opened.
    """
    context.require_memory()
    current = context.project.memory
    if not current.wants_index():
        raise Fault(Code.NOT_FOUND, "nothing is indexed yet", help="Run `aur mem index` first.")
    if given.against.endswith(".db"):
        with memory.Memory.open(resolve_inside(context.root, given.against), read_only=True) as old:
            changes = current.graph.compare_with(old.graph, given.min_confidence)
        name = given.against
    else:
        with open_temporary_folder("diff") as folder, ignore_changes():
            name, changes = current.diff_graph(context.root, given.against, folder, given.min_confidence)
    counts = Counter(_classify_change(one) for one in changes)
    page = changes[given.offset : given.offset + given.limit]
    return DiffOutput(
        against=name,
        counts={key: counts[key] for key in sorted(counts)},
        changes=tuple(map(GraphChange.from_value, page)),
        next_offset=given.find_next_offset(len(changes)),
        note="" if changes else "The graphs are the same.",
    )


def _classify_change(one: Change) -> str:
    if one.change == "moved":
        return "files_moved"
    return f"{'links' if one.target else 'definitions'}_{one.change}"


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
    Tool(
        name="graph.diff",
        title="Changes of the code graph",
        description=(
            "Compare the code graph with that of a git revision or of an earlier database: definitions and links that "
            "were added and removed, and files that moved."
        ),
        input=DiffInput,
        output=DiffOutput,
        run=diff_graph,
        family="graph",
        risk="read",
        idempotent=True,
        timeout=300.0,
        phases=True,
        aliases=(Alias("ag_diff"),),
        examples=(Example("Compared with a database, here the current one", {"against": ".aurora/memory.db"}),),
        mcp="aurora_graph_diff",
        command=Command("graph diff", "Compare with a revision or an earlier database.", arguments=("against",)),
    ),
)
