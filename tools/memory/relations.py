"""Complete answers of `mem.search`: who uses a definition, and which files of a set reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.memory import search
from aurora.memory.files import detect_language, is_test_file
from aurora.tools.core import CompactModel

from .exact import ListedFile, cut_line, fit_files
from .hits import read_index_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.memory import Node
    from aurora.memory.search import MatchedFile, MatchedLine, Reached, RelatedPlaces, Relation
    from aurora.tools.core import Context

_MAX_CHARS = 15_000
"""Characters of the listed lines as JSON; the limit of a response is 19,000, and ids and notes need some."""
_MAX_SYMBOLS = 5
"""Definitions of one name whose places are listed."""
_MAX_USES = 10_000
_MAX_DEPTH = 5
"""Calls between a file and what it reaches."""
_MAX_FILES = 200


class RelatedSymbol(CompactModel):
    """Definition with the places that are related to it; `possible` by its name alone."""

    id: str
    lines: str = ""
    total: int = Field(description="Lines that are sure.")
    matches: tuple[ListedFile, ...]
    possible_total: int = 0
    possible: tuple[ListedFile, ...] = ()


class RelationAnswer(CompactModel):
    """Places related to each definition of a name."""

    symbols: tuple[RelatedSymbol, ...] | None = None
    complete: bool | None = None
    note: str = ""
    next_offset: int | None = None


class ReachRow(CompactModel):
    """File of a set; for each name the line where it is reached and through what, or `no`."""

    path: str
    reaches: dict[str, str]


class SetAnswer(CompactModel):
    """Row for each file of a set."""

    rows: tuple[ReachRow, ...] | None = None
    total: int | None = None
    complete: bool | None = None
    note: str = ""
    next_offset: int | None = None


def list_related_places(name: str, relation: Relation, offset: int, context: Context) -> RelationAnswer:
    """List all places in a relation to each definition of a name.

    Raises:
        Fault: NOT_FOUND for a name that the project neither defines nor uses, with similar names.
    """
    context.require_memory()
    memory = context.project.memory
    nodes = _choose_nodes(memory.graph.find(name))
    if not nodes:
        return _list_outside_uses(name, offset, context)
    some = nodes[:_MAX_SYMBOLS]
    found = [search.find_related(context.root, memory.store, memory.graph, node, relation) for node in some]
    room = _MAX_CHARS // len(found)
    listed = [_to_symbol(one, offset if len(found) == 1 else 0, room) for one in found]
    shown = offset + sum(count for _, count in listed)
    total = sum(symbol.total + symbol.possible_total for symbol, _ in listed)
    is_whole = shown == total and not offset and len(nodes) == len(some)
    return RelationAnswer(
        symbols=tuple(symbol for symbol, _ in listed),
        complete=is_whole and all(one.is_complete for one in found),
        note=" ".join(_iterate_notes(nodes, context)),
        next_offset=shown if len(found) == 1 and shown < total else None,
    )


def _iterate_notes(nodes: Sequence[Node], context: Context) -> Iterator[str]:
    if len(nodes) > 1:
        others = ", ".join(node.id for node in nodes[_MAX_SYMBOLS : 4 * _MAX_SYMBOLS])
        also = f", also {others}" if others else ""
        yield f'{len(nodes)} definitions have this name: "of" takes an id{also}.'
    index = read_index_state(context)
    if index is not None and index.behind:
        yield f"{index.behind} files changed since they were indexed: {context.project.index_step}."


def _choose_nodes(found: Sequence[Node]) -> Sequence[Node]:
    """Choose the code of the project among the definitions of a name; else tests, else headings."""
    plain = [node for node in found if not is_test_file(node.path)]
    code = [node for node in plain if node.kind != "section"]
    return code or plain or found


def _to_symbol(places: RelatedPlaces, offset: int, room: int) -> tuple[RelatedSymbol, int]:
    """List the places of a definition, the sure ones first, and count the lines that fit."""
    total, possible = (sum(file.total for file in files) for files in (places.sure, places.possible))
    sure, shown = fit_files(_skip_lines(places.sure, offset), cut_line, room)
    left = room - sum(len(file.text) + len(file.path) for file in sure)
    guesses: tuple[ListedFile, ...] = ()
    if shown == max(0, total - offset) and left > 0:
        guesses, more = fit_files(_skip_lines(places.possible, max(0, offset - total)), cut_line, left)
        shown += more
    symbol = RelatedSymbol(
        id=places.node.id,
        lines=places.node.lines,
        total=total,
        matches=sure,
        possible_total=possible,
        possible=guesses,
    )
    return symbol, shown


def _skip_lines(files: Sequence[MatchedFile], offset: int) -> list[MatchedFile]:
    """Leave out the first lines of files."""
    left = []
    for file in files:
        left.append(search.MatchedFile(file.path, file.language, file.total, file.lines[offset:]))
        offset = max(0, offset - len(file.lines))
    return left


def _list_outside_uses(name: str, offset: int, context: Context) -> RelationAnswer:
    """List the uses of a name that the project does not define."""
    graph = context.project.memory.graph
    total, uses = graph.find_outside_uses(name, _MAX_USES, offset)
    if not total:
        graph.find_one(name)  # raises, with similar names
    files: dict[str, list[MatchedLine]] = {}
    for use in uses:
        text = graph.read_line(use.node.path, use.line)
        files.setdefault(use.node.path, []).append(search.MatchedLine(use.line, -1, text, use.node.symbol))
    matched = [search.MatchedFile(path, detect_language(path), len(lines), lines) for path, lines in files.items()]
    listed, shown = fit_files(matched, cut_line, _MAX_CHARS)
    end = offset + shown
    return RelationAnswer(
        symbols=(RelatedSymbol(id=name, total=total, matches=listed),),
        complete=not offset and end == total,
        note="Not defined in this project: its uses by name.",
        next_offset=end if end < total else None,
    )


def list_reaching_files(glob: str, names: Sequence[str], offset: int, context: Context) -> SetAnswer:
    """List the files of a set, each with how it reaches some names: itself, through others, or not.

    Raises:
        Fault: NOT_FOUND when no indexed file matches the glob.
    """
    context.require_memory()
    memory = context.project.memory
    pattern = search.compile_glob(glob)
    with memory.store.begin_read() as db:
        paths = [path for path in db.files.list_paths() if pattern.fullmatch(path)]
    if not paths:
        raise Fault(
            Code.NOT_FOUND,
            f'no indexed file matches "{glob[:80]}"',
            help="Paths start at the project's folder; `**` matches any number of folders.",
            details={"each": glob[:80]},
        )
    columns = {name: _describe_reaches(name, glob, context) for name in names}
    rows, room = list[ReachRow](), _MAX_CHARS
    for path in paths[offset : offset + _MAX_FILES]:
        row = ReachRow(path=path, reaches={name: found.get(path, "no") for name, found in columns.items()})
        room -= len(row.model_dump_json())
        if room < 0 and rows:
            break
        rows.append(row)
    end = offset + len(rows)
    return SetAnswer(
        rows=tuple(rows),
        total=len(paths),
        complete=not offset and end == len(paths),
        note=f"Through at most {_MAX_DEPTH} calls that scope, types or imports prove; `possible` names it only.",
        next_offset=end if end < len(paths) else None,
    )


def _describe_reaches(name: str, glob: str, context: Context) -> dict[str, str]:
    """Describe by path how files reach a name: the shortest way of each."""
    memory = context.project.memory
    found = search.find_reaching(memory.store, memory.graph, name, _MAX_DEPTH)
    described: dict[str, str] = {}
    for reached in found.values():  # the nearest come first
        described.setdefault(reached.node.path, " → ".join([*_follow_chain(reached, found), name]))
    last = name.removesuffix("()").replace("::", ".").rpartition(".")[2]
    scope = search.ExactScope(("code",), glob)
    for file in search.find_exact(context.root, memory.store, search.find_word(last), scope).files:
        lines = [str(line.line) for line in file.lines if not line.inside][:3]
        if lines:
            described.setdefault(file.path, f"possible, named at {', '.join(lines)}")
    return described


def _follow_chain(reached: Reached, found: Mapping[int, Reached]) -> Iterator[str]:
    """Follow the calls to the target: the line of the first, and the place of each further one."""
    yield f"{reached.line} {reached.node.symbol}".rstrip()
    while reached.next_n is not None:
        reached = found[reached.next_n]
        yield f"{reached.node.symbol} ({reached.node.path}:{reached.line})"
