"""Checks run side by side, each in a thread with a time limit; one that crashes or hangs becomes a finding."""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aurora.faults import Fault

from .finding import Finding, Status, failure, passed, skipped, warning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .check import Check
    from .context import Subject

    Found = tuple[Finding, ...]

_REPORT = "This is our mistake; please report it with this line."


def run(checks: Sequence[Check], subject: Subject) -> dict[str, Found]:
    """Run the checks, and wait until each is done, given up or skipped.

    Args:
        checks: in any order; what they require and is not among them counts as well.
        subject: what they look at.

    Returns:
        What each found, by the check's name, in the order of `checks`. Nothing is raised.
    """
    ward = _Ward({check.name: check for check in checks}, subject)
    ward.run()
    return {check.name: ward.done[check.name] for check in checks}


@dataclass(frozen=True, slots=True)
class _Patient:
    check: Check
    until: float


class _Ward:
    """The checks that wait, those that run, and those that are done; one thread alone changes these."""

    def __init__(self, checks: Mapping[str, Check], subject: Subject) -> None:
        self.done: dict[str, Found] = {}
        self._waiting = dict(checks)
        self._titles = {name: check.title for name, check in checks.items()}
        self._running: dict[str, _Patient] = {}
        self._subject = subject
        self._results: queue.SimpleQueue[tuple[str, Found]] = queue.SimpleQueue()

    def run(self) -> None:
        while self._begin() or self._running:
            self._wait()

    def _begin(self) -> bool:
        """Start or skip whatever need not wait any more; whether any was skipped, so that others may follow."""
        ended = False
        for check in list(self._waiting.values()):
            needed = [name for name in check.requires if name in self._waiting or name in self._running]
            if needed:
                continue
            del self._waiting[check.name]
            lacking = [name for name in check.requires if _failed(self.done.get(name, ()))]
            if lacking:
                self.done[check.name] = _named(check, (_hangs(check, self._titles[lacking[0]]),))
                ended = True
                continue
            self._running[check.name] = _Patient(check, time.monotonic() + check.seconds)
            # A daemon: a thread cannot be killed, and one that hangs must not keep the process.
            threading.Thread(target=self._work, args=(check,), name=f"check {check.name}", daemon=True).start()
        return ended

    def _work(self, check: Check) -> None:
        self._results.put((check.name, _looked(check, self._subject)))

    def _wait(self) -> None:
        """Take one result, or give up on what took too long."""
        if not self._running:
            return
        nearest = min(patient.until for patient in self._running.values())
        try:
            name, found = self._results.get(timeout=max(0.0, nearest - time.monotonic()))
        except queue.Empty:
            for name, patient in list(self._running.items()):
                if patient.until <= time.monotonic():
                    self._end(name, (_late(patient.check),))
            return
        if name in self._running:  # else it was given up
            self._end(name, found)

    def _end(self, name: str, found: Found) -> None:
        check = self._running.pop(name).check
        self.done[name] = _named(check, found or (passed(check.title),))


def _looked(check: Check, subject: Subject) -> Found:
    try:
        return tuple(check.look(subject))
    except Fault as fault:
        steps = [fault.help] if fault.help else []
        return (failure("check.refused", fault.message, *steps),)
    except OSError as error:
        where = f' "{error.filename}"' if error.filename else ""
        said = f"{check.title}: cannot be told, for{where} {error.strerror or error}"
        return (failure("check.unreadable", said, _RIGHTS),)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a check, the others are told
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return (failure("check.crashed", f"{check.title}: the check itself failed ({said})", _REPORT),)


_RIGHTS = "Give yourself permission to read it, or put right what names it, and say `aur doctor` again."


def _late(check: Check) -> Finding:
    return warning("check.late", f"{check.title}: not known after {check.seconds:g} s", check.slow)


def _hangs(check: Check, needed: str) -> Finding:
    return skipped("check.skipped", f"{check.title}: not looked at, for it needs that {needed}")


def _failed(found: Found) -> bool:
    return any(one.status is Status.FAIL for one in found) or (
        bool(found) and all(one.status is Status.SKIP for one in found)
    )


def _named(check: Check, found: Found) -> Found:
    return tuple(replace(one, check=check.name) for one in found)
