"""Scheduler of checks: one thread and timeout each; a crash becomes a finding."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aurora.faults import Fault

from .finding import Finding, Status, report_failure, report_pass, report_skip, report_warning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .check import Check
    from .context import DoctorContext

    Findings = tuple[Finding, ...]
    ReportCheck = Callable[[int, int, str], None]

_BUG_HELP = "This is a bug in Aurora; please report it with this line."


def ignore_check(done: int, total: int, title: str) -> None:
    """Ignore that a check has ended."""


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
    ward = _Scheduler({check.name: check for check in checks}, context, progress)
    ward.run()
    return {check.name: ward.findings[check.name] for check in checks}


@dataclass(frozen=True, slots=True)
class _RunningCheck:
    check: Check
    deadline: float


class _Scheduler:
    """Scheduler state: pending, running and finished checks; one thread changes it."""

    def __init__(self, checks: Mapping[str, Check], context: DoctorContext, progress: ReportCheck) -> None:
        self.findings: dict[str, Findings] = {}
        self._pending = dict(checks)
        self._titles = {name: check.title for name, check in checks.items()}
        self._running: dict[str, _RunningCheck] = {}
        self._context = context
        self._progress = progress
        self._results: queue.SimpleQueue[tuple[str, Findings]] = queue.SimpleQueue()

    def run(self) -> None:
        while self._start_ready() or self._running:
            self._await_result()

    def _start_ready(self) -> bool:
        """Start or skip checks whose requirements are done; return True if any was skipped."""
        ended = False
        for check in list(self._pending.values()):
            needed = [name for name in check.requires if name in self._pending or name in self._running]
            if needed:
                continue
            del self._pending[check.name]
            lacking = [name for name in check.requires if _has_failed(self.findings.get(name, ()))]
            if lacking:
                self._keep_findings(check, (_report_unmet_requirement(check, self._titles[lacking[0]]),))
                ended = True
                continue
            self._running[check.name] = _RunningCheck(check, time.monotonic() + check.seconds)
            # A daemon: a thread cannot be killed, and one that hangs must not keep the process alive.
            threading.Thread(target=self._run_in_thread, args=(check,), name=f"check {check.name}", daemon=True).start()
        return ended

    def _run_in_thread(self, check: Check) -> None:
        self._results.put((check.name, _run_check(check, self._context)))

    def _await_result(self) -> None:
        """Take one result, or end the checks that have timed out."""
        if not self._running:
            return
        nearest = min(patient.deadline for patient in self._running.values())
        try:
            name, found = self._results.get(timeout=max(0.0, nearest - time.monotonic()))
        except queue.Empty:
            for name, patient in list(self._running.items()):
                if patient.deadline <= time.monotonic():
                    self._finish_check(name, (_report_timeout(patient.check),))
            return
        if name in self._running:  # else it was given up
            self._finish_check(name, found)

    def _finish_check(self, name: str, found: Findings) -> None:
        check = self._running.pop(name).check
        self._keep_findings(check, found or (report_pass(check.title),))

    def _keep_findings(self, check: Check, found: Findings) -> None:
        self.findings[check.name] = _set_check_name(check, found)
        self._progress(len(self.findings), len(self._titles), check.title)


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
        bool(found) and all(one.status is Status.SKIP for one in found)
    )


def _set_check_name(check: Check, found: Findings) -> Findings:
    return tuple(replace(one, check=check.name) for one in found)
