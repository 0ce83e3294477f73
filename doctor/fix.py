"""Safe fixes of findings, in rounds of fixing and checking again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

from .examine import examine_project
from .finding import NOT_FIXED, Remedy
from .report import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .context import DoctorContext
    from .finding import Finding, FixFunction

    FixKey = tuple[FixFunction | None, str]
    """Fix function and its subject; each pair is run once, whatever its steps say."""

_MAX_ROUNDS = 4
"""A fix may reveal further findings: a missing folder, then the files in it."""


@dataclass(frozen=True, slots=True)
class FixStep:
    """Result of a fix: a change, or the reason why it was not made."""

    done: bool
    message: str


def fix_findings(subject: DoctorContext, only: Iterable[str] = ()) -> tuple[tuple[FixStep, ...], Report]:
    """Fix the findings of these checks until no new fixable finding appears.

    Args:
        subject: the project.
        only: as `examine` takes it.

    Returns:
        Each step, and the report after the last one; whatever is still fixable in it needs a person.

    Raises:
        Fault: NOT_FOUND for an unknown check, INVALID_INPUT when the project is the home folder or the root of the
            file system, which would index a whole disk.
    """
    names = tuple(only)
    nowhere = subject.person.describe_unusable_root(subject.root)
    if nowhere:
        raise Fault(
            Code.INVALID_INPUT,
            f"{nowhere} is no project",
            help="Run it in the project's folder, or name the folder with --project.",
        )
    report = examine_project(subject, names)
    steps: list[FixStep] = []
    tried: set[Remedy] = set()
    left: dict[FixKey, tuple[str, ...]] = {}
    for _ in range(_MAX_ROUNDS):
        waiting = [one.remedy for one in report.fixable_findings if one.remedy is not None and one.remedy not in tried]
        if not waiting:
            break
        tried.update(waiting)
        for mending, remedy in {_get_fix_key(one): one for one in waiting}.items():
            done = tuple(_apply_remedy(remedy, subject))
            left[mending] = tuple(step.message for step in done if not step.done)
            steps += done
        report = examine_project(subject, names)
    return tuple(steps), _mark_unfixed(report, left)


def _get_fix_key(remedy: Remedy) -> FixKey:
    return remedy.fix, remedy.about


def _mark_unfixed(report: Report, left: Mapping[FixKey, tuple[str, ...]]) -> Report:
    """Remove the fix from findings that remain after it was tried."""

    def mark_finding(one: Finding) -> Finding:
        if one.remedy is None or _get_fix_key(one.remedy) not in left:
            return one
        return replace(one, remedy=Remedy(left[_get_fix_key(one.remedy)] or one.remedy.steps))

    return Report(tuple(replace(one, findings=tuple(map(mark_finding, one.findings))) for one in report.sections))


def _apply_remedy(remedy: Remedy, subject: DoctorContext) -> Iterator[FixStep]:
    if remedy.fix is None:
        return
    try:
        for told in remedy.fix(subject):
            yield FixStep(done=not told.startswith(NOT_FIXED), message=told.removeprefix(NOT_FIXED).strip())
    except Fault as fault:
        yield FixStep(done=False, message=f"{fault.message}. {fault.help}".strip())
    except OSError as error:
        where = f' "{error.filename}"' if error.filename else ""
        yield FixStep(done=False, message=f"{remedy.steps[0]}: not done:{where} {error.strerror or error}")
