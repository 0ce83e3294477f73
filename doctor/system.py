"""Checks of the machine: Python, SQLite, disk space, extensions, environment variables."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from aurora.errors import did_you_mean
from aurora.memory import database_path, get_engine_version, list_expected_objects
from aurora.memory.files import DATA_FOLDER, DATABASE_NAME
from aurora.system.environment import VARIABLES, describe_value, read_flag, read_value

from .model import report_failure, report_nothing, report_pass, report_warning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sized
    from pathlib import Path

    from .model import DoctorContext, Finding


MIN_PYTHON = (3, 11)
MIN_SQLITE = (3, 38)
"""The first version with `->>`, which the searches use."""
LOW_SPACE = 200_000_000
MIN_SPACE = 20_000_000
"""Bytes; an index of an ordinary project takes some ten megabytes, and a backup the same."""


def check_python(context: DoctorContext) -> Iterator[Finding]:
    """Check the version of Python."""
    del context
    yield report_python(sys.version_info[:3], sys.executable)


def report_python(version: tuple[int, ...], place: str) -> Finding:
    """Report a Python of this version at this place."""
    message = f"Python {_format_version(version)} at {place}"
    if version < MIN_PYTHON:
        step = f"Install Aurora with Python {_format_version(MIN_PYTHON)} or newer."
        return report_failure("system.python.old", f"{message} is too old", step)
    return report_pass(message)


def check_sqlite(context: DoctorContext) -> Iterator[Finding]:
    """Check the version of SQLite by creating a database in memory."""
    del context
    yield report_sqlite(get_engine_version(), list_expected_objects)


def report_sqlite(version: str, made: Callable[[], Sized]) -> Finding:
    """Report an SQLite of this version; `made` creates a database with it."""
    if tuple(int(part) for part in version.split(".")) < MIN_SQLITE:
        step = "Reinstall apsw, which contains a newer SQLite: `pip install --force-reinstall apsw`."
        return report_failure(
            "system.sqlite.old", f"SQLite {version} is too old", f"{step} {_format_version(MIN_SQLITE)} will do."
        )
    return report_pass(f"SQLite {version} creates a database of {len(made())} tables and indexes")


def _format_version(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def check_disk_space(context: DoctorContext) -> Iterator[Finding]:
    """Check the free disk space."""
    place = database_path(context.root, context.environ)
    # The database may not be there yet; the free space is that of the nearest folder that is.
    while not place.exists() and place != place.parent:
        place = place.parent
    yield report_disk_space(shutil.disk_usage(place).free, place)


def report_disk_space(free: int, place: Path) -> Finding:
    """Report a disk with so many free bytes."""
    message = f"{free / 1e6:,.0f} MB are free on the disk of the memory"
    step = f'Free space on the disk of "{place}", or set AURORA_DB to another place.'
    if free < MIN_SPACE:
        return report_failure("system.space.none", message, step)
    if free < LOW_SPACE:
        return report_warning("system.space.little", message, step)
    return report_pass(message if free < 10 * LOW_SPACE else "there is enough disk space for the memory")


def check_environment(context: DoctorContext) -> Iterator[Finding]:
    """Report variables that override a setting, and variables that nothing reads."""
    for name in sorted(context.environ):
        value = context.environ[name]
        if name in VARIABLES:
            if _is_effective(name, context):
                yield from _report_override(name, value, context)
        elif name.startswith("AURORA_"):
            suggestion = did_you_mean(name, VARIABLES)
            message = f"{name} is set, and nothing reads it" + (f"; {suggestion}" if suggestion else "")
            yield report_warning("system.environment.unknown", message, f"Run `unset {name}`.")


def _is_effective(name: str, context: DoctorContext) -> bool:
    """Return whether the variable changes a setting of a project."""
    # Flags: only the value that is not the default changes anything.
    if name in ("AURORA_WATCH", "READ_ONLY"):
        return read_flag(name, context.environ) is (name == "READ_ONLY")
    return bool(VARIABLES[name].overrides and read_value(name, context.environ))


def _report_override(name: str, value: str, context: DoctorContext) -> Iterator[Finding]:
    shown = describe_value(VARIABLES[name], value)
    message = f"{name} is {shown} in this shell, and overrides {VARIABLES[name].overrides}"
    if name in ("AURORA_DB", "AURORA_DATABASE"):
        message += f"; an assistant that was started elsewhere opens {DATA_FOLDER}/{DATABASE_NAME}"
    step = f"Run `unset {name}`, unless it is intended; assistants that you start elsewhere will not see it."
    finding = report_warning("system.environment.overrides", message, step)
    # A path that names the usual place changes nothing.
    if name != "AURORA_DB" or database_path(context.root, context.environ) != database_path(context.root, {}):
        yield finding


def check_extensions(context: DoctorContext) -> Iterator[Finding]:
    """List the tools of distributions, and why a broken one cannot be used."""
    tools = context.equipment.extension_tools()
    if not tools:
        yield report_nothing("no installed distribution has tools for Aurora")
    for tool in tools:
        if tool.fault:
            yield report_warning("system.extensions.broken", tool.fault, "Correct or uninstall the distribution.")
        else:
            yield report_pass(f"the tool {tool.name} of {tool.distribution} can be used")
