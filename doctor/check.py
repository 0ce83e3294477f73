"""A check and a group of checks: a title, what must be right before, and a function that looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .context import DoctorContext
    from .finding import Finding

    CheckFunction = Callable[[DoctorContext], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is looked at.

    Attributes:
        name: `group.what`.
        title: what is said when it is found right and nothing else is told: a statement.
        look: gives what it finds, nothing when all is well; what it raises becomes a finding.
        requires: checks without which this one says nothing; when one of them fails, this one is skipped.
        seconds: how long it may take before it is given up.
        slow: what to do when it took longer than that, a sentence.
    """

    name: str
    title: str
    run_check: CheckFunction
    requires: tuple[str, ...] = ()
    seconds: float = 10.0
    slow: str = "Say `aur doctor` again when the machine is less busy."


@dataclass(frozen=True, slots=True)
class Group:
    """Checks that belong together, under one heading."""

    name: str
    title: str
    checks: tuple[Check, ...]
