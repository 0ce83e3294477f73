"""The definitions that bear one name, sorted once for all the references to it."""

from __future__ import annotations

import posixpath
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Meant = tuple[Sequence["Candidate"], float, str]
    """The definitions that an import may mean, the confidence in that, and how they were found."""

_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}
"""Languages that call another one's definitions."""


class Candidate(NamedTuple):
    """A definition that bears the name."""

    n: int
    path: str
    symbol: str
    kind: str
    language: str


class FamilyCandidates:
    """Those in languages that call each other.

    Attributes:
        last: of those in one file that are called the same, the last.
        members: of these the ones inside something.
        overloads: how many the last one stands for, by its number; empty when nowhere more than one.
        imported: what each import was found to mean, by its kind and module, for it means the same in every file.
    """

    def __init__(self, ours: Sequence[Candidate]) -> None:
        self.latest: Sequence[Candidate] = ours
        self.overloads: dict[int, int] = {}
        if len(ours) > 1:
            self.latest = list({(each.path, each.symbol): each for each in ours}.values())
        if len(self.latest) < len(ours):
            same = Counter((each.path, each.symbol) for each in ours)
            self.overloads = {each.n: same[each.path, each.symbol] for each in self.latest}
        self.members = [each for each in self.latest if "." in each.symbol]
        self.import_cache: dict[tuple[bool, str, str], Meant] = {}
        self._by_owner: dict[str, list[Candidate]] = {}
        self._by_folder: dict[tuple[bool, bool], dict[str, list[Candidate]]] = {}
        self._by_file: dict[str, list[Candidate]] = {}

    def list_members(self, owner: str) -> Sequence[Candidate]:
        """The members of what is called so, at any depth."""
        if not self._by_owner:
            for each in self.members:
                for holder in dict.fromkeys(each.symbol.split(".")[:-1]):
                    self._by_owner.setdefault(holder, []).append(each)
        return self._by_owner.get(owner.rpartition(".")[2], ())

    def list_in_file(self, path: str) -> Sequence[Candidate]:
        """Those that are defined in this file."""
        if not self._by_file:
            for each in self.latest:
                self._by_file.setdefault(each.path, []).append(each)
        return self._by_file.get(path, ())

    def group_by_folder(
        self, sort: tuple[bool, bool], fits: Callable[[Candidate], bool]
    ) -> Mapping[str, Sequence[Candidate]]:
        """Those that fit, by the folder they lie in; looked for once for each sort."""
        if sort not in self._by_folder:
            found = self._by_folder[sort] = {}
            for each in filter(fits, self.latest):
                found.setdefault(posixpath.dirname(each.path), []).append(each)
        return self._by_folder[sort]


class Candidates:
    """All definitions of one name; of those in one file that are called the same, the last comes last."""

    def __init__(self, every: Sequence[Candidate]) -> None:
        self.all = every
        self._families: dict[str, FamilyCandidates] = {}

    def select_family(self, language: str) -> FamilyCandidates:
        """Those that a reference in this language may mean."""
        family = _FAMILIES.get(language, language)
        if (known := self._families.get(family)) is None:
            ours = [each for each in self.all if _FAMILIES.get(each.language, each.language) == family]
            known = self._families[family] = FamilyCandidates(ours)
        return known
