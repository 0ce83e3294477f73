"""Candidates: the definitions of one name, grouped once for all references to it."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.parsing.languages import get_family

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    ImportTargets = tuple[Sequence["Candidate"], float, str]
    """The definitions that an import may refer to, the confidence, and how they were found."""


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
