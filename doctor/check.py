"""Check and group of checks: title, requirements, function and time limit."""

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
    """Single check of the doctor.

    Attributes:
        name: `group.check`.
        title: the statement that is reported when the check passes and gives no finding of its own.
        run_check: yields findings, none when there is no problem; an exception becomes a finding.
        requires: names of checks; when one of them fails, this check is skipped.
        seconds: the timeout.
        slow: what to do after a timeout, a sentence.
    """

    name: str
    title: str
    run_check: CheckFunction
    requires: tuple[str, ...] = ()
    seconds: float = 10.0
    slow: str = "Run `aur doctor` again when the machine is less busy."


@dataclass(frozen=True, slots=True)
class Group:
    """Group of checks with one heading."""

    name: str
    title: str
    checks: tuple[Check, ...]
