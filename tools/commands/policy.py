"""Commands that the person allows, with patterns of their arguments."""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, ValidationError, model_validator

from aurora.errors import Code, Fault, did_you_mean
from aurora.tools.core import StrictModel
from aurora.trust import PrivateFileError, find_config_file, read_private_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pydantic_core import ErrorDetails


MAX_CONFIG_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class AllowedCommand:
    """Program that phases may run, with the patterns of its arguments.

    Attributes:
        program: the name that a phase gives.
        path: the program's file, absolute; None to find the name in PATH, outside of the project.
        first: patterns of the first arguments, one each; all of them must be there.
        further: patterns of which each further argument must match one; none allows no further argument.
        seconds: the limit of its time in seconds.
        variables: environment variables that it receives besides the usual ones.
        everywhere: it is allowed in every trusted project.
    """

    program: str
    path: Path | None
    first: tuple[ArgumentPattern, ...]
    further: tuple[ArgumentPattern, ...]
    seconds: int
    variables: tuple[str, ...]
    everywhere: bool

    def allows(self, arguments: Sequence[str]) -> bool:
        """Return whether these are arguments that the person allowed."""
        count = len(self.first)
        # The first arguments name what is allowed, such as a subcommand; without them it is another command.
        if len(arguments) < count:
            return False
        if not all(pattern.matches(text) for pattern, text in zip(self.first, arguments, strict=False)):
            return False
        return all(any(pattern.matches(text) for pattern in self.further) for text in arguments[count:])

    def describe(self) -> str:
        """Return the command as a line, with the patterns of further arguments in brackets."""
        words = [self.program, *(pattern.text for pattern in self.first)]
        if self.further:
            words.append(f"[{' | '.join(pattern.text for pattern in self.further)}]…")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class CommandPolicy:
    """Commands that the person allows in one project.

    Attributes:
        file: the configuration; None for an account without a home folder.
        commands: those that apply to the project, in the order of the file.
    """

    file: Path | None
    commands: tuple[AllowedCommand, ...]

    @property
    def programs(self) -> tuple[str, ...]:
        """The allowed programs, each once."""
        return tuple(dict.fromkeys(command.program for command in self.commands))

    def find(self, program: str, arguments: Sequence[str]) -> AllowedCommand | None:
        """Return the first command that allows this call; None if none does."""
        return next((one for one in self.commands if one.program == program and one.allows(arguments)), None)


def load_policy(root: Path, environ: Mapping[str, str] = os.environ) -> CommandPolicy:
    """Load the commands that the person allows in a project; none without a configuration.

    Args:
        root: the project's folder, absolute and resolved.
        environ: the environment variables, which tell where the configuration is.

    Raises:
        Fault: FORBIDDEN for a file that cannot be read or that anyone else could have written, INVALID_INPUT for a
            mistake in it; then no command is allowed.
    """
    file = find_config_file(environ)
    if file is None:
        return CommandPolicy(None, ())
    settings = parse_settings(_read_config(file), file)
    allowed = (_build_command(one, file, root) for one in settings)
    return CommandPolicy(file, tuple(command for command in allowed if command is not None))


def _read_config(file: Path) -> bytes:
    try:
        return read_private_file(file, MAX_CONFIG_BYTES)
    except FileNotFoundError:
        return b""
    except PrivateFileError as error:
        message = f'the configuration "{file}" {error.what}; no command is allowed'
        raise Fault(Code.FORBIDDEN, message, help=error.remedy or "Check it, and write it again yourself.") from None
    except OSError as error:
        message = f'the configuration "{file}" cannot be read ({error.strerror or error}); no command is allowed'
        raise Fault(Code.FORBIDDEN, message, help="Give yourself read permission for it.") from None


def _build_command(settings: CommandSettings, file: Path, root: Path) -> AllowedCommand | None:
    """Build the command of an entry; None for an entry of another project."""
    home = file.parent if settings.project is None else Path(settings.project).expanduser()
    # The entry is for one folder, found also where the person has written a link to it.
    if settings.project is not None and Path(os.path.realpath(home)) != root:
        return None
    has_folder = "/" in settings.program
    written = settings.path if settings.path is not None else (settings.program if has_folder else None)
    return AllowedCommand(
        program=settings.program,
        # Only an entry that names its project may have a relative path, so it begins there.
        path=None if written is None else root / Path(written).expanduser(),
        first=tuple(ArgumentPattern(text) for text in settings.arguments),
        further=tuple(ArgumentPattern(text) for text in settings.further),
        seconds=settings.seconds,
        variables=settings.variables,
        everywhere=settings.project is None,
    )


MARKED_STARTS = "-/\\~@"
"""First characters with a meaning of their own: an option, an absolute path, the home folder, a file of arguments. Only
a pattern that begins with the same character matches such an argument."""
MAX_PATTERN_CHARS = 200
_LEADS_UP = re.compile(r"(?:^|[^\w.-])\.\.(?:$|[^\w.-])")
"""A `..` that is a whole name in a path."""
_WILDCARD = re.compile(r"\*+")
_SEPARATORS = frozenset("/\\")
_NAME_PUNCTUATION = frozenset("_-.")


@dataclass(frozen=True)
class ArgumentPattern:
    r"""Pattern of one argument, which must match the whole of it.

    `*` matches any number of characters, also none, that are neither `/` nor `\` nor control characters such as a line
    break. `**` matches `/` too, after a letter, a digit, or one of `_-.`, so no absolute path and no URL. No wildcard
    matches `..` as a name. Every other character matches itself; there is no escape.

    Attributes:
        text: the pattern as it was written, at most `MAX_PATTERN_CHARS` characters.
    """

    text: str

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """The characters and wildcards, in order; each wildcard is `*` or `**`."""
        found: list[str] = []
        end = 0
        for match in _WILDCARD.finditer(self.text):
            found.extend(self.text[end : match.start()])
            found.append(match[0][:2])
            end = match.end()
        return (*found, *self.text[end:])

    def _collect_bits(self, part: str) -> int:
        """Return the places of a part as bits."""
        return sum(1 << at for at, one in enumerate(self._parts) if one == part)

    @property
    def is_literal(self) -> bool:
        """True if it matches only its own text."""
        return "*" not in self.text

    def matches(self, argument: str) -> bool:
        """Return whether the whole argument matches, in a time that grows with its length and not faster."""
        # No part matches an empty argument: only a pattern of nothing but stars allows it.
        if self.is_literal or not argument:
            return argument == self.text.strip("*")
        # So that `*` for a file name allows no option.
        if argument[0] in MARKED_STARTS and argument[0] != self.text[0]:
            return False
        return _LEADS_UP.search(argument) is None and self._match_parts(argument)

    def _match_parts(self, argument: str) -> bool:
        """Step through the characters with the set of reached parts, which are bits of a number."""
        single, double = self._collect_bits("*"), self._collect_bits("**")
        literals: dict[str, int] = {}
        reached, before = 1, ""
        for character in argument:
            reached |= (reached & (single | double)) << 1  # a wildcard may match nothing
            if character not in literals:
                literals[character] = self._collect_bits(character) if character != "*" else 0
            repeated = _select_wildcards(single, double, before, character)
            reached = (reached & literals[character]) << 1 | reached & repeated
            before = character
        reached |= (reached & (single | double)) << 1
        return bool(reached >> len(self._parts) & 1)


def _select_wildcards(single: int, double: int, before: str, character: str) -> int:
    """Return those of the wildcards that match a character after another one."""
    if character in _SEPARATORS:
        return double if character == "/" and (before.isalnum() or before in _NAME_PUNCTUATION) else 0
    # A line break in an argument could end the line of a program that reads lines.
    return 0 if unicodedata.category(character) in {"Cc", "Cs"} else single | double


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
        # Some editors on Windows begin a file with a byte-order mark.
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
