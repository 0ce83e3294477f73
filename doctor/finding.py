"""A finding: what a check saw, in one line, and what puts it right. Frozen; showing and mending are other functions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .context import DoctorContext

    FixFunction = Callable[[DoctorContext], Iterable[str]]
    """Does it, and tells each thing that it did in a line, or after `LEFT` did not; raises `Fault` or `OSError`."""

NOT_FIXED = "left as it is: "
"""Begins what a `Mend` tells of a thing that it could not do."""


class Status(StrEnum):
    """How a thing was found; the worst comes last."""

    PASS = "pass"  # noqa: S105 - no password
    SKIP = "skip"
    WARN = "warn"
    FAIL = "fail"


PROBLEM_STATUSES = frozenset({Status.WARN, Status.FAIL})


@dataclass(frozen=True, slots=True)
class Remedy:
    """What puts a finding right; two findings with equal remedies are mended in one go.

    Attributes:
        steps: what a person does, a sentence or a command each.
        mend: does it for them, where that is safe; None where a person must decide.
        about: what the mending is for, where one function mends several things: a host's name, a file.
    """

    steps: tuple[str, ...]
    fix: FixFunction | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's.

    Attributes:
        status: how it was found.
        message: what was seen, with names quoted.
        remedy: for `warn` and `fail`.
        kind: its lasting name, one of `KINDS`; empty for what is right.
        check: the name of the check that found it; the runner fills it in.
    """

    status: Status
    message: str
    remedy: Remedy | None = None
    kind: str = ""
    check: str = ""

    @property
    def is_fixable(self) -> bool:
        """Whether `--fix` mends it."""
        return self.status in PROBLEM_STATUSES and self.remedy is not None and self.remedy.fix is not None


def report_pass(message: str) -> Finding:
    """All is well."""
    return Finding(Status.PASS, message)


def report_skip(kind: str, message: str) -> Finding:
    """It was not looked at, or does not matter here."""
    return Finding(Status.SKIP, message, kind=kind)


def report_warning(kind: str, message: str, *steps: str, mend: FixFunction | None = None, about: str = "") -> Finding:
    """Something is not as it should be, and the rest works."""
    return Finding(Status.WARN, message, Remedy(steps, mend, about), kind)


def report_failure(kind: str, message: str, *steps: str, mend: FixFunction | None = None, about: str = "") -> Finding:
    """Something does not work."""
    return Finding(Status.FAIL, message, Remedy(steps, mend, about), kind)
