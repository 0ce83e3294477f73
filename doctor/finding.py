"""Findings of checks and their remedies; frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .context import DoctorContext

    FixFunction = Callable[[DoctorContext], Iterable[str]]
    """Fixes a finding; yields one line per change, or `NOT_FIXED` and a reason; may raise `Fault` or `OSError`."""

NOT_FIXED = "left as it is: "
"""Prefix of a line from a `FixFunction` for something that it could not fix."""


class Status(StrEnum):
    """Status of a finding, from best to worst."""

    PASS = "pass"  # noqa: S105 - no password
    SKIP = "skip"
    WARN = "warn"
    FAIL = "fail"


PROBLEM_STATUSES = frozenset({Status.WARN, Status.FAIL})


@dataclass(frozen=True, slots=True)
class Remedy:
    """Remedy for a finding; findings with equal remedies are fixed together.

    Attributes:
        steps: instructions for a person, a sentence or a command each.
        fix: applies the remedy where that is safe; None where a person must decide.
        about: the target of the fix, where one function fixes several things: a host's name, a file.
    """

    steps: tuple[str, ...]
    fix: FixFunction | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check in one line.

    Attributes:
        status: pass, skip, warn or fail.
        message: the observation, with names quoted.
        remedy: for `warn` and `fail`.
        kind: its stable code, one of `FINDING_CODES`; empty for a pass.
        check: the name of the check; the runner sets it.
    """

    status: Status
    message: str
    remedy: Remedy | None = None
    kind: str = ""
    check: str = ""

    @property
    def is_fixable(self) -> bool:
        """True when `--fix` can fix it."""
        return self.status in PROBLEM_STATUSES and self.remedy is not None and self.remedy.fix is not None


def report_pass(message: str) -> Finding:
    """Create a finding for something that is right."""
    return Finding(Status.PASS, message)


def report_nothing(message: str) -> Finding:
    """Report that a check has nothing to check here, which is no success."""
    return report_skip("check.nothing", message)


def report_skip(kind: str, message: str) -> Finding:
    """Create a finding for something that was not checked or does not apply."""
    return Finding(Status.SKIP, message, kind=kind)


def report_warning(kind: str, message: str, *steps: str, fix: FixFunction | None = None, about: str = "") -> Finding:
    """Create a finding for a problem that leaves the rest working."""
    return Finding(Status.WARN, message, Remedy(steps, fix, about), kind)


def report_failure(kind: str, message: str, *steps: str, fix: FixFunction | None = None, about: str = "") -> Finding:
    """Create a finding for something that does not work."""
    return Finding(Status.FAIL, message, Remedy(steps, fix, about), kind)
