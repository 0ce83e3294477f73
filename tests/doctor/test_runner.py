"""Checks run side by side; a crash, a hang and what hangs on a failure are findings."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from aurora.doctor import Check, Finding, Status
from aurora.doctor.finding import report_failure, report_pass, report_skip, report_warning
from aurora.doctor.runner import run_checks
from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor import DoctorContext


def silent(subject: DoctorContext) -> Iterator[Finding]:
    assert subject.root.is_dir()
    yield from ()


def crashing(subject: DoctorContext) -> Iterator[Finding]:
    yield report_pass(f"{subject.root} is there")
    raise ZeroDivisionError("division\nby zero")


def faulty(subject: DoctorContext) -> Iterator[Finding]:
    assert subject.root.is_dir()
    raise Fault(Code.NOT_FOUND, "there is no tea", help="make some")


def unreadable(subject: DoctorContext) -> Iterator[Finding]:
    (subject.root / "no" / "file").read_bytes()
    yield from ()


def failing(subject: DoctorContext) -> Iterator[Finding]:
    yield report_failure("check.crashed", f"the kettle in {subject.root} is cold", "Heat it.")


SHOWN = {"check.crashed", "check.late", "check.refused", "check.skipped", "check.unreadable"}
"""The kinds of findings that the tests below bring about."""


def only(found: dict[str, tuple[Finding, ...]], name: str, kind: str = "") -> tuple[str, str]:
    (one,) = found[name]
    assert (one.check, one.kind) == (name, kind)
    assert not kind or kind in SHOWN
    return one.status.value, one.message


def test_a_check_that_finds_nothing_passes_under_its_title(subject: DoctorContext) -> None:
    assert only(run_checks([Check("a.b", "tea is there", silent)], subject), "a.b") == ("pass", "tea is there")


def test_a_check_that_crashes_is_a_finding_and_the_others_are_told(subject: DoctorContext) -> None:
    found = run_checks([Check("a.b", "tea is there", crashing), Check("a.c", "cups are there", silent)], subject)
    assert only(found, "a.b", "check.crashed") == (
        "fail",
        "tea is there: the check itself failed (ZeroDivisionError: division by zero)",
    )
    assert only(found, "a.c")[0] == "pass"


def test_a_fault_is_told_in_its_own_words_with_its_help(subject: DoctorContext) -> None:
    (one,) = run_checks([Check("a.b", "tea is there", faulty)], subject)["a.b"]
    assert one.kind == "check.refused"
    assert (one.message, one.remedy.steps if one.remedy else ()) == ("there is no tea", ("Make some.",))


def test_what_cannot_be_read_is_told_with_its_path(subject: DoctorContext) -> None:
    status, message = only(run_checks([Check("a.b", "tea is there", unreadable)], subject), "a.b", "check.unreadable")
    assert status == "fail"
    assert "no/file" in message
    assert "No such file" in message


def test_a_check_that_hangs_is_given_up_and_does_not_keep_the_others(subject: DoctorContext) -> None:
    end = threading.Event()

    def hanging(subject: DoctorContext) -> Iterator[Finding]:
        end.wait()
        yield report_pass(f"{subject.root}")

    found = run_checks(
        [
            Check("a.b", "tea is there", hanging, seconds=0.2, slow="Wait."),
            Check("a.c", "cups are there", silent, requires=("a.b",)),
        ],
        subject,
    )
    assert only(found, "a.b", "check.late") == ("warn", "tea is there: timed out after 0.2 s")
    assert only(found, "a.c")[0] == "pass"
    end.set()


def test_what_hangs_on_a_failure_is_skipped_and_so_is_what_hangs_on_that(subject: DoctorContext) -> None:
    found = run_checks(
        [
            Check("a.d", "tea is drunk", silent, requires=("a.c",)),
            Check("a.c", "tea is made", silent, requires=("a.b",)),
            Check("a.b", "water boils", failing),
        ],
        subject,
    )
    assert list(found) == ["a.d", "a.c", "a.b"]
    assert only(found, "a.c", "check.skipped") == (
        "skip",
        "tea is made: not checked, because it requires that water boils",
    )
    assert only(found, "a.d", "check.skipped") == (
        "skip",
        "tea is drunk: not checked, because it requires that tea is made",
    )


def test_checks_run_beside_each_other(subject: DoctorContext) -> None:
    meet = threading.Barrier(8)  # nobody passes until all eight are under way

    def meeting(subject: DoctorContext) -> Iterator[Finding]:
        meet.wait(20)
        yield report_pass(f"{subject.root} was met at")

    found = run_checks([Check(f"a.{number}", "met", meeting) for number in range(8)], subject)
    assert {one.status for (one,) in found.values()} == {Status.PASS}


@pytest.mark.parametrize(
    ("finding", "fixable"),
    [
        (report_pass("x"), False),
        (report_skip("k", "x"), False),
        (report_warning("k", "x", "y"), False),
        (report_warning("k", "x", "y", mend=lambda _: ()), True),
        (report_failure("k", "x", "y", mend=lambda _: ()), True),
    ],
)
def test_only_what_is_wrong_and_can_be_mended_is_fixable(finding: Any, fixable: bool) -> None:  # noqa: FBT001 - a column
    assert finding.is_fixable is fixable
