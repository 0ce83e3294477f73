"""Settings of the section `commands`: their form in TOML, and every mistake in them."""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, ValidationError, model_validator

from aurora.faults import Code, Fault, did_you_mean
from aurora.tools.core import StrictModel

from .pattern import MAX_PATTERN_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_core import ErrorDetails

SECTION = "commands"
EXAMPLE = '`[[commands]]`, and below it the lines `program = "pytest"`, `arguments = ["-q"]`, `further = ["tests/**"]`'
"""Entry of a configuration, for messages."""
MAX_SECONDS = 600
"""The longest time of a program in seconds."""
Pattern = Annotated[str, StringConstraints(max_length=MAX_PATTERN_CHARS)]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]


class CommandSettings(StrictModel):
    """One entry `[[commands]]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    program: Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f*]+$")]
    project: str | None = Field(default=None, min_length=1, max_length=4000)
    path: str | None = Field(default=None, min_length=1, max_length=4000)
    arguments: tuple[Pattern, ...] = Field(default=(), strict=False, max_length=100)
    further: tuple[Pattern, ...] = Field(default=(), strict=False, max_length=100)
    seconds: int = Field(default=MAX_SECONDS, ge=1, le=MAX_SECONDS)
    variables: tuple[_Variable, ...] = Field(default=(), strict=False, max_length=50)

    @model_validator(mode="after")
    def check_paths(self) -> CommandSettings:
        """Check that no path depends on the folder in which Aurora was started.

        Raises:
            ValueError: a relative path.
        """
        if self.project is not None and not _is_absolute(self.project):
            raise ValueError('"project" must be an absolute path, or begin with "~/"')
        if self.path is not None and not _is_absolute(self.path):
            raise ValueError('"path" must be an absolute path, or begin with "~/"')
        names_file = "/" in self.program or "\\" in self.program
        if names_file and self.path is None and self.project is None and not _is_absolute(self.program):
            raise ValueError(f'"{self.program}" is a file of a project: add `project = "…"`')
        return self


def _is_absolute(text: str) -> bool:
    return text.startswith("~/") or PurePath(text).is_absolute()


def parse_settings(data: bytes, file: Path) -> tuple[CommandSettings, ...]:
    """Parse the entries of a configuration.

    Args:
        data: the text of the file in TOML.
        file: its path, for messages.

    Raises:
        Fault: INVALID_INPUT, with the number of the entry and each mistake.
    """
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8: byte 0x{data[error.start]:02x} in line {line}"
        raise _make_fault(file, what, []) from None
    except (ValueError, RecursionError) as error:
        raise _make_fault(file, f"is not TOML: {error}", []) from None
    listed = _select_entries(document, file)
    found = list(_parse_entries(listed))
    wrong = [text for one in found if isinstance(one, list) for text in one]
    if wrong:
        raise _make_fault(file, f"is wrong: {wrong[0]}", wrong)
    return tuple(one for one in found if isinstance(one, CommandSettings))


def _select_entries(document: dict[str, Any], file: Path) -> list[dict[str, Any]]:
    """Return the entries of a configuration, which has nothing else."""
    unknown = next((name for name in document if name != SECTION), None)
    if unknown is not None:
        raise _make_fault(file, f"is wrong: {_describe_unknown_key(unknown, [SECTION])}", [])
    listed = document.get(SECTION, [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise _make_fault(file, f"is wrong: {SECTION} must be a list of tables", [])
    return listed


def _parse_entries(listed: list[dict[str, Any]]) -> Iterator[CommandSettings | list[str]]:
    for number, entry in enumerate(listed, 1):
        try:
            yield CommandSettings.model_validate(entry)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)
            yield [f"entry {number} of [[{SECTION}]]: {_describe_error(one)}" for one in found[:5]]


_EXPECTED = {
    "string_type": "must be a text",
    "tuple_type": "must be a list of texts",
    "int_type": "must be a whole number",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "too_long": "must have at most {max_length} entries",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}
"""Type of a mistake -> what was expected."""
_PATTERNS = {
    "program": "must be a name or a path, without `*` and without control characters",
    "variables": "must be the name of an environment variable",
}
"""Key with a pattern -> what was expected."""


def _describe_error(error: ErrorDetails) -> str:
    key, *positions = (str(step) for step in error["loc"]) if error["loc"] else ("",)
    if error["type"] == "extra_forbidden":
        return _describe_unknown_key(key, CommandSettings.model_fields)
    if error["type"] == "missing":
        return f'"{key}" is missing'
    if error["type"] == "string_pattern_mismatch" and key in _PATTERNS:
        said = _PATTERNS[key]
    elif error["type"] in _EXPECTED:
        said = _EXPECTED[error["type"]].format_map(error.get("ctx", {}))
    else:
        said = error["msg"].removeprefix("Value error, ")
    place = f'"{key}"' + "".join(f", entry {int(position) + 1}," for position in positions)
    return f"{place} {said}" if key else said


def _describe_unknown_key(name: str, known: Iterable[str]) -> str:
    guess = did_you_mean(name, known)
    return f'unknown key "{name[:80]}"' + (f"; {guess}" if guess else "")


def _make_fault(file: Path, what: str, faults: list[str]) -> Fault:
    return Fault(
        Code.INVALID_INPUT,
        f'the configuration "{file}" {what}; no command is allowed',
        help=f"Correct it. An entry is, for example, {EXAMPLE}.",
        details={"file": str(file), "faults": faults},
    )
