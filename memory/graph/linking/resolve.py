"""What a reference means: the definitions of its name, the likely ones with how sure we are and why.

A reference is judged by what its own file says of it and by the definitions that bear its name, and by nothing else.
So a change can only matter to the references of a name that was defined before or after it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.graph.extract.modules import SCRIPTS, fits, within
from aurora.memory.model.symbols import IMPLEMENTS, IMPORT, INHERITS, MENTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from .candidates import Bearers, Candidate, Kin, Meant

SURE, PASSED_ON, UNIQUE, UNKNOWN, EVERYDAY = 1.0, 0.9, 0.8, 0.5, 0.2
FLOOR = 0.1
"""A guess below this is none."""

_FEW = 1 + round(UNIQUE / FLOOR)
"""When more than these bear a name, it tells nothing even without the one that asks; they need not be looked at."""

_MOST = 8
_FOLDER_IS_SCOPE = frozenset({"go", "java", "csharp"})
_NO_OUTSIDE = frozenset({"python", "go", "rust", *SCRIPTS})
"""Where a bare name is defined in its file (for Go in its folder) or imported, or it is not ours at all."""
_MEMBERS_ARE_FREE = frozenset({"cpp", "csharp", "ruby"})
"""Where what is defined inside something may be known by its bare name elsewhere."""
_BARE_MEMBERS = frozenset({"java", "csharp", "cpp", "ruby"})
"""Where a method is called on the object itself without saying so."""
_TAKES_PLACE = frozenset({"python", "ruby", *SCRIPTS})
"""Where a second definition of a name takes the place of the first; elsewhere the two may be overloads."""
_TYPES = frozenset({"class", "struct", "interface", "trait", "record", "enum", "union", "type", "impl", "module"})
# fmt: off
_DAILY = frozenset(
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


class Asked(NamedTuple):
    """A reference, and the definition that it stands in."""

    kind: int
    name: str
    via: str
    path: str
    symbol: str
    language: str


Edge = tuple[int, float, str]
"""The number of the definition that is meant, the confidence in it, and how it was found."""


def resolve(asked: Asked, named: Bearers, packages: AbstractSet[str]) -> list[Edge]:
    """The definitions that are meant, the surest first; empty when it is none of the project's, or nobody can say.

    Which of several overloads is meant is not found out: the last stands for all of them.

    Args:
        asked: the reference.
        named: all definitions of its name.
        packages: the folders that are packages of Python.
    """
    if asked.kind == MENTIONS:
        return _mentioned(asked, named.all)
    kin = named.kin(asked.language)
    found = _followed(asked, kin, packages)
    if not kin.overloads or asked.language in _TAKES_PLACE:
        return found
    count = kin.overloads
    return [(n, sure, f"{how}, one of {count[n]} overloads" if count[n] > 1 else how) for n, sure, how in found]


def _followed(asked: Asked, ours: Kin, packages: AbstractSet[str]) -> list[Edge]:
    """The way by which the file knows the name."""
    way, _, rest = asked.via.partition(":")
    if way == "in":
        return _imported(asked, ours, rest, packages)
    if asked.kind == IMPORT:
        return []
    if way == "self":
        return _on_itself(asked, ours, rest, packages)
    if way == "of":
        return _of_class(asked, ours, rest, packages)
    if way == "on":
        return [] if len(ours.members) > _FEW else _guessed(_others(ours.members, asked), _trust(asked.name))
    return _bare(asked, ours)


def _imported(asked: Asked, ours: Kin, module: str, packages: AbstractSet[str]) -> list[Edge]:
    """Out of a module; looked for once for all the files that import the same."""
    key = (asked.kind == IMPORT, asked.language, module)
    if (meant := ours.imported.get(key)) is None:
        meant = ours.imported[key] = _meant(asked, ours.last, module, packages)
    found, sure, how = meant
    return [(each.n, sure, how) for each in _nearest(found, asked)]


def _meant(asked: Asked, ours: Sequence[Candidate], module: str, packages: AbstractSet[str]) -> Meant:
    """What the import may mean: what is defined in the module, a file of that package, or what it hands on."""
    language = asked.language
    files = [each for each in ours if each.kind == "module"]
    if asked.kind == IMPORT and not _takes(asked, module):
        return [each for each in files if fits(language, module, each.path, packages)], SURE, "import"
    tops = [each for each in ours if each.symbol and _top(each)]
    if found := [each for each in tops if fits(language, module, each.path, packages)]:
        return found, SURE, "import"
    inner = f"{module}/{asked.name}" if module.startswith("/") else f"{module}.{asked.name}"
    if found := [each for each in files if fits(language, inner, each.path, packages)]:
        return found, SURE, "import"
    handed = [each for each in tops if within(language, module, each.path, packages)]
    return handed if len(handed) == 1 else (), PASSED_ON, "import, handed on"


def _takes(asked: Asked, module: str) -> bool:
    """Whether an import takes this name out of the module, and is not of the module itself."""
    last = module.replace("::", "/").strip("/").rpartition("/")[2]
    return asked.name not in {last, last.rpartition(".")[2], last.partition(".")[0], last.strip("<>").partition(".")[0]}


def _top(each: Candidate) -> bool:
    return "." not in each.symbol


def _on_itself(asked: Asked, ours: Kin, rest: str, packages: AbstractSet[str]) -> list[Edge]:
    """A member of the class around it, else of one of its bases."""
    own, _, bases = rest.partition("|")
    if own and (found := _members(ours, own, lambda each: each.path == asked.path)):
        return [(each.n, SURE, "same class") for each in found]
    if own and asked.language in {"go", "rust", "cpp", "csharp", "ruby"}:
        elsewhere = _members(ours, own, lambda each: posixpath.dirname(each.path) == posixpath.dirname(asked.path))
        if elsewhere:
            return [(each.n, SURE, "same class") for each in elsewhere[:_MOST]]
    for base in filter(None, bases.split(",")):
        if above := _of_class(asked, ours, base, packages, guess=False):
            return [(n, confidence, f"inherited, {how}") for n, confidence, how in above]
    return _guessed(ours.members, UNKNOWN) if bases else []


def _of_class(asked: Asked, ours: Kin, rest: str, packages: AbstractSet[str], *, guess: bool = True) -> list[Edge]:
    """A member of a class that is known by its name, and maybe by the module it was imported from."""
    owner, _, module = rest.partition("@")
    if module:
        if found := _members(ours, owner, lambda each: fits(asked.language, module, each.path, packages)):
            return [(each.n, SURE, "import") for each in found[:_MOST]]
        handed = _members(ours, owner, lambda each: within(asked.language, module, each.path, packages))
        return [(each.n, PASSED_ON, "import, handed on") for each in handed[:_MOST]]
    if found := _members(ours, owner, lambda each: each.path == asked.path):
        return [(each.n, SURE, "same file") for each in found]
    folder = posixpath.dirname(asked.path)
    near = _members(ours, owner, lambda each: posixpath.dirname(each.path) == folder)
    if near and asked.language in _FOLDER_IS_SCOPE:
        return [(each.n, SURE, "same package") for each in near[:_MOST]]
    anywhere = _members(ours, owner, lambda _each: True)
    return _guessed(anywhere, UNIQUE) if anywhere or not guess else []


def _members(ours: Kin, owner: str, wanted: Callable[[Candidate], bool]) -> list[Candidate]:
    return [each for each in ours.of_owner(owner) if wanted(each)]


def _bare(asked: Asked, ours: Kin) -> list[Edge]:
    """A name with nothing before it: in its class where the language allows that, in its file, its folder, anywhere."""
    wants_type = asked.kind in {INHERITS, IMPLEMENTS}
    here = [each for each in ours.in_file(asked.path) if each.symbol and (_is_type(each) or not wants_type)]
    if here and (found := _in_scope(asked, ours.last, here)):
        return [(each.n, SURE, "same file") for each in found[:_MOST]]
    if asked.language in _NO_OUTSIDE and asked.language not in _FOLDER_IS_SCOPE:
        return []
    loose = asked.language in _MEMBERS_ARE_FREE
    free = ours.free((loose, wants_type), lambda each: _is_free(each, loose=loose, wants_type=wants_type))
    if asked.language in _FOLDER_IS_SCOPE and (near := free.get(posixpath.dirname(asked.path))):
        return [(each.n, SURE / len(near), "same package") for each in near[:_MOST]]
    if asked.language in _NO_OUTSIDE or sum(map(len, free.values())) > _FEW:
        return []
    return _guessed([each for some in free.values() for each in some], UNIQUE)


def _is_free(each: Candidate, *, loose: bool, wants_type: bool) -> bool:
    """Whether a bare name elsewhere may mean this."""
    return bool(each.symbol) and (_is_type(each) or (not wants_type and (loose or _top(each))))


def _in_scope(asked: Asked, ours: Sequence[Candidate], here: Sequence[Candidate]) -> list[Candidate]:
    """Of those in its file the one that the innermost definition around it holds, else those that nothing holds."""
    holders = asked.symbol.split(".")
    for depth in range(len(holders), 0, -1):
        inner = ".".join([*holders[:depth], asked.name])
        found = [each for each in here if each.symbol == inner]
        if found and (asked.language in _BARE_MEMBERS or not _has_method(ours, inner)):
            return found
    return [each for each in here if _top(each)]


def _has_method(ours: Sequence[Candidate], symbol: str) -> bool:
    return any(each.symbol == symbol and each.kind == "method" for each in ours)


def _others(found: Sequence[Candidate], asked: Asked) -> list[Candidate]:
    """Without the asking definition itself: `self.router.route()` in `App.route` hands on, and seldom calls itself."""
    return [each for each in found if (each.path, each.symbol) != (asked.path, asked.symbol)]


def _is_type(each: Candidate) -> bool:
    return each.kind in _TYPES


def _mentioned(asked: Asked, named: Sequence[Candidate]) -> list[Edge]:
    """A name in running text: of its own file first, by its qualified name next, else only where few bear it."""
    prefix = asked.via.partition(":")[2]
    ours = [each for each in named if each.symbol and each.kind != "section"]
    others = _others(ours, asked)
    if prefix:
        whole = f".{prefix}.{asked.name}"
        return [(each.n, PASSED_ON, "qualified name") for each in others if f".{each.symbol}".endswith(whole)][:_MOST]
    if len(others) < len(ours):
        return []  # a text about `fragment` in `fragment` speaks of itself
    is_telling = "_" in asked.name or not asked.name.islower()
    if found := [each for each in others if each.path == asked.path]:
        sure = SURE if is_telling else UNKNOWN  # `path` is more often an argument than the function of that name
        return [(each.n, sure / len(found), "same file") for each in found[:_MOST]]
    return _guessed(others, UNIQUE if is_telling else UNKNOWN)


def _nearest(found: Sequence[Candidate], asked: Asked) -> Sequence[Candidate]:
    """The candidates of one file; among several files, that which shares the longest way with the asking one."""
    if len(found) < 2:  # noqa: PLR2004 - one has no other beside it
        return found
    best = max(
        found, key=lambda each: (len(posixpath.commonpath([f"/{each.path}", f"/{asked.path}"])), -len(each.path))
    )
    return [each for each in found if each.path == best.path][:_MOST]


def _trust(name: str) -> float:
    return EVERYDAY if name in _DAILY else UNKNOWN


def _guessed(found: Sequence[Candidate], trust: float) -> list[Edge]:
    """By the name alone: what is unique is trusted most, what many bear is not told at all."""
    if not found:
        return []
    if len(found) == 1:
        return [(found[0].n, trust, "unique name")]
    each = trust / len(found)
    how = f"name only, {len(found)} candidates"
    return [(one.n, each, how) for one in found] if each >= FLOOR else []
