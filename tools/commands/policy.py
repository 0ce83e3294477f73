"""Commands that the person allows: the section `commands` of their configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.trust import PrivateFileError, find_config_file, read_private_file

from .pattern import ArgumentPattern
from .settings import CommandSettings, parse_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    if settings.project is not None and Path(os.path.realpath(home)) != root:
        return None
    has_folder = "/" in settings.program
    written = settings.path if settings.path is not None else (settings.program if has_folder else None)
    return AllowedCommand(
        program=settings.program,
        path=None if written is None else root / Path(written).expanduser(),
        first=tuple(ArgumentPattern(text) for text in settings.arguments),
        further=tuple(ArgumentPattern(text) for text in settings.further),
        seconds=settings.seconds,
        variables=settings.variables,
        everywhere=settings.project is None,
    )
