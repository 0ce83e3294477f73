"""Run of the checks: one thread and timeout each; a crash becomes a finding."""

from __future__ import annotations

import os
import queue
import re
import threading
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, did_you_mean, quote_names

from .model import (
    NOT_FIXED,
    PROBLEM_STATUSES,
    Finding,
    Remedy,
    Report,
    Section,
    Status,
    report_failure,
    report_pass,
    report_skip,
    report_warning,
)
from .registry import GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from .model import Check, DoctorContext, FixFunction, Group

    Findings = tuple[Finding, ...]
    ReportCheck = Callable[[int, int, str], None]
    FixKey = tuple[FixFunction | None, str]
    """Fix function and its target; each pair is run once, whatever its steps say."""


def ignore_check(done: int, total: int, title: str) -> None:
    """Ignore that a check has ended."""


def examine_project(
    context: DoctorContext, only: Iterable[str] = (), *, progress: ReportCheck = ignore_check
) -> Report:
    """Run the named checks, or all of them; change nothing.

    Args:
        context: the project.
        only: names of groups (`mcp`) or of single checks (`memory.fresh`).
        progress: called after each check, as for `run_checks`.

    Raises:
        Fault: NOT_FOUND for an unknown name. A problem of the project is a finding, never an exception.
    """
    groups = select_groups(only)
    findings = run_checks([check for group in groups for check in group.checks], context, progress)
    sections = []
    told: list[str] = []
    for group in groups:
        # A broken workflow also fails the check of the phases; one mistake is told once.
        of_group = tuple(_tell_once([one for check in group.checks for one in findings[check.name]], told))
        sections.append(Section(group.name, group.title, of_group))
    return Report(tuple(sections))


def _tell_once(findings: list[Finding], told: list[str]) -> Iterator[Finding]:
    """Yield the findings without the problems that a check before them has told."""
    for finding in findings:
        is_problem = finding.status in PROBLEM_STATUSES
        if is_problem and any(finding.message.startswith(message) for message in told):
            continue
        yield finding
        told += [finding.message] if is_problem else []


def select_groups(only: Iterable[str]) -> tuple[Group, ...]:
    """Select the groups and checks with these names, in registry order.

    Raises:
        Fault: NOT_FOUND with the nearest name as a suggestion.
    """
    names = set(only)
    known = {group.name for group in GROUPS} | {check.name for group in GROUPS for check in group.checks}
    for name in sorted(names - known):
        suggestion = did_you_mean(name[:80], known)
        raise Fault(
            Code.NOT_FOUND,
            f'there is no check "{name[:80]}"' + (f"; {suggestion}" if suggestion else ""),
            help=f"The groups are {quote_names(group.name for group in GROUPS)}; "
            "`aur doctor --json` lists single checks.",
            details={"check": name[:80], "choices": sorted(known)},
        )
    selected = []
    for group in GROUPS:
        checks = tuple(check for check in group.checks if not names or {group.name, check.name} & names)
        if checks:
            selected.append(replace(group, checks=checks))
    return tuple(selected)


_BUG_HELP = "This is a bug in Aurora; please report it with this line."


def run_checks(
    checks: Sequence[Check], context: DoctorContext, progress: ReportCheck = ignore_check
) -> dict[str, Findings]:
    """Run the checks in parallel and wait for all results.

    Args:
        checks: in any order; a required check that is not among them counts as passed.
        context: the project to check.
        progress: called in this thread after each check with the number of those that have ended, the number of all,
            and the title of the check; what it raises ends the run.

    Returns:
        The findings by the check's name, in the order of `checks`. A check raises nothing.
    """
    futures: dict[str, Future[Findings]] = {check.name: Future() for check in checks}
    of_future = {futures[check.name]: check for check in checks}
    titles = {check.name: check.title for check in checks}
    for check in checks:
        # A daemon: a thread cannot be killed, and one that hangs must not keep the process alive.
        threading.Thread(target=_work, args=(check, futures, titles, context), daemon=True).start()
    for number, future in enumerate(as_completed(of_future), 1):
        progress(number, len(checks), of_future[future].title)
    return {name: future.result() for name, future in futures.items()}


def _work(
    check: Check, futures: Mapping[str, Future[Findings]], titles: Mapping[str, str], context: DoctorContext
) -> None:
    """Wait for the checks that this one requires, then run it."""
    required = [name for name in check.requires if name in futures]
    # The thread of a check waits here for those that it requires, so that the others run meanwhile.
    lacking = [name for name in required if _has_failed(futures[name].result())]
    found = (_report_unmet_requirement(check, titles[lacking[0]]),) if lacking else _run_in_time(check, context)
    futures[check.name].set_result(_set_check_name(check, found or (report_pass(check.title),)))


def _run_in_time(check: Check, context: DoctorContext) -> Findings:
    found: queue.SimpleQueue[Findings] = queue.SimpleQueue()
    run = threading.Thread(
        target=lambda: found.put(_run_check(check, context)), name=f"check {check.name}", daemon=True
    )
    run.start()
    try:
        # The check itself is not stopped: a thread cannot be killed. It is given up.
        return found.get(timeout=check.seconds)
    except queue.Empty:
        return (_report_timeout(check),)


def _run_check(check: Check, context: DoctorContext) -> Findings:
    try:
        return tuple(check.run_check(context))
    except Fault as fault:
        steps = [fault.help] if fault.help else []
        return (report_failure("check.refused", fault.message, *steps),)
    except OSError as error:
        where = f' "{error.filename}"' if error.filename else ""
        message = f"{check.title}: cannot be checked:{where} {error.strerror or error}"
        return (report_failure("check.unreadable", message, _PERMISSION_HELP),)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a check, the others run
        message = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return (report_failure("check.crashed", f"{check.title}: the check itself failed ({message})", _BUG_HELP),)


_PERMISSION_HELP = "Give yourself permission to read it, or correct the path, and run `aur doctor` again."


def _report_timeout(check: Check) -> Finding:
    return report_warning("check.late", f"{check.title}: timed out after {check.seconds:g} s", check.slow)


def _report_unmet_requirement(check: Check, needed: str) -> Finding:
    return report_skip("check.skipped", f"{check.title}: not checked, because it requires that {needed}")


def _has_failed(found: Findings) -> bool:
    return any(one.status is Status.FAIL for one in found) or (
        # A check that was skipped proves nothing to those that require it.
        bool(found) and all(one.status is Status.SKIP for one in found)
    )


def _set_check_name(check: Check, found: Findings) -> Findings:
    return tuple(replace(one, check=check.name) for one in found)


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
        # Each remedy is tried once, so that one that changes nothing does not repeat.
        remedies = {finding.remedy for finding in report.fixable_findings if finding.remedy} - tried
        if not remedies:
            break
        tried |= remedies
        # Several findings may have one fix, which is done once for all.
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
    # What a fix could not do needs a person, and is no longer offered as fixable.
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
