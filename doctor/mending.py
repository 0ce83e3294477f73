"""What is safe to mend is mended, each step told, and the project is examined again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Code, Fault
from .examining import examine
from .finding import LEFT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .finding import Finding, Remedy
    from .report import Report
    from .subject import Subject

_MOST_ROUNDS = 4
"""What is mended may bring to light what could not be looked at before: a folder, then what it holds."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done, or that could not be done and why."""

    done: bool
    message: str


def mend(subject: Subject, only: Iterable[str] = ()) -> tuple[tuple[Step, ...], Report]:
    """Mend what these checks find, as often as something new is found.

    Args:
        subject: the project.
        only: as `examine` takes it.

    Returns:
        Each step, and the report after the last.

    Raises:
        Fault: NOT_FOUND for a check that does not exist, INVALID_INPUT when the project is the person's home, or
            the root of all folders: nobody means to have a whole disk read into a memory.
    """
    names = tuple(only)
    nowhere = subject.person.nowhere(subject.root)
    if nowhere:
        raise Fault(
            Code.INVALID_INPUT,
            f"{nowhere} is no project",
            help="Say it in the project's folder, or name that with --project.",
        )
    report = examine(subject, names)
    steps: list[Step] = []
    tried: set[Remedy] = set()
    for _ in range(_MOST_ROUNDS):
        waiting = [one for one in _remedies(report.fixable) if one not in tried]
        if not waiting:
            break
        for remedy in waiting:
            tried.add(remedy)
            steps += _mended(remedy, subject)
        report = examine(subject, names)
    return tuple(steps), report


def _remedies(findings: Iterable[Finding]) -> Iterator[Remedy]:
    seen: set[Remedy] = set()
    for finding in findings:
        if finding.remedy is not None and finding.remedy not in seen:
            seen.add(finding.remedy)
            yield finding.remedy


def _mended(remedy: Remedy, subject: Subject) -> Iterator[Step]:
    if remedy.mend is None:
        return
    try:
        for told in remedy.mend(subject):
            yield Step(done=not told.startswith(LEFT), message=told.removeprefix(LEFT))
    except Fault as fault:
        yield Step(done=False, message=f"{fault.message}. {fault.help}".strip())
    except OSError as error:
        where = f' "{error.filename}"' if error.filename else ""
        yield Step(done=False, message=f"{remedy.steps[0]}: not done, for{where} {error.strerror or error}")
