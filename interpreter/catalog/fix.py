"""Automatic fixes of a workflow's text; each edit changes only its own characters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.errors import check_cancelled
from aurora.interpreter.problems import select_errors
from aurora.interpreter.yaml import Edit, apply_edits, plan_edits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aurora.interpreter.problems import Problem

    Check = Callable[[str], tuple[Problem, ...]]

MAX_ROUNDS = 50
"""Limit of rounds; a fix can reveal the next problem."""

MAX_CHECKS = 100
"""Limit of texts to check; of two hundred edits that fix nothing, each would be checked alone."""

_HIDING_CODES = ("E1", "E20", "E301")
"""Problems that hide others: an edit that causes one fixes nothing."""


@dataclass(frozen=True, slots=True)
class FixedText:
    """The text after the edits, the edits in order, and the remaining problems."""

    text: str
    edits: tuple[Edit, ...]
    problems: tuple[Problem, ...]


def apply_fixes(text: str, path: str, check: Check) -> FixedText:
    """Apply every offered edit that leaves fewer problems than before.

    Args:
        text: the workflow, with the line ends of the file.
        path: the name of the file in its problems; problems of other files are left alone.
        check: returns the problems of a text.
    """
    session = _FixSession(path, check, text, check(text))
    for _ in range(MAX_ROUNDS):
        offered = session.list_offered()
        if not offered or not session.try_edits(offered):
            break
    return FixedText(session.text, tuple(session.edits), session.problems)


@dataclass(slots=True)
class _FixSession:
    path: str
    check: Check
    text: str
    problems: tuple[Problem, ...]
    edits: list[Edit] = field(default_factory=list)
    refused: set[Edit] = field(default_factory=set)
    check_count: int = 0

    def list_offered(self) -> tuple[Edit, ...]:
        """List the offered edits that fit the text and were not refused before."""
        return tuple(edit for edit in _plan_file_edits(self.text, self.path, self.problems) if edit not in self.refused)

    def try_edits(self, edits: Sequence[Edit]) -> bool:
        """Apply these edits, or those of them that fix something; return True if any did.

        It tries all at once first, then each half, so that one bad edit among many costs little.
        """
        if self.check_count >= MAX_CHECKS:
            return False
        text = apply_edits(self.text, edits)
        problems = self._check_text(text)
        if _is_better(self.problems, problems, edits):
            self._accept_edits(text, problems, edits)
            return True
        if len(edits) == 1:
            return self._try_chain(text, problems, edits[0])
        middle = len(edits) // 2
        taken = self.try_edits(edits[:middle])
        # the first half can move the second; the next round finds it at its new place
        return taken or self.try_edits(edits[middle:])

    def _try_chain(self, text: str, problems: tuple[Problem, ...], first: Edit) -> bool:
        """Follow an edit that reveals another problem of its line: `a = 1 and b`."""
        edits = [first]
        while self.check_count < MAX_CHECKS and len(edits) < MAX_ROUNDS:
            after = [edit for edit in _plan_file_edits(text, self.path, problems) if edit.line == first.line]
            # a misspelling before the syntax error can appear too, but not one that was fixed before
            made = {(edit.old, edit.new) for edit in edits}
            after = [edit for edit in after if edit.column > edits[-1].column or (edit.old, edit.new) not in made]
            if not after:
                break
            text = apply_edits(text, after[:1])
            problems = self._check_text(text)
            edits.append(after[0])
            if _is_better(self.problems, problems, edits[:1]):
                self._accept_edits(text, problems, edits)
                return True
        self.refused.add(first)
        return False

    def _check_text(self, text: str) -> tuple[Problem, ...]:
        check_cancelled()
        self.check_count += 1
        return self.check(text)

    def _accept_edits(self, text: str, problems: tuple[Problem, ...], edits: Sequence[Edit]) -> None:
        self.text, self.problems = text, problems
        self.edits.extend(edits)


def _plan_file_edits(text: str, path: str, problems: Sequence[Problem]) -> tuple[Edit, ...]:
    return tuple(plan_edits(text, (problem for problem in problems if problem.path == path)))


def _is_better(before: Sequence[Problem], after: Sequence[Problem], edits: Sequence[Edit]) -> bool:
    """Check that these edits fixed something, and caused no problem that hides others.

    Problems that were hidden may appear: warnings after errors, and any problem after one that hides others.
    """
    # Fewer problems are no gain where one of them stops the check from seeing the others.
    if _count_hiding(after) - _count_hiding(before):
        return False
    if len(after) <= len(before) - len(edits):
        return True
    errors = [edit for edit in edits if edit.code.startswith("E")]
    if len(errors) < len(edits):
        return False
    left = _count_hiding(before) - _count_hiding(after)
    if left.total() >= len(edits):
        return True
    return len(select_errors(after)) <= len(select_errors(before)) - len(edits)


def _count_hiding(problems: Sequence[Problem]) -> Counter[str]:
    return Counter(problem.code for problem in problems if problem.code.startswith(_HIDING_CODES))
