"""Safe fixes of findings, in rounds of fixing and checking again."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

from .examine import examine_project
from .finding import NOT_FIXED, Remedy
from .report import Report

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from .context import DoctorContext
    from .finding import Finding, FixFunction

    FixKey = tuple[FixFunction | None, str]
    """Fix function and its target; each pair is run once, whatever its steps say."""

_COMMAND = re.compile(r"Run (`[^`]+`)")
_MAX_ROUNDS = 4
"""A fix may reveal further findings: a missing folder, then the files in it."""


@dataclass(frozen=True, slots=True)
class FixStep:
    """Result of a fix: a change, or the reason why it was not made."""

    done: bool
    message: str


def fix_findings(context: DoctorContext, only: Iterable[str] = ()) -> tuple[tuple[FixStep, ...], Report]:
    """Fix the findings of these checks until no new fixable finding appears.

    Args:
        context: the project.
        only: names as for `examine_project`.

    Returns:
        Each step, and the report after the last one; whatever is still fixable in it needs a person.

    Raises:
        Fault: NOT_FOUND for an unknown check, INVALID_INPUT when the project is the home folder or the root of the
            file system, which would index a whole disk.
    """
    names = tuple(only)
    unusable = context.person.describe_unusable_root(context.root)
    if unusable:
        raise Fault(
            Code.INVALID_INPUT,
            f"{unusable} is not a project",
            help="Run it in the project's folder, or name the folder with --project.",
        )
    report = examine_project(context, names)
    steps: list[FixStep] = []
    tried: set[Remedy] = set()
    failures: dict[FixKey, tuple[str, ...]] = {}
    for _ in range(_MAX_ROUNDS):
        remedies = {finding.remedy for finding in report.fixable_findings if finding.remedy} - tried
        if not remedies:
            break
        tried |= remedies
        for key, remedy in _group_by_key(report, remedies).items():
            results = tuple(_apply_remedy(remedy, context))
            failures[key] = tuple(step.message for step in results if not step.done)
            steps += results
        report = examine_project(context, names)
    return tuple(steps), _mark_unfixed(report, failures)


def _group_by_key(report: Report, remedies: Collection[Remedy]) -> dict[FixKey, Remedy]:
    """Group remedies with the same fix, in the order of the report's findings."""
    groups: dict[FixKey, Remedy] = {}
    for finding in report.fixable_findings:
        if finding.remedy is not None and finding.remedy in remedies:
            groups[_get_fix_key(finding.remedy)] = finding.remedy
    return groups


def _get_fix_key(remedy: Remedy) -> FixKey:
    return remedy.fix, remedy.about


def _mark_unfixed(report: Report, failures: Mapping[FixKey, tuple[str, ...]]) -> Report:
    """Remove the fix from findings that remain after it was tried."""
    sections = []
    for section in report.sections:
        findings = tuple(_mark_finding(finding, failures) for finding in section.findings)
        sections.append(replace(section, findings=findings))
    return Report(tuple(sections))


def _mark_finding(finding: Finding, failures: Mapping[FixKey, tuple[str, ...]]) -> Finding:
    if finding.remedy is None or _get_fix_key(finding.remedy) not in failures:
        return finding
    steps = failures[_get_fix_key(finding.remedy)] or finding.remedy.steps
    return replace(finding, remedy=Remedy(steps))


def _apply_remedy(remedy: Remedy, context: DoctorContext) -> Iterator[FixStep]:
    if remedy.fix is None:
        return
    try:
        for line in remedy.fix(context):
            yield FixStep(done=not line.startswith(NOT_FIXED), message=line.removeprefix(NOT_FIXED).strip())
    except Fault as fault:
        yield FixStep(done=False, message=f"{fault.message}. {fault.help}".strip())
    except OSError as error:
        yield FixStep(done=False, message=_describe_failure(remedy.steps[0], error, context.root))


def _describe_failure(step: str, error: OSError, root: Path) -> str:
    """Describe a step that a file stopped: a command by its name, any other step after the reason."""
    reason = (error.strerror or str(error)).lower()
    if error.filename:
        path = Path(os.fsdecode(error.filename))
        shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        verb = "changed" if os.path.lexists(path) else "created"
        reason = f'"{shown}" cannot be {verb} ({reason})'
    command = _COMMAND.match(step)
    return f"could not run {command[1]}: {reason}" if command else f"{reason}, so this was not done: {step}"
