"""Environment variables of Aurora: one table of their names and values, and their readers.

Variables of other programs (HOME, NO_COLOR, OTEL_…) are not in it. An unset, empty or blank variable has its default.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Code, EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TRUE_VALUES = ("1", "true", "yes")
_FALSE_VALUES = ("0", "false", "no")
_MAX_DIGITS = 6
"""Digits of a count; a longer number is no limit."""
_MAX_QUOTED_CHARS = 80
_MAX_PATH_CHARS = 4096
_FREE_TEXTS = {"path": "a path", "secret": "a URL", "name": "a name"}
"""Kinds of texts that only their reader checks."""


class Variable(NamedTuple):
    """Declaration of one environment variable.

    Attributes:
        name: its name, case-sensitive.
        kind: `secret` is a text that is never shown, `name` one that is;
            `flag` and `choice` have one of `values`, `list` has several, separated by commas or spaces; `count` is
            a whole number from 1, `seconds` a number above 0, `path` any path.
        meaning: its row in docs/reference/environment.md.
        values: the allowed values in lower case; a value is compared without case, except in a `list`.
        overrides: the setting that it decides for every project of a shell, for the doctor; empty for none.
    """

    name: str
    kind: str
    meaning: str
    values: tuple[str, ...] = ()
    overrides: str = ""


VARIABLES: dict[str, Variable] = {
    one.name: one
    for one in (
        Variable(
            "AURORA_DB",
            "path",
            "path of another database; a relative path starts at the project's folder",
            overrides="where the memory is",
        ),
        Variable(
            "AURORA_DATABASE",
            "secret",
            "URL of the PostgreSQL server with the memory of a team, `postgresql://user@host/database`; needs the "
            "extra `team`, and takes precedence over `AURORA_DB`",
            overrides="where the memory is",
        ),
        Variable(
            "AURORA_PROJECT",
            "name",
            "name of the project in that server, usually of its repository, `team/app`",
        ),
        Variable(
            "READ_ONLY",
            "flag",
            "`1` refuses every write and keeps no runs",
            (*_TRUE_VALUES, *_FALSE_VALUES),
            overrides="whether anything may be written",
        ),
        Variable(
            "AURORA_TOOLSETS",
            "list",
            "toolsets that `aur mcp` offers besides the three default tools, separated by commas, or `all`; "
            "`--toolsets` takes precedence",
            ("admin", "agents", "all", "core", "graph", "knowledge", "runs", "workflow"),
            overrides="which tools a server offers",
        ),
        Variable(
            "AURORA_CALLS_AT_ONCE",
            "count",
            "calls that one process runs at the same time, 128 by default; one more is answered `RATE_LIMITED`",
            overrides="how many calls a server works on at once",
        ),
        Variable(
            "AURORA_TIMEOUT",
            "seconds",
            "the longest time of a call in seconds, where that is less than the tool's own limit; a longer call is "
            "answered `TIMEOUT`",
            overrides="how long a call may take",
        ),
        Variable(
            "AURORA_TRUST",
            "flag",
            "`1` uses the own workflows and agents of every project, as in CI; `0` of none. Unset, of the folders that "
            "`aur trust` has in its list",
            (*_TRUE_VALUES, "on", *_FALSE_VALUES, "off"),
            overrides="which projects' own workflows and agents are used",
        ),
        Variable(
            "AURORA_WATCH",
            "flag",
            "`0` stops a server from following changes in the project",
            (*_TRUE_VALUES, "on", *_FALSE_VALUES, "off"),
            overrides="whether a server keeps the memory up to date",
        ),
        Variable(
            "AURORA_OTHER_CLONE",
            "path",
            "folder of another clone of the same repository: indexing takes what its memory has of files with the same "
            "content, and parses the others; name only a folder of yours, because its memory is believed",
        ),
        Variable(
            "AURORA_LOG",
            "choice",
            "least level of the lines on standard error, one per call; `aur mcp` logs at `info` by default, other "
            "commands do not log",
            ("debug", "info", "warning", "error", "off"),
        ),
        Variable(
            "AURORA_LOG_FILE",
            "path",
            "file that receives the line of each call too, in every project: also in read-only mode and in a folder "
            "without `.aurora`, where there is no other log; a relative path starts at the working directory",
        ),
    )
}
"""Every variable that Aurora reads by its name, in the order of the documentation."""


def check_environment(environ: Mapping[str, str] = os.environ) -> None:
    """Check the values of all variables.

    Raises:
        EnvironmentFault: INVALID_INPUT, which names each wrong variable with its allowed values.
    """
    wrong = tuple(find_wrong_variables(environ))
    if wrong:
        raise _make_fault(wrong, environ)


def find_wrong_variables(environ: Mapping[str, str]) -> Iterator[Variable]:
    """Yield the variables whose value has no meaning."""
    for variable in VARIABLES.values():
        if (text := _read_text(variable, environ)) and not _is_valid(variable, text):
            yield variable


def describe_values(variable: Variable) -> str:
    """Return the allowed values in words."""
    if variable.kind == "count":
        return f"a whole number from 1 to {10**_MAX_DIGITS - 1:,}"
    if variable.kind == "seconds":
        return "a number of seconds above 0"
    if variable.kind in _FREE_TEXTS:
        return _FREE_TEXTS[variable.kind]
    names = ", ".join(f'"{value}"' for value in variable.values)
    return f"names out of {names}" if variable.kind == "list" else f"one of {names}"


def describe_value(variable: Variable, text: str) -> str:
    """Return a value in quotes, shortened; of a secret only its length."""
    # The URL of a database contains its password.
    return f"a text of {len(text):,} characters" if variable.kind == "secret" else f'"{text[:_MAX_QUOTED_CHARS]}"'


def read_flag(name: str, environ: Mapping[str, str] = os.environ) -> bool | None:
    """Return the value of a flag; None for its default.

    Raises:
        EnvironmentFault: INVALID_INPUT for a value that is not one of its names.
    """
    text = read_value(name, environ)
    return text.lower() in (*_TRUE_VALUES, "on") if text else None


def read_number(name: str, environ: Mapping[str, str] = os.environ) -> float | None:
    """Return the number of a `count` or `seconds`; None for its default.

    Raises:
        EnvironmentFault: INVALID_INPUT for another text or a number out of its range.
    """
    text = read_value(name, environ)
    return float(text) if text else None


def read_value(name: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the text of a variable without blanks around it; empty for its default.

    Raises:
        EnvironmentFault: INVALID_INPUT for a value without a meaning.
    """
    variable = VARIABLES[name]
    text = _read_text(variable, environ)
    if text and not _is_valid(variable, text):
        raise _make_fault((variable,), environ)
    return text


def _read_text(variable: Variable, environ: Mapping[str, str]) -> str:
    return environ.get(variable.name, "").strip()


def _is_valid(variable: Variable, text: str) -> bool:
    if variable.kind == "count":
        # `int` alone also takes `1_0`, `+1` and the digits of other scripts.
        return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS and int(text) > 0
    if variable.kind == "seconds":
        return _is_positive(text)
    if variable.kind in _FREE_TEXTS:
        return len(text) <= _MAX_PATH_CHARS
    if variable.kind == "list":
        return all(name in variable.values for name in text.replace(",", " ").split())
    return text.lower() in variable.values


def _is_positive(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")  # NaN is neither
    except ValueError:
        return False


def _make_fault(wrong: tuple[Variable, ...], environ: Mapping[str, str]) -> EnvironmentFault:
    told = [
        f"the environment variable {one.name} is {describe_value(one, _read_text(one, environ))}, not "
        f"{describe_values(one)}"
        for one in wrong
    ]
    faults = [{"path": one.name, "expected": describe_values(one), "choices": list(one.values)} for one in wrong]
    return EnvironmentFault(Code.INVALID_INPUT, "; ".join(told), details={"faults": faults})
