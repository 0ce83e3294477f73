"""What is safe to mend is mended, each step told, and the project is examined again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

from .examine import examine
from .finding import LEFT, Remedy
from .report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .context import Subject
    from .finding import Finding, Mend

    Mending = tuple[Mend | None, str]
    """What mends, and what for: however the step is worded, it is done once."""

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
        Each step, and the report after the last; what mending has left as it is, a person must put right.

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
    left: dict[Mending, tuple[str, ...]] = {}
    for _ in range(_MOST_ROUNDS):
        waiting = [one.remedy for one in report.fixable if one.remedy is not None and one.remedy not in tried]
        if not waiting:
            break
        tried.update(waiting)
        for mending, remedy in {_mending(one): one for one in waiting}.items():
            done = tuple(_mended(remedy, subject))
            left[mending] = tuple(step.message for step in done if not step.done)
            steps += done
        report = examine(subject, names)
    return tuple(steps), _handed_over(report, left)


def _mending(remedy: Remedy) -> Mending:
    return remedy.mend, remedy.about


def _handed_over(report: Report, left: Mapping[Mending, tuple[str, ...]]) -> Report:
    """The report, in which nothing is called fixable that was tried and is found still."""

    def told(one: Finding) -> Finding:
        if one.remedy is None or _mending(one.remedy) not in left:
            return one
        return replace(one, remedy=Remedy(left[_mending(one.remedy)] or one.remedy.steps))

    return Report(tuple(replace(one, findings=tuple(map(told, one.findings))) for one in report.sections))


def _mended(remedy: Remedy, subject: Subject) -> Iterator[Step]:
    if remedy.mend is None:
        return
    try:
        for told in remedy.mend(subject):
            yield Step(done=not told.startswith(LEFT), message=told.removeprefix(LEFT).strip())
    except Fault as fault:
        yield Step(done=False, message=f"{fault.message}. {fault.help}".strip())
    except OSError as error:
        where = f' "{error.filename}"' if error.filename else ""
        yield Step(done=False, message=f"{remedy.steps[0]}: not done, for{where} {error.strerror or error}")
