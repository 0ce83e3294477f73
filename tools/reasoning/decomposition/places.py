"""Places that subgoals name, and whether each names one that exists or that it creates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Fault
from aurora.system.paths.resolve import resolve_inside, resolve_new
from aurora.tools.core import CompactModel, StrictModel
from aurora.tools.text import list_terms, stem_word

from .model import DecompositionIssue, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from aurora.memory import Memory, Node
    from aurora.tools.core import Context
    from aurora.tools.memory.search import FoundChunk

    from .model import Subgoal

_MAX_SHOWN = 3
"""Places listed in one message."""

_MAX_SHOWN_CHARS = 80


class GroundParams(StrictModel):
    """Settings of the groundedness score; see the comments in the workflow."""

    share: float = Field(gt=0, le=1)
    most_places: int = Field(ge=1, le=200)
    read_chars: int = Field(ge=0, le=5_000)
    good_chunk: float = Field(ge=0, le=1)
    creates: str


@dataclass(frozen=True, slots=True)
class Ground:
    """Places of a subgoal: those of `where`, else those that its description mentions.

    Attributes:
        found: places that exist, or that the work creates.
        missing: places that do not exist.
        is_unknown: whether nothing can tell about the places that it names.
    """

    subgoal: Subgoal
    found: tuple[str, ...]
    missing: tuple[str, ...]
    is_unknown: bool


def list_places(subgoals: Sequence[Subgoal]) -> list[str]:
    """List the places that the subgoals name, the claimed ones first."""
    claimed = [place for one in subgoals for place in one.where]
    return [*claimed, *(name for one in subgoals if not one.where for name in list_mentions(one.description))]


def find_grounds(subgoals: Sequence[Subgoal], places: Places, query: str, rule: GroundParams) -> list[Ground]:
    """Find the places of each subgoal that exist, and those that do not."""
    creates = frozenset(stem_word(word.strip()) for word in rule.creates.split(","))
    return [_find_ground(one, places, query, creates) for one in subgoals]


def _find_ground(subgoal: Subgoal, places: Places, query: str, creates: frozenset[str]) -> Ground:
    named = subgoal.where or list_mentions(subgoal.description)
    found = tuple(place for place in named if places.get_status(place) in {"found", "new"})
    missing = tuple(place for place in named if places.get_status(place) == "missing")
    is_new = not creates.isdisjoint(list_terms(subgoal.description))
    if not subgoal.where and not is_new and (lost := tuple(place for place in missing if place in places.no_members)):
        missing, found = lost, tuple(place for place in found if place in places.nodes and places.nodes[place].symbol)
    elif not subgoal.where and (found or is_new):
        missing = ()  # a description may name what it creates, and things of other projects
    if not subgoal.where:
        missing = tuple(place for place in missing if place not in query and not is_slashed_word(place))
    is_unknown = any(places.get_status(place) == "unknown" for place in named) and not found and not missing
    return Ground(subgoal, found, missing, is_unknown)


def score_groundedness(
    grounds: Sequence[Ground], chunks: Sequence[FoundChunk], rule: GroundParams, *, neutral: float
) -> Scored:
    """Score the share of subgoals with a place; a subgoal that only needs others' results needs none.

    Args:
        grounds: the places of each subgoal.
        chunks: retrieved chunks, for the remedy.
        rule: settings of the score.
        neutral: score when nothing is named, and there is nothing to name.
    """
    issues = _find_place_issues(grounds, chunks)
    wrong = {issue.subgoal for issue in issues}
    judged = [one for one in grounds if one.found or one.subgoal.id in wrong or _needs_place(one)] or grounds
    grounded = [one for one in judged if one.found]
    if not grounded and not issues and not any(one.score >= rule.good_chunk for one in chunks):
        return neutral, []
    score = min(1.0, len(grounded) / len(judged) / rule.share)
    if score < 1:
        floating = [one for one in judged if not one.found and not one.missing]
        issues += [_to_floating_issue(one, chunks, fatal=not grounded) for one in floating]
    return score, issues


def _find_place_issues(grounds: Sequence[Ground], chunks: Sequence[FoundChunk]) -> list[DecompositionIssue]:
    """Find places that do not exist; fatal where all of `where` is missing, or at half of the subgoals."""
    lost = [one for one in grounds if one.missing and not one.found]
    is_half = 2 * len(lost) >= len(grounds)
    return [
        _to_place_issue(one, chunks, fatal=one in lost and (is_half or bool(one.subgoal.where)))
        for one in grounds
        if one.missing
    ]


def _needs_place(ground: Ground) -> bool:
    return not ground.is_unknown and not ground.subgoal.depends_on


def _to_place_issue(ground: Ground, chunks: Sequence[FoundChunk], *, fatal: bool) -> DecompositionIssue:
    name = ground.subgoal.id
    lost = ", ".join(f'"{_shorten(place)}"' for place in ground.missing[:_MAX_SHOWN])
    return DecompositionIssue(
        code="unknown_place",
        fatal=fatal,
        subgoal=name,
        message=f'subgoal "{name}" names {lost}, which the project does not have',
        remedy=f'name a place that exists{_suggest(chunks)}, or write "new: PATH" for what it creates',
    )


def _to_floating_issue(ground: Ground, chunks: Sequence[FoundChunk], *, fatal: bool) -> DecompositionIssue:
    name = ground.subgoal.id
    return DecompositionIssue(
        code="ungrounded",
        fatal=fatal,
        subgoal=name,
        message=f'subgoal "{name}" names no file or symbol',
        remedy=f"list them in where{_suggest(chunks)}",
    )


def _suggest(chunks: Sequence[FoundChunk]) -> str:
    paths = list(dict.fromkeys(_shorten(chunk.path) for chunk in chunks if chunk.path))[:2]
    return f" (as {', '.join(chr(34) + path + chr(34) for path in paths)})" if paths else ""


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"


PlaceStatus = Literal["found", "new", "missing", "unknown"]
"""`unknown`: nothing can tell, because the memory has no symbols or too many places were named."""


_MENTION = re.compile(
    r"""
      `(?P<code>[^`\n]{1,200})`
    | (?P<name> (?:[\w@~-][\w.@~-]*/)+[\w.@*-]*                       # a/path, a/folder/
        | [A-Za-z_]\w*(?:(?:\.|::|\#)[A-Za-z_]\w*[!?]?)+              # Class.method, mod::name, file.py
        | [A-Za-z_]\w*(?=\(\)) | [A-Za-z]*_\w+ | [a-z]+[A-Z]\w* | [A-Z]+[a-z]+[A-Z]\w* )
    """,
    re.VERBOSE,
)

_SLASHED = re.compile(r"[\w-]+(?:/[\w-]+)+")
"""Words with a slash in between, such as "and/or", "TCP/IP" and "502/503": a path only if it exists."""

_NEW = re.compile(r"new\s*:\s*", re.IGNORECASE)

_LINES = re.compile(r"(?::\d+(?:-\d+)?|\#L\d+(?:-L?\d+)?)$")

_ARGUMENTS = re.compile(r"\([^()]*\)$")

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")

_IS_DISTINCTIVE = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]|\w_\w")
"""A name of several words is a name of code; a single word may be any word of the language."""

_FILE_ENDINGS = (
    *(".c", ".h", ".cc", ".cpp", ".hpp", ".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".rb", ".rs"),
    *(".go", ".java", ".kt", ".scala", ".swift", ".php", ".cs", ".ex", ".exs", ".lua", ".sh", ".sql", ".html", ".css"),
    *(".md", ".rst", ".txt", ".toml", ".yml", ".yaml", ".json", ".xml", ".ini", ".cfg", ".lock"),
)
"""Ends of file names: "levels.h" is no member of `levels`."""

_MAX_PARTS_WITHOUT_FOLDER = 2


class ResolvedPlace(CompactModel):
    """Named path or symbol: `place` with its lines, or `nearest` when the project does not have it."""

    name: str
    place: str = ""
    nearest: str = ""
    status: PlaceStatus


@dataclass(frozen=True, slots=True)
class Places:
    """Statuses of places by their text, and the first definition of each that was found.

    Attributes:
        resolved: what each place is, in the order of the subgoals.
        no_members: missing places whose owner the indexed text contains, while no text contains the member's name.
    """

    statuses: dict[str, PlaceStatus]
    nodes: dict[str, Node]
    no_members: frozenset[str] = frozenset()
    resolved: tuple[ResolvedPlace, ...] = ()

    def resolve(self, place: str) -> ResolvedPlace | None:
        """Return what a place is; None for one that was not looked up."""
        return next((one for one in self.resolved if one.name == place), None)

    def get_status(self, place: str) -> PlaceStatus:
        """Return the status of a place; `unknown` for one that was not looked up."""
        return self.statuses.get(place, "unknown")


def list_mentions(text: str) -> tuple[str, ...]:
    """List the paths and identifiers that a text mentions."""
    found = (one["code"] or one["name"] for one in _MENTION.finditer(text))
    return tuple(dict.fromkeys(name.strip(".") for name in found if len(name.strip(".")) > 3))  # noqa: PLR2004 - "e.g"


def is_slashed_word(mention: str) -> bool:
    """Return whether a mention may be words with a slash in between as well as a path."""
    name, _, arity = mention.partition("/")
    has_arity = arity.isdecimal() and _IS_DISTINCTIVE.search(name)  # a function of Elixir: handle_in/3
    return not has_arity and _SLASHED.fullmatch(mention) is not None


def resolve_places(places: Iterable[str], chunks: Sequence[FoundChunk], context: Context, most: int) -> Places:
    """Resolve places by the tree, the retrieved chunks and the memory, inherited members included.

    Args:
        places: paths, symbols, ids of chunks, `path:10-20`, `path::symbol`, `new: …`, or a text that mentions some.
        chunks: the chunks that the run retrieved.
        context: project of the call.
        most: places that are looked up; more are `unknown`, as are symbols without an index of the project.
    """
    has_memory = bool(chunks) or context.project.memory.has_been_indexed()
    wanted = list(dict.fromkeys(places))[:most]
    names = {name for chunk in chunks for name in (chunk.id, chunk.path, chunk.symbol, _get_heading(chunk)) if name}
    statuses: dict[str, PlaceStatus] = {}
    nodes: dict[str, Node] = {}
    for place in wanted:
        plain = _strip_place(place)
        if _NEW.match(place.strip()):
            statuses[place] = _check_new(context.root, plain)
        elif plain in names or _exists_in_tree(context.root, plain):
            statuses[place] = "found"
        else:
            statuses[place] = "missing" if has_memory or "/" in plain else "unknown"
    no_members: frozenset[str] = frozenset()
    if has_memory:
        _look_up(statuses, nodes, context.project.memory)
        no_members = _look_up_identifiers(statuses, context.project.memory)
    resolved = tuple(_describe_place(place, status, nodes.get(place), context) for place, status in statuses.items())
    return Places(statuses, nodes, no_members, resolved)


def _describe_place(place: str, status: PlaceStatus, node: Node | None, context: Context) -> ResolvedPlace:
    if node is not None:
        return ResolvedPlace(name=place, place=f"{node.path}:{node.lines}" if node.symbol else node.path, status=status)
    near = ""
    if status == "missing" and "/" not in place:
        near = next(iter(context.project.memory.graph.suggest(_strip_place(place))), "")
    return ResolvedPlace(name=place, nearest=near, status=status)


def _get_heading(chunk: FoundChunk) -> str:
    return chunk.symbol.rpartition(" > ")[2]


def _look_up(statuses: dict[str, PlaceStatus], nodes: dict[str, Node], memory: Memory) -> None:
    """Find the definitions and files of places in the memory."""
    asked = {place: _list_readings(place) for place, status in statuses.items() if status != "new"}
    found = memory.graph.find_each([name for names in asked.values() for name in names])
    for place, names in asked.items():
        if node := next((found[name] for name in names if name in found), None):
            statuses[place], nodes[place] = "found", node


def _look_up_identifiers(statuses: dict[str, PlaceStatus], memory: Memory) -> frozenset[str]:
    """Find the identifiers of missing places in the indexed text, such as a key or an attribute.

    Returns:
        The places of which the text contains the owner, and not the member.
    """
    parts: dict[str, list[str]] = {}
    for place, status in statuses.items():
        is_name = _IS_DISTINCTIVE.search(place) or ("." in place and not place.lower().endswith(_FILE_ENDINGS))
        if status == "missing" and is_name and "/" not in place:
            parts[place] = _IDENTIFIER.findall(_strip_place(place))
    known = memory.find_identifiers([one for some in parts.values() for one in some])
    statuses.update({place: "found" for place, some in parts.items() if known.issuperset(some)})
    owned = ((place, some) for place, some in parts.items() if len(some) > 1)
    return frozenset(place for place, some in owned if known.issuperset(some[:-1]) and some[-1] not in known)


def _list_readings(place: str) -> list[str]:
    """List what may be looked up for a place: itself, without its lines, and the names that it mentions."""
    plain = _strip_place(place)
    mentions = list_mentions(plain) if " " in plain or "," in plain else ()
    return list(dict.fromkeys([plain, *mentions]))


def _strip_place(place: str) -> str:
    plain = _NEW.sub("", place.strip().strip("`'\""), count=1).strip().strip("`'\"")
    plain = _ARGUMENTS.sub("", _LINES.sub("", plain)).removeprefix("./")
    return plain.rstrip("/") or plain


def _exists_in_tree(root: Path, plain: str) -> bool:
    """Return whether the project has a file or folder at this path, or where a pattern with `*` begins."""
    fixed = plain.partition("*")[0]
    if fixed != plain:
        fixed = fixed.rpartition("/")[0]
    if not fixed:
        return False
    try:
        resolve_inside(root, fixed)
    except Fault:
        return False
    return True


def _check_new(root: Path, plain: str) -> PlaceStatus:
    """Check a place that the work creates: a symbol, or a path in a folder that exists."""
    if not plain:
        return "missing"
    if "/" not in plain:
        return "new"
    try:
        real = resolve_new(root, plain)
    except Fault:
        return "missing"
    if len(real.relative_to(root).parts) <= _MAX_PARTS_WITHOUT_FOLDER:
        return "new"
    return "new" if any(folder != root and folder.is_dir() for folder in _list_folders(real, root)) else "missing"


def _list_folders(path: Path, root: Path) -> list[Path]:
    return [folder for folder in path.parents if folder.is_relative_to(root)]
