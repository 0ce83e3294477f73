"""What a reference means: the definitions of its name, the likely ones with how sure we are and why.

A reference is judged by what its own file says of it and by the definitions that bear its name, and by nothing else.
So a change can only matter to the references of a name that was defined before or after it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.graph.extract import SCRIPT_LANGUAGES, is_in_package, is_module_at
from aurora.memory.model import IMPLEMENTS, IMPORT, INHERITS, MENTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from .candidates import Candidate, Candidates, FamilyCandidates, Meant

SURE, PASSED_ON, UNIQUE, UNKNOWN, EVERYDAY = 1.0, 0.9, 0.8, 0.5, 0.2
MIN_CONFIDENCE = 0.1
"""A guess below this is none."""

_MAX_GUESSES = 1 + round(UNIQUE / MIN_CONFIDENCE)
"""When more than these bear a name, it tells nothing even without the one that asks; they need not be looked at."""

_MAX_TARGETS = 8
_FOLDER_IS_SCOPE = frozenset({"go", "java", "csharp"})
_NO_OUTSIDE = frozenset({"python", "go", "rust", *SCRIPT_LANGUAGES})
"""Where a bare name is defined in its file (for Go in its folder) or imported, or it is not ours at all."""
_MEMBERS_ARE_FREE = frozenset({"cpp", "csharp", "ruby"})
"""Where what is defined inside something may be known by its bare name elsewhere."""
_BARE_MEMBERS = frozenset({"java", "csharp", "cpp", "ruby"})
"""Where a method is called on the object itself without saying so."""
_TAKES_PLACE = frozenset({"python", "ruby", *SCRIPT_LANGUAGES})
"""Where a second definition of a name takes the place of the first; elsewhere the two may be overloads."""
_TYPE_KINDS = frozenset({"class", "struct", "interface", "trait", "record", "enum", "union", "type", "impl", "module"})
# fmt: off
_COMMON_METHODS = frozenset(
    {
        "add", "all", "any", "append", "apply", "call", "clear", "close", "contains", "copy", "count", "decode",
        "delete", "each", "emit", "encode", "end", "endswith", "equals", "extend", "filter", "find", "first",
        "flush", "forEach", "format", "get", "getattr", "group", "has", "hash", "index", "insert", "isEmpty",
        "items", "iter", "join", "keys", "last", "length", "list", "lower", "map", "match", "next", "open",
        "pop", "push", "put", "read", "remove", "replace", "reset", "search", "set", "size", "sort", "split",
        "start", "startswith", "stop", "strip", "sub", "then", "toString", "trim", "update", "upper", "values",
        "wait", "write",
    }
)
# fmt: on
"""Methods that every language's own types have: one of ours by that name is seldom meant."""


class ReferenceQuery(NamedTuple):
    """A reference, and the definition that it stands in."""

    kind: int
    name: str
    via: str
    path: str
    symbol: str
    language: str


Edge = tuple[int, float, str]
"""The number of the definition that is meant, the confidence in it, and how it was found."""


def resolve_reference(asked: ReferenceQuery, named: Candidates, packages: AbstractSet[str]) -> list[Edge]:
    """The definitions that are meant, the surest first; empty when it is none of the project's, or nobody can say.

    Which of several overloads is meant is not found out: the last stands for all of them.

    Args:
        asked: the reference.
        named: all definitions of its name.
        packages: the folders that are packages of Python.
    """
    if asked.kind == MENTIONS:
        return _resolve_mention(asked, named.all)
    kin = named.select_family(asked.language)
    found = _resolve_by_via(asked, kin, packages)
    if not kin.overloads or asked.language in _TAKES_PLACE:
        return found
    count = kin.overloads
    return [(n, sure, f"{how}, one of {count[n]} overloads" if count[n] > 1 else how) for n, sure, how in found]


def _resolve_by_via(asked: ReferenceQuery, ours: FamilyCandidates, packages: AbstractSet[str]) -> list[Edge]:
    """The way by which the file knows the name."""
    way, _, rest = asked.via.partition(":")
    if way == "in":
        return _resolve_import(asked, ours, rest, packages)
    if asked.kind == IMPORT:
        return []
    if way == "self":
        return _resolve_on_self(asked, ours, rest, packages)
    if way == "of":
        return _resolve_on_class(asked, ours, rest, packages)
    if way == "on":
        return (
            []
            if len(ours.members) > _MAX_GUESSES
            else _guess_by_name(_exclude_self(ours.members, asked), _rate_name(asked.name))
        )
    return _resolve_bare(asked, ours)


def _resolve_import(
    asked: ReferenceQuery, ours: FamilyCandidates, module: str, packages: AbstractSet[str]
) -> list[Edge]:
    """Out of a module; looked for once for all the files that import the same."""
    key = (asked.kind == IMPORT, asked.language, module)
    if (meant := ours.import_cache.get(key)) is None:
        meant = ours.import_cache[key] = _find_import_targets(asked, ours.latest, module, packages)
    found, sure, how = meant
    return [(each.n, sure, how) for each in _choose_nearest(found, asked)]


def _find_import_targets(
    asked: ReferenceQuery, ours: Sequence[Candidate], module: str, packages: AbstractSet[str]
) -> Meant:
    """What the import may mean: what is defined in the module, a file of that package, or what it hands on."""
    language = asked.language
    files = [each for each in ours if each.kind == "module"]
    if asked.kind == IMPORT and not _is_member_import(asked, module):
        return [each for each in files if is_module_at(language, module, each.path, packages)], SURE, "import"
    tops = [each for each in ours if each.symbol and _is_top_level(each)]
    if found := [each for each in tops if is_module_at(language, module, each.path, packages)]:
        return found, SURE, "import"
    inner = f"{module}/{asked.name}" if module.startswith("/") else f"{module}.{asked.name}"
    if found := [each for each in files if is_module_at(language, inner, each.path, packages)]:
        return found, SURE, "import"
    handed = [each for each in tops if is_in_package(language, module, each.path, packages)]
    return handed if len(handed) == 1 else (), PASSED_ON, "import, handed on"


def _is_member_import(asked: ReferenceQuery, module: str) -> bool:
    """Whether an import takes this name out of the module, and is not of the module itself."""
    last = module.replace("::", "/").strip("/").rpartition("/")[2]
    return asked.name not in {last, last.rpartition(".")[2], last.partition(".")[0], last.strip("<>").partition(".")[0]}


def _is_top_level(each: Candidate) -> bool:
    return "." not in each.symbol


def _resolve_on_self(
    asked: ReferenceQuery, ours: FamilyCandidates, rest: str, packages: AbstractSet[str]
) -> list[Edge]:
    """A member of the class around it, else of one of its bases."""
    own, _, bases = rest.partition("|")
    if own and (found := _filter_members(ours, own, lambda each: each.path == asked.path)):
        return [(each.n, SURE, "same class") for each in found]
    if own and asked.language in {"go", "rust", "cpp", "csharp", "ruby"}:
        elsewhere = _filter_members(
            ours, own, lambda each: posixpath.dirname(each.path) == posixpath.dirname(asked.path)
        )
        if elsewhere:
            return [(each.n, SURE, "same class") for each in elsewhere[:_MAX_TARGETS]]
    for base in filter(None, bases.split(",")):
        if above := _resolve_on_class(asked, ours, base, packages, guess=False):
            return [(n, confidence, f"inherited, {how}") for n, confidence, how in above]
    return _guess_by_name(ours.members, UNKNOWN) if bases else []


def _resolve_on_class(
    asked: ReferenceQuery, ours: FamilyCandidates, rest: str, packages: AbstractSet[str], *, guess: bool = True
) -> list[Edge]:
    """A member of a class that is known by its name, and maybe by the module it was imported from."""
    owner, _, module = rest.partition("@")
    if module:
        if found := _filter_members(
            ours, owner, lambda each: is_module_at(asked.language, module, each.path, packages)
        ):
            return [(each.n, SURE, "import") for each in found[:_MAX_TARGETS]]
        handed = _filter_members(ours, owner, lambda each: is_in_package(asked.language, module, each.path, packages))
        return [(each.n, PASSED_ON, "import, handed on") for each in handed[:_MAX_TARGETS]]
    if found := _filter_members(ours, owner, lambda each: each.path == asked.path):
        return [(each.n, SURE, "same file") for each in found]
    folder = posixpath.dirname(asked.path)
    near = _filter_members(ours, owner, lambda each: posixpath.dirname(each.path) == folder)
    if near and asked.language in _FOLDER_IS_SCOPE:
        return [(each.n, SURE, "same package") for each in near[:_MAX_TARGETS]]
    anywhere = _filter_members(ours, owner, lambda _each: True)
    return _guess_by_name(anywhere, UNIQUE) if anywhere or not guess else []


def _filter_members(ours: FamilyCandidates, owner: str, wanted: Callable[[Candidate], bool]) -> list[Candidate]:
    return [each for each in ours.list_members(owner) if wanted(each)]


def _resolve_bare(asked: ReferenceQuery, ours: FamilyCandidates) -> list[Edge]:
    """A name with nothing before it: in its class where the language allows that, in its file, its folder, anywhere."""
    wants_type = asked.kind in {INHERITS, IMPLEMENTS}
    here = [each for each in ours.list_in_file(asked.path) if each.symbol and (_is_type(each) or not wants_type)]
    if here and (found := _find_in_scope(asked, ours.latest, here)):
        return [(each.n, SURE, "same file") for each in found[:_MAX_TARGETS]]
    if asked.language in _NO_OUTSIDE and asked.language not in _FOLDER_IS_SCOPE:
        return []
    loose = asked.language in _MEMBERS_ARE_FREE
    free = ours.group_by_folder(
        (loose, wants_type), lambda each: _is_bare_visible(each, loose=loose, wants_type=wants_type)
    )
    if asked.language in _FOLDER_IS_SCOPE and (near := free.get(posixpath.dirname(asked.path))):
        return [(each.n, SURE / len(near), "same package") for each in near[:_MAX_TARGETS]]
    if asked.language in _NO_OUTSIDE or sum(map(len, free.values())) > _MAX_GUESSES:
        return []
    return _guess_by_name([each for some in free.values() for each in some], UNIQUE)


def _is_bare_visible(each: Candidate, *, loose: bool, wants_type: bool) -> bool:
    """Whether a bare name elsewhere may mean this."""
    return bool(each.symbol) and (_is_type(each) or (not wants_type and (loose or _is_top_level(each))))


def _find_in_scope(asked: ReferenceQuery, ours: Sequence[Candidate], here: Sequence[Candidate]) -> list[Candidate]:
    """Of those in its file the one that the innermost definition around it holds, else those that nothing holds."""
    holders = asked.symbol.split(".")
    for depth in range(len(holders), 0, -1):
        inner = ".".join([*holders[:depth], asked.name])
        found = [each for each in here if each.symbol == inner]
        if found and (asked.language in _BARE_MEMBERS or not _has_method(ours, inner)):
            return found
    return [each for each in here if _is_top_level(each)]


def _has_method(ours: Sequence[Candidate], symbol: str) -> bool:
    return any(each.symbol == symbol and each.kind == "method" for each in ours)


def _exclude_self(found: Sequence[Candidate], asked: ReferenceQuery) -> list[Candidate]:
    """Without the asking definition itself: `self.router.route()` in `App.route` hands on, and seldom calls itself."""
    return [each for each in found if (each.path, each.symbol) != (asked.path, asked.symbol)]


def _is_type(each: Candidate) -> bool:
    return each.kind in _TYPE_KINDS


def _resolve_mention(asked: ReferenceQuery, named: Sequence[Candidate]) -> list[Edge]:
    """A name in running text: of its own file first, by its qualified name next, else only where few bear it."""
    prefix = asked.via.partition(":")[2]
    ours = [each for each in named if each.symbol and each.kind != "section"]
    others = _exclude_self(ours, asked)
    if prefix:
        whole = f".{prefix}.{asked.name}"
        return [(each.n, PASSED_ON, "qualified name") for each in others if f".{each.symbol}".endswith(whole)][
            :_MAX_TARGETS
        ]
    if len(others) < len(ours):
        return []  # a text about `fragment` in `fragment` speaks of itself
    is_telling = "_" in asked.name or not asked.name.islower()
    if found := [each for each in others if each.path == asked.path]:
        sure = SURE if is_telling else UNKNOWN  # `path` is more often an argument than the function of that name
        return [(each.n, sure / len(found), "same file") for each in found[:_MAX_TARGETS]]
    return _guess_by_name(others, UNIQUE if is_telling else UNKNOWN)


def _choose_nearest(found: Sequence[Candidate], asked: ReferenceQuery) -> Sequence[Candidate]:
    """The candidates of one file; among several files, that which shares the longest way with the asking one."""
    if len(found) < 2:  # noqa: PLR2004 - one has no other beside it
        return found
    best = max(
        found, key=lambda each: (len(posixpath.commonpath([f"/{each.path}", f"/{asked.path}"])), -len(each.path))
    )
    return [each for each in found if each.path == best.path][:_MAX_TARGETS]


def _rate_name(name: str) -> float:
    return EVERYDAY if name in _COMMON_METHODS else UNKNOWN


def _guess_by_name(found: Sequence[Candidate], trust: float) -> list[Edge]:
    """By the name alone: what is unique is trusted most, what many bear is not told at all."""
    if not found:
        return []
    if len(found) == 1:
        return [(found[0].n, trust, "unique name")]
    each = trust / len(found)
    how = f"name only, {len(found)} candidates"
    return [(one.n, each, how) for one in found] if each >= MIN_CONFIDENCE else []
