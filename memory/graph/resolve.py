"""Resolution of a reference to the definitions of its name, each with a confidence and a reason."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.model.graph import IMPLEMENTS, IMPORT, INHERITS, MENTIONS
from aurora.memory.parsing.languages import get_family, load_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from aurora.memory.parsing.languages import ModuleRules, ScopeRules

    ImportTargets = tuple[Sequence["Candidate"], float, str]
    """The definitions that an import may refer to, the confidence, and how they were found."""

SURE, PASSED_ON, UNIQUE, UNKNOWN, EVERYDAY = 1.0, 0.9, 0.8, 0.5, 0.2


MIN_CONFIDENCE = 0.1
"""A guess below this is dropped."""


_MAX_GUESSES = 1 + round(UNIQUE / MIN_CONFIDENCE)
"""With more candidates than this, the name alone gives no guess, even without the definition that refers to it."""

_MAX_TARGETS = 8

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
"""Methods of the languages' own types: a call of such a name seldom refers to the project's."""


class ReferenceQuery(NamedTuple):
    """A reference, and the definition that contains it."""

    kind: int
    name: str
    via: str
    path: str
    symbol: str
    language: str


Edge = tuple[int, float, str]
"""The number of the definition, the confidence, and how it was found."""


def resolve_reference(query: ReferenceQuery, candidates: Candidates, packages: AbstractSet[str]) -> list[Edge]:
    """Resolve a reference to definitions, the surest first; empty when none of the project's is likely.

    Overloads are not told apart: the last represents all of them.

    Args:
        query: the reference.
        candidates: all definitions of its name.
        packages: the folders that are Python packages.
    """
    if query.kind == MENTIONS:
        return _resolve_mention(query, candidates.all)
    family = candidates.select_family(query.language)
    edges = _resolve_by_via(query, family, packages)
    if not family.overloads or _get_scope(query).last_definition_wins:
        return edges
    return [(n, confidence, _add_overloads(how, family.overloads[n])) for n, confidence, how in edges]


def _add_overloads(how: str, count: int) -> str:
    return f"{how}, one of {count} overloads" if count > 1 else how


def _get_scope(query: ReferenceQuery) -> ScopeRules:
    return load_language(query.language).graph.scope


def _get_modules(query: ReferenceQuery) -> ModuleRules:
    return load_language(query.language).graph.modules


def _resolve_by_via(query: ReferenceQuery, family: FamilyCandidates, packages: AbstractSet[str]) -> list[Edge]:
    """Resolve by how the file knows the name."""
    prefix, _, rest = query.via.partition(":")
    if prefix == "in":
        return _resolve_import(query, family, rest, packages)
    # An import without a module that the project could have: the same name elsewhere is chance.
    if query.kind == IMPORT:
        return []
    if prefix == "self":
        return _resolve_on_self(query, family, rest, packages)
    if prefix == "of":
        return _resolve_on_class(query, family, rest, packages)
    return _resolve_on_value(query, family) if prefix == "on" else _resolve_bare(query, family)


def _resolve_on_value(query: ReferenceQuery, family: FamilyCandidates) -> list[Edge]:
    """Guess a member of a value of unknown type."""
    if len(family.members) > _MAX_GUESSES:
        return []
    return _guess_by_name(_exclude_self(family.members, query), EVERYDAY if query.name in _COMMON_METHODS else UNKNOWN)


def _resolve_import(
    query: ReferenceQuery, family: FamilyCandidates, module: str, packages: AbstractSet[str]
) -> list[Edge]:
    """Resolve a name out of a module; the targets are cached for all files with the same import."""
    key = (query.kind == IMPORT, query.language, module)
    if (targets := family.import_cache.get(key)) is None:
        targets = family.import_cache[key] = _find_import_targets(query, family.latest, module, packages)
    found, confidence, how = targets
    return [(each.n, confidence, how) for each in _choose_nearest(found, query)]


def _find_import_targets(
    query: ReferenceQuery, candidates: Sequence[Candidate], module: str, packages: AbstractSet[str]
) -> ImportTargets:
    """Find the targets of an import.

    These are the module itself, a definition in it, a file of that package, or a re-exported definition.
    """
    files = [each for each in candidates if each.kind == "module"]
    if query.kind == IMPORT and not _is_member_import(query, module):
        return _filter_by_module(query, files, module, packages), SURE, "import"
    members = _get_modules(query).exports_members
    tops = [each for each in candidates if each.symbol and (members or _is_top_level(each))]
    if found := _filter_by_module(query, tops, module, packages):
        return found, SURE, "import"
    submodule = f"{module}/{query.name}" if module.startswith("/") else f"{module}.{query.name}"
    if found := _filter_by_module(query, files, submodule, packages):
        return found, SURE, "import"
    reexported = [each for each in tops if _is_in_package(query, module, each.path, packages)]
    # Which of several a package re-exports only its code says.
    return reexported if len(reexported) == 1 else (), PASSED_ON, "import, handed on"


def _filter_by_module(
    query: ReferenceQuery, candidates: Sequence[Candidate], module: str, packages: AbstractSet[str]
) -> list[Candidate]:
    """Return the candidates whose file is the module."""
    matches = _get_modules(query).matches
    return [each for each in candidates if matches(module, each.path, packages)]


def _is_in_package(query: ReferenceQuery, module: str, path: str, packages: AbstractSet[str]) -> bool:
    """Return whether the file lies in the package that the module is, which may re-export its definitions."""
    rules = _get_modules(query)
    folder = posixpath.dirname(path) if rules.reexports else ""
    while folder:
        if rules.matches(module, f"{folder}/__init__.py", packages) or rules.matches(module, f"{folder}.x", packages):
            return True
        folder = posixpath.dirname(folder)
    return False


def _is_member_import(query: ReferenceQuery, module: str) -> bool:
    """Return whether an import takes this name out of the module, and is not of the module itself."""
    last = module.replace("::", "/").strip("/").rpartition("/")[2]
    return query.name not in {last, last.rpartition(".")[2], last.partition(".")[0], last.strip("<>").partition(".")[0]}


def _is_top_level(candidate: Candidate) -> bool:
    return "." not in candidate.symbol


def _resolve_on_self(
    query: ReferenceQuery, family: FamilyCandidates, rest: str, packages: AbstractSet[str]
) -> list[Edge]:
    """Resolve a member of the class around the reference, else of one of its bases."""
    own, _, bases = rest.partition("|")
    if own and (found := _find_own_members(query, family, own)):
        return [(each.n, SURE, "same class") for each in found]
    for base in filter(None, bases.split(",")):
        # Without guesses: the first base that certainly has the member comes before a likely one.
        if inherited := _resolve_on_class(query, family, base, packages, guess=False):
            return [(n, confidence, f"inherited, {how}") for n, confidence, how in inherited]
    return _guess_by_name(family.members, UNKNOWN) if bases else []


def _find_own_members(query: ReferenceQuery, family: FamilyCandidates, owner: str) -> Sequence[Candidate]:
    """Find members of the class in its file, else in its folder where the language allows that."""
    if found := _filter_members(family, owner, lambda each: each.path == query.path):
        return found
    if not _get_scope(query).classes_span_files:
        return ()
    folder = posixpath.dirname(query.path)
    return _filter_members(family, owner, lambda each: posixpath.dirname(each.path) == folder)[:_MAX_TARGETS]


def _resolve_on_class(
    query: ReferenceQuery, family: FamilyCandidates, rest: str, packages: AbstractSet[str], *, guess: bool = True
) -> list[Edge]:
    """Resolve a member of a class that is known by its name, and maybe by the module it was imported from."""
    owner, _, module = rest.partition("@")
    if module:
        return _resolve_on_import(query, family, owner, module, packages)
    if found := _filter_members(family, owner, lambda each: each.path == query.path):
        return [(each.n, SURE, "same file") for each in found]
    folder = posixpath.dirname(query.path)
    near = _filter_members(family, owner, lambda each: posixpath.dirname(each.path) == folder)
    if near and _get_scope(query).folder_is_scope:
        return [(each.n, SURE, "same package") for each in near[:_MAX_TARGETS]]
    anywhere = family.list_members(owner)
    return _guess_by_name(anywhere, UNIQUE) if anywhere or not guess else []


def _resolve_on_import(
    query: ReferenceQuery, family: FamilyCandidates, owner: str, module: str, packages: AbstractSet[str]
) -> list[Edge]:
    """Resolve a member of an imported class, defined in the module or re-exported by it."""
    matches = _get_modules(query).matches
    if found := _filter_members(family, owner, lambda each: matches(module, each.path, packages)):
        return [(each.n, SURE, "import") for each in found[:_MAX_TARGETS]]
    reexported = _filter_members(family, owner, lambda each: _is_in_package(query, module, each.path, packages))
    return [(each.n, PASSED_ON, "import, handed on") for each in reexported[:_MAX_TARGETS]]


def _filter_members(family: FamilyCandidates, owner: str, wanted: Callable[[Candidate], bool]) -> list[Candidate]:
    return [each for each in family.list_members(owner) if wanted(each)]


def _resolve_bare(query: ReferenceQuery, family: FamilyCandidates) -> list[Edge]:
    """Resolve a bare name: in its class where the language allows that, in its file, its folder, anywhere."""
    scope = _get_scope(query)
    wants_type = query.kind in {INHERITS, IMPLEMENTS}
    here = [each for each in family.list_in_file(query.path) if each.symbol and (_is_type(each) or not wants_type)]
    if here and (found := _find_in_scope(query, family.latest, here)):
        return [(each.n, SURE, "same file") for each in found[:_MAX_TARGETS]]
    if scope.outside_needs_import and not scope.folder_is_scope:
        return []
    members = scope.members_are_visible
    folders = family.group_by_folder(
        (members, wants_type), lambda each: _is_bare_visible(each, members=members, wants_type=wants_type)
    )
    if scope.folder_is_scope and (near := folders.get(posixpath.dirname(query.path))):
        return [(each.n, SURE / len(near), "same package") for each in near[:_MAX_TARGETS]]
    if scope.outside_needs_import or sum(map(len, folders.values())) > _MAX_GUESSES:
        return []
    return _guess_by_name([each for group in folders.values() for each in group], UNIQUE)


def _is_bare_visible(candidate: Candidate, *, members: bool, wants_type: bool) -> bool:
    """Return whether a bare name in another file may refer to the candidate."""
    if not candidate.symbol:
        return False
    return _is_type(candidate) or (not wants_type and (members or _is_top_level(candidate)))


def _find_in_scope(
    query: ReferenceQuery, candidates: Sequence[Candidate], here: Sequence[Candidate]
) -> list[Candidate]:
    """Find the candidates of a file in the innermost scope of the reference.

    Without any in a definition around the reference, return those at the top of the file.
    """
    holders = query.symbol.split(".")
    for depth in range(len(holders), 0, -1):
        inner = ".".join([*holders[:depth], query.name])
        found = [each for each in here if each.symbol == inner]
        # In Java a bare name may be a method of the class around it; in Python it never is.
        if found and (_get_scope(query).self_is_implicit or not _has_method(candidates, inner)):
            return found
    return [each for each in here if _is_top_level(each)]


def _has_method(candidates: Sequence[Candidate], symbol: str) -> bool:
    return any(each.symbol == symbol and each.kind == "method" for each in candidates)


def _exclude_self(candidates: Sequence[Candidate], query: ReferenceQuery) -> list[Candidate]:
    """Exclude the referring definition.

    `self.router.route()` in `App.route` delegates, and seldom calls itself.
    """
    return [each for each in candidates if (each.path, each.symbol) != (query.path, query.symbol)]


def _is_type(candidate: Candidate) -> bool:
    return candidate.kind in _TYPE_KINDS


def _resolve_mention(query: ReferenceQuery, candidates: Sequence[Candidate]) -> list[Edge]:
    """Resolve a name in running text.

    A qualified name must match; another is searched in its own file first, then everywhere if few definitions have it.
    """
    prefix = query.via.partition(":")[2]
    code = [each for each in candidates if each.symbol and each.kind != "section"]
    others = _exclude_self(code, query)
    if prefix:
        return _resolve_qualified_name(f".{prefix}.{query.name}", others)
    if len(others) < len(code):
        return []  # a text about `fragment` in `fragment` refers to itself
    is_distinctive = "_" in query.name or not query.name.islower()
    if found := [each for each in others if each.path == query.path]:
        confidence = SURE if is_distinctive else UNKNOWN  # `path` is more often an argument than a function
        return [(each.n, confidence / len(found), "same file") for each in found[:_MAX_TARGETS]]
    return _guess_by_name(others, UNIQUE if is_distinctive else UNKNOWN)


def _resolve_qualified_name(suffix: str, candidates: Sequence[Candidate]) -> list[Edge]:
    found = [each for each in candidates if f".{each.symbol}".endswith(suffix)]
    return [(each.n, PASSED_ON, "qualified name") for each in found[:_MAX_TARGETS]]


def _choose_nearest(candidates: Sequence[Candidate], query: ReferenceQuery) -> Sequence[Candidate]:
    """Choose the candidates of one file: the file whose path shares most with the reference's."""
    if len(candidates) <= 1:
        return candidates
    best = max(
        candidates, key=lambda each: (len(posixpath.commonpath([f"/{each.path}", f"/{query.path}"])), -len(each.path))
    )
    return [each for each in candidates if each.path == best.path][:_MAX_TARGETS]


def _guess_by_name(candidates: Sequence[Candidate], confidence: float) -> list[Edge]:
    """Guess by the name alone: a unique name has the full confidence, several candidates share it."""
    if not candidates:
        return []
    if len(candidates) == 1:
        return [(candidates[0].n, confidence, "unique name")]
    share = confidence / len(candidates)
    how = f"name only, {len(candidates)} candidates"
    return [(each.n, share, how) for each in candidates] if share >= MIN_CONFIDENCE else []


class Candidate(NamedTuple):
    """A definition of the name."""

    n: int
    path: str
    symbol: str
    kind: str
    language: str


class FamilyCandidates:
    """The candidates in languages that call each other.

    Attributes:
        latest: the last candidate of each symbol of a file.
        members: the latest candidates inside another definition.
        overloads: how many candidates the latest one represents, by its number; empty when all are unique.
        import_cache: the targets of each import by kind, language and module: they are the same in every file.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.latest: Sequence[Candidate] = candidates
        self.overloads: dict[int, int] = {}
        if len(candidates) > 1:
            self.latest = list({(each.path, each.symbol): each for each in candidates}.values())
        if len(self.latest) < len(candidates):
            counts = Counter((each.path, each.symbol) for each in candidates)
            self.overloads = {each.n: counts[each.path, each.symbol] for each in self.latest}
        self.members = [each for each in self.latest if "." in each.symbol]
        self.import_cache: dict[tuple[bool, str, str], ImportTargets] = {}
        self._by_owner: dict[str, list[Candidate]] = {}
        self._by_folder: dict[tuple[bool, bool], dict[str, list[Candidate]]] = {}
        self._by_file: dict[str, list[Candidate]] = {}

    def list_members(self, owner: str) -> Sequence[Candidate]:
        """List the members of an owner with this name, at any depth."""
        if not self._by_owner:
            for each in self.members:
                for holder in dict.fromkeys(each.symbol.split(".")[:-1]):
                    self._by_owner.setdefault(holder, []).append(each)
        return self._by_owner.get(owner.rpartition(".")[2], ())

    def list_in_file(self, path: str) -> Sequence[Candidate]:
        """List the candidates in a file."""
        if not self._by_file:
            for each in self.latest:
                self._by_file.setdefault(each.path, []).append(each)
        return self._by_file.get(path, ())

    def group_by_folder(
        self, key: tuple[bool, bool], fits: Callable[[Candidate], bool]
    ) -> Mapping[str, Sequence[Candidate]]:
        """Group the candidates that fit by folder; computed once for each key."""
        if key not in self._by_folder:
            groups = self._by_folder[key] = {}
            for each in filter(fits, self.latest):
                groups.setdefault(posixpath.dirname(each.path), []).append(each)
        return self._by_folder[key]


class Candidates:
    """All definitions of one name; of several with one symbol in a file, the one that counts comes last."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.all = candidates
        self._families: dict[str, FamilyCandidates] = {}

    def select_family(self, language: str) -> FamilyCandidates:
        """Select the candidates that a reference in this language may refer to."""
        family = get_family(language)
        if (known := self._families.get(family)) is None:
            candidates = [each for each in self.all if get_family(each.language) == family]
            known = self._families[family] = FamilyCandidates(candidates)
        return known
