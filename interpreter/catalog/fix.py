"""Mending a workflow's text where that is beyond doubt: each edit touches its own characters and nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.interpreter.yaml.edit import Edit, applied, edits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aurora.interpreter.problems.problem import Problem

    Check = Callable[[str], tuple[Problem, ...]]

MOST_ROUNDS = 50
"""How often the text is looked at anew: mending one thing may bring the next to light."""

_SHAPE = ("E1", "E20")
"""Problems that hide others: an edit that makes one is none that mends."""


@dataclass(frozen=True, slots=True)
class Mended:
    """The text after the edits, the edits in the order in which they were made, and the problems that are left."""

    text: str
    edits: tuple[Edit, ...]
    problems: tuple[Problem, ...]


def mend(text: str, path: str, check: Check) -> Mended:
    """Make every edit that a problem offers and that leaves fewer problems than before.

    Args:
        text: the workflow, its line ends as they stand in the file.
        path: the name that its problems bear; those of other files are left alone.
        check: gives the problems of a text.
    """
    mending = _Mending(path, check, text, check(text))
    for _ in range(MOST_ROUNDS):
        offered = mending.offered()
        if not offered or not mending.take(offered):
            break
    return Mended(mending.text, tuple(mending.edits), mending.problems)


@dataclass(slots=True)
class _Mending:
    path: str
    check: Check
    text: str
    problems: tuple[Problem, ...]
    edits: list[Edit] = field(default_factory=list)
    refused: set[Edit] = field(default_factory=set)

    def offered(self) -> tuple[Edit, ...]:
        """The edits that the problems offer and that fit the text, none of them refused before."""
        return tuple(edit for edit in _edits(self.text, self.path, self.problems) if edit not in self.refused)

    def take(self, edits: Sequence[Edit]) -> bool:
        """Make these edits, or those of them that mend something; tells whether there were any.

        All at once is tried first, then one half and the other, so that one bad edit among many costs little.
        """
        text = applied(self.text, edits)
        problems = self.check(text)
        if _better(self.problems, problems, len(edits)):
            self._keep(text, problems, edits)
            return True
        if len(edits) == 1:
            return self._follow(text, problems, edits[0])
        middle = len(edits) // 2
        taken = self.take(edits[:middle])
        # what the first half did may have moved the second; the next round sees it where it is then
        return taken or self.take(edits[middle:])

    def _follow(self, text: str, problems: tuple[Problem, ...], first: Edit) -> bool:
        """Go on where an edit brings to light what else is wrong on the same line, as in `a = 1 and b`."""
        edits = [first]
        while edits[-1] is not None and len(edits) < MOST_ROUNDS:
            after = [edit for edit in _edits(text, self.path, problems) if edit.line == first.line]
            # a misspelling before the syntax error comes to light too; one mended before cannot
            made = {(edit.old, edit.new) for edit in edits}
            after = [edit for edit in after if edit.column > edits[-1].column or (edit.old, edit.new) not in made]
            if not after:
                break
            text = applied(text, after[:1])
            problems = self.check(text)
            edits.append(after[0])
            if _better(self.problems, problems, 1):
                self._keep(text, problems, edits)
                return True
        self.refused.add(first)
        return False

    def _keep(self, text: str, problems: tuple[Problem, ...], edits: Sequence[Edit]) -> None:
        self.text, self.problems = text, problems
        self.edits.extend(edits)


def _edits(text: str, path: str, problems: Sequence[Problem]) -> tuple[Edit, ...]:
    return tuple(edits_of(text, (problem for problem in problems if problem.path == path)))


def _better(before: Sequence[Problem], after: Sequence[Problem], by: int) -> bool:
    """Whether there are fewer problems now, and none that hides others."""
    if len(after) > len(before) - by:
        return False
    hiding = Counter(problem.code for problem in after if problem.code.startswith(_SHAPE))
    return not hiding - Counter(problem.code for problem in before)
