"""The definitions that bear one name, sorted once for all the references to it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    """

    def __init__(self, ours: list[Candidate]) -> None:
        self.last = list({(each.path, each.symbol): each for each in ours}.values())
        self.members = [each for each in self.last if "." in each.symbol]
        self.overloads: dict[int, int] = {}
        if len(self.last) < len(ours):
            same = Counter((each.path, each.symbol) for each in ours)
            self.overloads = {each.n: same[each.path, each.symbol] for each in self.last}
        self._owned: dict[str, list[Candidate]] = {}
        for each in self.members:
            for owner in dict.fromkeys(each.symbol.split(".")[:-1]):
                self._owned.setdefault(owner, []).append(each)

    def of_owner(self, owner: str) -> list[Candidate]:
        """The members of what is called so, at any depth."""
        return self._owned.get(owner.rpartition(".")[2], [])


class Bearers:
    """All definitions of one name; of those in one file that are called the same, the last comes last."""

    def __init__(self, every: Sequence[Candidate]) -> None:
        self.all = every
        self._kin: dict[str, Kin] = {}

    def kin(self, language: str) -> Kin:
        """Those that a reference in this language may mean."""
        family = _family(language)
        if family not in self._kin:
            self._kin[family] = Kin([each for each in self.all if _family(each.language) == family])
        return self._kin[family]


def _family(language: str) -> str:
    return {"typescript": "javascript", "tsx": "javascript", "cpp": "c"}.get(language, language)
