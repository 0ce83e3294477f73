"""Checks run side by side; a crash, a hang and what hangs on a failure are findings."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from aurora.doctor import Check, Finding, Status
from aurora.doctor.finding import failure, passed, skipped, warning
from aurora.doctor.runner import run
from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.doctor import Subject


def silent(subject: Subject) -> Iterator[Finding]:
    assert subject.root.is_dir()
    yield from ()


def crashing(subject: Subject) -> Iterator[Finding]:
    yield passed(f"{subject.root} is there")
    raise ZeroDivisionError("division\nby zero")


def faulty(subject: Subject) -> Iterator[Finding]:
    assert subject.root.is_dir()
    raise Fault(Code.NOT_FOUND, "there is no tea", help="make some")


def unreadable(subject: Subject) -> Iterator[Finding]:
    (subject.root / "no" / "file").read_bytes()
    yield from ()


def failing(subject: Subject) -> Iterator[Finding]:
    yield failure("check.crashed", f"the kettle in {subject.root} is cold", "Heat it.")


SHOWN = {"check.crashed", "check.late", "check.refused", "check.skipped", "check.unreadable"}
"""The kinds of findings that the tests below bring about."""


def only(found: dict[str, tuple[Finding, ...]], name: str, kind: str = "") -> tuple[str, str]:
    (one,) = found[name]
    assert (one.check, one.kind) == (name, kind)
    assert not kind or kind in SHOWN
    return one.status.value, one.message


def test_a_check_that_finds_nothing_passes_under_its_title(subject: Subject) -> None:
    assert only(run([Check("a.b", "tea is there", silent)], subject), "a.b") == ("pass", "tea is there")


def test_a_check_that_crashes_is_a_finding_and_the_others_are_told(subject: Subject) -> None:
    found = run([Check("a.b", "tea is there", crashing), Check("a.c", "cups are there", silent)], subject)
    assert only(found, "a.b", "check.crashed") == (
        "fail",
        "tea is there: the check itself failed (ZeroDivisionError: division by zero)",
    )
    assert only(found, "a.c")[0] == "pass"


def test_a_fault_is_told_in_its_own_words_with_its_help(subject: Subject) -> None:
    (one,) = run([Check("a.b", "tea is there", faulty)], subject)["a.b"]
    assert one.kind == "check.refused"
    assert (one.message, one.remedy.steps if one.remedy else ()) == ("there is no tea", ("Make some.",))


def test_what_cannot_be_read_is_told_with_its_path(subject: Subject) -> None:
    status, message = only(run([Check("a.b", "tea is there", unreadable)], subject), "a.b", "check.unreadable")
    assert status == "fail"
    assert "no/file" in message
    assert "No such file" in message


def test_a_check_that_hangs_is_given_up_and_does_not_keep_the_others(subject: Subject) -> None:
    end = threading.Event()

    def hanging(subject: Subject) -> Iterator[Finding]:
        end.wait()
        yield passed(f"{subject.root}")

    found = run(
        [
            Check("a.b", "tea is there", hanging, seconds=0.2, slow="Wait."),
            Check("a.c", "cups are there", silent, requires=("a.b",)),
        ],
        subject,
    )
    assert only(found, "a.b", "check.late") == ("warn", "tea is there: not known after 0.2 s")
    assert only(found, "a.c")[0] == "pass"
    end.set()


def test_what_hangs_on_a_failure_is_skipped_and_so_is_what_hangs_on_that(subject: Subject) -> None:
    found = run(
        [
            Check("a.d", "tea is drunk", silent, requires=("a.c",)),
            Check("a.c", "tea is made", silent, requires=("a.b",)),
            Check("a.b", "water boils", failing),
        ],
        subject,
    )
    assert list(found) == ["a.d", "a.c", "a.b"]
    assert only(found, "a.c", "check.skipped") == ("skip", "tea is made: not looked at, for it needs that water boils")
    assert only(found, "a.d", "check.skipped") == ("skip", "tea is drunk: not looked at, for it needs that tea is made")


def test_checks_run_beside_each_other(subject: Subject) -> None:
    meet = threading.Barrier(8)  # nobody passes until all eight are under way

    def meeting(subject: Subject) -> Iterator[Finding]:
        meet.wait(20)
        yield passed(f"{subject.root} was met at")

    found = run([Check(f"a.{number}", "met", meeting) for number in range(8)], subject)
    assert {one.status for (one,) in found.values()} == {Status.PASS}


@pytest.mark.parametrize(
    ("finding", "fixable"),
    [
        (passed("x"), False),
        (skipped("k", "x"), False),
        (warning("k", "x", "y"), False),
        (warning("k", "x", "y", mend=lambda _: ()), True),
        (failure("k", "x", "y", mend=lambda _: ()), True),
    ],
)
def test_only_what_is_wrong_and_can_be_mended_is_fixable(finding: Any, fixable: bool) -> None:  # noqa: FBT001 - a column
    assert finding.fixable is fixable
