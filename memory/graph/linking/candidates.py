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


class Kin:
    """Those in languages that call each other.

    Attributes:
        last: of those in one file that are called the same, the last.
        members: of these the ones inside something.
        overloads: how many the last one stands for, by its number; empty when nowhere more than one.
        imported: what each import was found to mean, by its kind and module, for it means the same in every file.
    """

    def __init__(self, ours: Sequence[Candidate]) -> None:
        self.last: Sequence[Candidate] = ours
        self.overloads: dict[int, int] = {}
        if len(ours) > 1:
            self.last = list({(each.path, each.symbol): each for each in ours}.values())
        if len(self.last) < len(ours):
            same = Counter((each.path, each.symbol) for each in ours)
            self.overloads = {each.n: same[each.path, each.symbol] for each in self.last}
        self.members = [each for each in self.last if "." in each.symbol]
        self.imported: dict[tuple[bool, str, str], Meant] = {}
        self._owned: dict[str, list[Candidate]] = {}
        self._free: dict[tuple[bool, bool], dict[str, list[Candidate]]] = {}
        self._in: dict[str, list[Candidate]] = {}

    def of_owner(self, owner: str) -> Sequence[Candidate]:
        """The members of what is called so, at any depth."""
        if not self._owned:
            for each in self.members:
                for holder in dict.fromkeys(each.symbol.split(".")[:-1]):
                    self._owned.setdefault(holder, []).append(each)
        return self._owned.get(owner.rpartition(".")[2], ())

    def in_file(self, path: str) -> Sequence[Candidate]:
        """Those that are defined in this file."""
        if not self._in:
            for each in self.last:
                self._in.setdefault(each.path, []).append(each)
        return self._in.get(path, ())

    def free(self, sort: tuple[bool, bool], fits: Callable[[Candidate], bool]) -> Mapping[str, Sequence[Candidate]]:
        """Those that fit, by the folder they lie in; looked for once for each sort."""
        if sort not in self._free:
            found = self._free[sort] = {}
            for each in filter(fits, self.last):
                found.setdefault(posixpath.dirname(each.path), []).append(each)
        return self._free[sort]


class Bearers:
    """All definitions of one name; of those in one file that are called the same, the last comes last."""

    def __init__(self, every: Sequence[Candidate]) -> None:
        self.all = every
        self._kin: dict[str, Kin] = {}

    def kin(self, language: str) -> Kin:
        """Those that a reference in this language may mean."""
        family = _FAMILIES.get(language, language)
        if (known := self._kin.get(family)) is None:
            ours = [each for each in self.all if _FAMILIES.get(each.language, each.language) == family]
            known = self._kin[family] = Kin(ours)
        return known
