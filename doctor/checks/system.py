"""Is the machine fit: Python, SQLite, room on the disk, and no variable that overrides something unnoticed?"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import report_failure, report_pass, report_warning
from aurora.faults import did_you_mean
from aurora.memory import database_path
from aurora.memory.files import AURORA_FOLDER, DATABASE_NAME
from aurora.memory.sqlite import get_sqlite_version, list_expected_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sized
    from pathlib import Path

    from aurora.doctor.context import DoctorContext
    from aurora.doctor.finding import Finding

MIN_PYTHON = (3, 11)
MIN_SQLITE = (3, 38)
"""The first with `->>`, which the memory's searches use."""
LOW_SPACE = 200_000_000
MIN_SPACE = 20_000_000
"""Bytes: indexing an ordinary project takes some ten megabytes, and a backup as much again."""

OVERRIDING_VARIABLES = {
    "AURORA_CALLS_AT_ONCE": "how many calls a server works on at once",
    "AURORA_DB": "where the memory lies",
    "AURORA_TIMEOUT": "how long a call may take",
    "AURORA_TOOLSETS": "which tools a server offers",
    "AURORA_WATCH": "whether a server keeps the memory up to date",
    "READ_ONLY": "whether anything may be written",
}
"""Variable -> what it decides for every project of this shell."""

_NUMERIC_VARIABLES = {"AURORA_CALLS_AT_ONCE": "whole number from 1", "AURORA_TIMEOUT": "number of seconds above 0"}
"""Variable -> what its value must be, for it is left alone otherwise."""

_FALSE_VALUES = frozenset({"0", "false", "no", "off"})
HARMLESS_VARIABLES = ("AURORA_LOG",)


def check_python(subject: DoctorContext) -> Iterator[Finding]:
    """Whether the interpreter is new enough."""
    del subject
    yield report_python(sys.version_info[:3], sys.executable)


def report_python(version: tuple[int, ...], place: str) -> Finding:
    """What is said of a Python of this version at this place."""
    said = f"Python {_format_version(version)} at {place}"
    if version < MIN_PYTHON:
        step = f"Install Aurora with Python {_format_version(MIN_PYTHON)} or newer."
        return report_failure("system.python.old", f"{said} is too old", step)
    return report_pass(said)


def check_sqlite(subject: DoctorContext) -> Iterator[Finding]:
    """Whether this SQLite makes a whole memory; one is made that is never written to a disk."""
    del subject
    yield report_sqlite(get_sqlite_version(), list_expected_objects)


def report_sqlite(version: str, made: Callable[[], Sized]) -> Finding:
    """What is said of an SQLite of this version; `made` makes a memory with it."""
    if tuple(int(part) for part in version.split(".")) < MIN_SQLITE:
        step = "Install apsw anew, which brings a newer one: `pip install --force-reinstall apsw`."
        return report_failure(
            "system.sqlite.old", f"SQLite {version} is too old", f"{step} {_format_version(MIN_SQLITE)} will do."
        )
    return report_pass(f"SQLite {version} makes a memory of {len(made())} tables and indexes")


def _format_version(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def check_disk_space(subject: DoctorContext) -> Iterator[Finding]:
    """Whether there is room for the memory to grow."""
    place = database_path(subject.root, subject.environ)
    while not place.exists() and place != place.parent:
        place = place.parent
    yield report_disk_space(shutil.disk_usage(place).free, place)


def report_disk_space(free: int, place: Path) -> Finding:
    """What is said of a disk with so many bytes free."""
    said = f"{free / 1e6:,.0f} MB are free where the memory lies"
    step = f'Make room on the disk that holds "{place}", or name another place with AURORA_DB.'
    if free < MIN_SPACE:
        return report_failure("system.space.none", said, step)
    if free < LOW_SPACE:
        return report_warning("system.space.little", said, step)
    return report_pass(said if free < 10 * LOW_SPACE else "there is room for the memory on the disk")


def check_environment(subject: DoctorContext) -> Iterator[Finding]:
    """One finding for each variable that overrides something, and for each that nothing reads."""
    for name in sorted(subject.environ):
        value = subject.environ[name]
        if name in _NUMERIC_VARIABLES and value.strip() and not _is_number(name, value.strip()):
            said = f'{name} is "{value[:200]}", and is not followed: it is no {_NUMERIC_VARIABLES[name]}'
            yield report_warning("system.environment.unknown", said, f"Run `unset {name}`, or give it one.")
        elif name in OVERRIDING_VARIABLES and _is_effective(name, value):
            yield from _report_override(name, value, subject)
        elif name.startswith("AURORA_") and name not in OVERRIDING_VARIABLES and name not in HARMLESS_VARIABLES:
            meant = did_you_mean(name, (*OVERRIDING_VARIABLES, *HARMLESS_VARIABLES))
            said = f"{name} is set, and nothing reads it" + (f"; {meant}" if meant else "")
            yield report_warning("system.environment.unknown", said, f"Run `unset {name}`.")


def _is_number(name: str, value: str) -> bool:
    if name == "AURORA_CALLS_AT_ONCE":
        return value.isdecimal() and len(value) < 7  # noqa: PLR2004 - longer is no limit
    try:
        return float(value) > 0
    except ValueError:
        return False


def _is_effective(name: str, value: str) -> bool:
    said = value.strip().lower()
    return said in _FALSE_VALUES if name == "AURORA_WATCH" else said not in {"", "0"}


def _report_override(name: str, value: str, subject: DoctorContext) -> Iterator[Finding]:
    said = f'{name} is "{value[:200]}" in this shell, and overrides {OVERRIDING_VARIABLES[name]}'
    if name == "AURORA_DB":
        said += f"; an assistant that was started elsewhere opens {AURORA_FOLDER}/{DATABASE_NAME}"
    step = f"Run `unset {name}`, unless you mean it; assistants started elsewhere do not have it."
    finding = report_warning("system.environment.overrides", said, step)
    if name != "AURORA_DB" or database_path(subject.root, subject.environ) != database_path(subject.root, {}):
        yield finding


GROUP = Group(
    "system",
    "System Checks",
    (
        Check("system.python", "Python is new enough", check_python),
        Check("system.sqlite", "SQLite can hold a memory", check_sqlite),
        Check("system.space", "there is room on the disk", check_disk_space),
        Check("system.environment", "no environment variable overrides anything", check_environment),
    ),
)
