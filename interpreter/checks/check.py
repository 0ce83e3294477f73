"""A check of workflows, as the registry lists it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter.problems import Problem

    from .view import WorkflowView


@dataclass(frozen=True, slots=True)
class Check:
    """A check of one concern.

    Attributes:
        find_problems: yields the problems of a workflow, in any order.
        can_refuse: it may find an error, which refuses the workflow; without it, a run need not wait for the check.
        is_local: it judges each phase without the others, and so runs even when some phases cannot be read.
    """

    find_problems: Callable[[WorkflowView], Iterator[Problem]]
    is_local: bool = False
    can_refuse: bool = True
