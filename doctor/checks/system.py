"""Is the machine fit: Python, SQLite, room on the disk, and no variable that overrides something unnoticed?"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from aurora.doctor.check import Check, Group
from aurora.doctor.finding import failure, passed, warning
from aurora.faults.suggest import did_you_mean
from aurora.memory import database_path
from aurora.memory.files.locate import DATABASE, FOLDER
from aurora.memory.sqlite.integrity import born, version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sized
    from pathlib import Path

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding

OLDEST = (3, 11)
OLDEST_SQLITE = (3, 38)
"""The first with `->>`, which the memory's searches use."""
LITTLE = 200_000_000
TOO_LITTLE = 20_000_000
"""Bytes: indexing an ordinary project takes some ten megabytes, and a backup as much again."""

OVERRIDES = {
    "AURORA_CALLS_AT_ONCE": "how many calls a server works on at once",
    "AURORA_DB": "where the memory lies",
    "AURORA_TIMEOUT": "how long a call may take",
    "AURORA_TOOLSETS": "which tools a server offers",
    "AURORA_WATCH": "whether a server keeps the memory up to date",
    "READ_ONLY": "whether anything may be written",
}
"""Variable -> what it decides for every project of this shell."""

_NUMBERS = {"AURORA_CALLS_AT_ONCE": "whole number from 1", "AURORA_TIMEOUT": "number of seconds above 0"}
"""Variable -> what its value must be, for it is left alone otherwise."""

_OFF = frozenset({"0", "false", "no", "off"})
HARMLESS = ("AURORA_LOG",)


def python(subject: Subject) -> Iterator[Finding]:
    """Whether the interpreter is new enough."""
    del subject
    yield of_python(sys.version_info[:3], sys.executable)


def of_python(version: tuple[int, ...], place: str) -> Finding:
    """What is said of a Python of this version at this place."""
    said = f"Python {_dotted(version)} at {place}"
    if version < OLDEST:
        step = f"Install Aurora with Python {_dotted(OLDEST)} or newer."
        return failure("system.python.old", f"{said} is too old", step)
    return passed(said)


def sqlite(subject: Subject) -> Iterator[Finding]:
    """Whether this SQLite makes a whole memory; one is made that is never written to a disk."""
    del subject
    yield of_sqlite(version(), born)


def of_sqlite(version: str, made: Callable[[], Sized]) -> Finding:
    """What is said of an SQLite of this version; `made` makes a memory with it."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        step = "Install apsw anew, which brings a newer one: `pip install --force-reinstall apsw`."
        return failure("system.sqlite.old", f"SQLite {version} is too old", f"{step} {_dotted(OLDEST_SQLITE)} will do.")
    return passed(f"SQLite {version} makes a memory of {len(made())} tables and indexes")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def space(subject: Subject) -> Iterator[Finding]:
    """Whether there is room for the memory to grow."""
    place = database_path(subject.root, subject.environ)
    while not place.exists() and place != place.parent:
        place = place.parent
    yield of_space(shutil.disk_usage(place).free, place)


def of_space(free: int, place: Path) -> Finding:
    """What is said of a disk with so many bytes free."""
    said = f"{free / 1e6:,.0f} MB are free where the memory lies"
    step = f'Make room on the disk that holds "{place}", or name another place with AURORA_DB.'
    if free < TOO_LITTLE:
        return failure("system.space.none", said, step)
    if free < LITTLE:
        return warning("system.space.little", said, step)
    return passed(said if free < 10 * LITTLE else "there is room for the memory on the disk")


def environment(subject: Subject) -> Iterator[Finding]:
    """One finding for each variable that overrides something, and for each that nothing reads."""
    for name in sorted(subject.environ):
        value = subject.environ[name]
        if name in _NUMBERS and value.strip() and not _is_number(name, value.strip()):
            said = f'{name} is "{value[:200]}", and is not followed: it is no {_NUMBERS[name]}'
            yield warning("system.environment.unknown", said, f"Run `unset {name}`, or give it one.")
        elif name in OVERRIDES and _decides(name, value):
            yield from _overriding(name, value, subject)
        elif name.startswith("AURORA_") and name not in OVERRIDES and name not in HARMLESS:
            meant = did_you_mean(name, (*OVERRIDES, *HARMLESS))
            said = f"{name} is set, and nothing reads it" + (f"; {meant}" if meant else "")
            yield warning("system.environment.unknown", said, f"Run `unset {name}`.")


def _is_number(name: str, value: str) -> bool:
    if name == "AURORA_CALLS_AT_ONCE":
        return value.isdecimal() and len(value) < 7  # noqa: PLR2004 - longer is no limit
    try:
        return float(value) > 0
    except ValueError:
        return False


def _decides(name: str, value: str) -> bool:
    said = value.strip().lower()
    return said in _OFF if name == "AURORA_WATCH" else said not in {"", "0"}


def _overriding(name: str, value: str, subject: Subject) -> Iterator[Finding]:
    said = f'{name} is "{value[:200]}" in this shell, and overrides {OVERRIDES[name]}'
    if name == "AURORA_DB":
        said += f"; an assistant that was started elsewhere opens {FOLDER}/{DATABASE}"
    step = f"Run `unset {name}`, unless you mean it; assistants started elsewhere do not have it."
    finding = warning("system.environment.overrides", said, step)
    if name != "AURORA_DB" or database_path(subject.root, subject.environ) != database_path(subject.root, {}):
        yield finding


GROUP = Group(
    "system",
    "System Checks",
    (
        Check("system.python", "Python is new enough", python),
        Check("system.sqlite", "SQLite can hold a memory", sqlite),
        Check("system.space", "there is room on the disk", space),
        Check("system.environment", "no environment variable overrides anything", environment),
    ),
)
