"""Checks run side by side; a crash, a hang and what hangs on a failure are findings."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from aurora.doctor import Check, Finding, Status
from aurora.doctor.examine import run_checks
from aurora.doctor.model import report_failure, report_pass
from aurora.errors import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor import DoctorContext


def silent(context: DoctorContext) -> Iterator[Finding]:
    assert context.root.is_dir()
    yield from ()


def crashing(context: DoctorContext) -> Iterator[Finding]:
    yield report_pass(f"{context.root} is there")
    raise ZeroDivisionError("division\nby zero")


def faulty(context: DoctorContext) -> Iterator[Finding]:
    assert context.root.is_dir()
    raise Fault(Code.NOT_FOUND, "there is no tea", help="make some")


def unreadable(context: DoctorContext) -> Iterator[Finding]:
    (context.root / "no" / "file").read_bytes()
    yield from ()


def failing(context: DoctorContext) -> Iterator[Finding]:
    yield report_failure("check.crashed", f"the kettle in {context.root} is cold", "Heat it.")


SHOWN = {"check.crashed", "check.late", "check.refused", "check.skipped", "check.unreadable"}
"""Codes of the findings that the tests below produce."""


def only(found: dict[str, tuple[Finding, ...]], name: str, kind: str = "") -> tuple[str, str]:
    (one,) = found[name]
    assert (one.check, one.kind) == (name, kind)
    assert not kind or kind in SHOWN
    return one.status.value, one.message


def test_a_check_that_finds_nothing_passes_under_its_title(context: DoctorContext) -> None:
    assert only(run_checks([Check("a.b", "tea is there", silent)], context), "a.b") == ("pass", "tea is there")


def test_a_check_that_crashes_is_a_finding_and_the_others_run(context: DoctorContext) -> None:
    found = run_checks([Check("a.b", "tea is there", crashing), Check("a.c", "cups are there", silent)], context)
    assert only(found, "a.b", "check.crashed") == (
        "fail",
        "tea is there: the check itself failed (ZeroDivisionError: division by zero)",
    )
    assert only(found, "a.c")[0] == "pass"


def test_a_fault_is_reported_with_its_message_and_help(context: DoctorContext) -> None:
    (one,) = run_checks([Check("a.b", "tea is there", faulty)], context)["a.b"]
    assert one.kind == "check.refused"
    assert (one.message, one.remedy.steps if one.remedy else ()) == ("there is no tea", ("Make some.",))


def test_an_unreadable_file_is_reported_with_its_path(context: DoctorContext) -> None:
    status, message = only(run_checks([Check("a.b", "tea is there", unreadable)], context), "a.b", "check.unreadable")
    assert status == "fail"
    assert "no/file" in message
    assert "No such file" in message


def test_a_check_that_hangs_times_out_and_does_not_delay_the_others(context: DoctorContext) -> None:
    end = threading.Event()

    def hanging(context: DoctorContext) -> Iterator[Finding]:
        end.wait()
        yield report_pass(f"{context.root}")

    found = run_checks(
        [
            Check("a.b", "tea is there", hanging, seconds=0.2, slow="Wait."),
            Check("a.c", "cups are there", silent, requires=("a.b",)),
        ],
        context,
    )
    assert only(found, "a.b", "check.late") == ("warn", "tea is there: timed out after 0.2 s")
    assert only(found, "a.c")[0] == "pass"
    end.set()


def test_a_check_is_skipped_after_the_failure_or_skip_of_one_it_requires(context: DoctorContext) -> None:
    found = run_checks(
        [
            Check("a.d", "tea is drunk", silent, requires=("a.c",)),
            Check("a.c", "tea is made", silent, requires=("a.b",)),
            Check("a.b", "water boils", failing),
        ],
        context,
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


def test_checks_run_in_parallel(context: DoctorContext) -> None:
    meet = threading.Barrier(8)  # opens when all eight are running

    def meeting(context: DoctorContext) -> Iterator[Finding]:
        meet.wait(20)
        yield report_pass(f"{context.root} was met at")

    found = run_checks([Check(f"a.{number}", "met", meeting) for number in range(8)], context)
    assert {one.status for (one,) in found.values()} == {Status.PASS}


def test_each_check_that_ends_is_reported_once_also_a_skipped_one(context: DoctorContext) -> None:
    told: list[tuple[int, int, str]] = []
    checks = [
        Check("a.b", "the kettle is warm", failing),
        Check("a.c", "tea is there", silent, requires=("a.b",)),
        Check("a.d", "cups are there", crashing),
    ]
    found = run_checks(checks, context, lambda *report: told.append(report))
    assert set(found) == {"a.b", "a.c", "a.d"}
    assert [report[:2] for report in told] == [(1, 3), (2, 3), (3, 3)]
    assert {report[2] for report in told} == {check.title for check in checks}
