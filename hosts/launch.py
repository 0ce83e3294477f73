"""Command that starts Aurora's server, and the entry for it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from .host import Slot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .host import Host
    from .user_paths import UserPaths

SERVER_NAME = "aurora"
"""Name of the server in a project's file."""

_PROGRAM_NAMES = frozenset({"aur", "aurora"})
_MODULE = ("-P", "-m", "aurora")
"""Options of Python that run Aurora; without `-P`, Python imports from the folder in which a host starts it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Command line that starts `aur`, without its arguments.

    Attributes:
        shared: for files that a team shares: `aur` if it is on PATH outside of a virtual environment, since hosts
            do not start in an activated shell, and others have their environment elsewhere.
        own: for a user's own files: the absolute path of the running program.
    """

    shared: tuple[str, ...]
    own: tuple[str, ...]

    @classmethod
    def detect(cls, person: UserPaths) -> Launch:
        """Find the command that starts the running installation.

        Without an installed script it is `python -P -m aurora`: an assistant starts it in the project's folder, and
        without `-P`, Python would import a `click.py` from there.
        """
        installed = Path(sys.executable).parent / ("aur.exe" if sys.platform == "win32" else "aur")
        own = (str(installed),) if os.access(installed, os.X_OK) else (sys.executable, *_MODULE)
        return cls(("aur",) if shutil.which("aur", path=person.lasting_path) else own, own)

    @property
    def is_portable(self) -> bool:
        """Check whether a shared file works the same on another machine."""
        return self.shared == ("aur",)


def build_entry(host: Host, argv: Sequence[str], name: str) -> dict[str, Any]:
    """Build the host's entry for a server command line."""
    filled: Mapping[Any, Any] = {
        Slot.COMMAND: argv[0],
        Slot.ARGS: list(argv[1:]),
        Slot.ARGV: list(argv),
        Slot.NAME: name,
    }
    required = {key: filled[value] if isinstance(value, Slot) else value for key, value in host.shape.items()}
    return {**required, **host.helpful}


def add_safe_path(argv: Sequence[str]) -> tuple[str, ...]:
    """Add `-P` to `python -m aurora …` of earlier versions; leave any other command unchanged."""
    is_module = tuple(argv[1:3]) == _MODULE[1:]
    return (argv[0], *_MODULE, *argv[3:]) if is_module else tuple(argv)


def find_missing_fields(host: Host, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """List the fields that an entry lacks; `false` and `[]` may be absent."""
    return tuple(key for key, value in host.shape.items() if key not in entry and value not in (False, []))


def read_argv(host: Host, entry: Any) -> tuple[str, ...]:
    """Read the command line of an entry; empty if it has none."""
    if not isinstance(entry, dict):
        return ()
    keys = {value: key for key, value in host.shape.items() if isinstance(value, Slot)}
    command = [entry.get(keys[Slot.COMMAND])] if Slot.COMMAND in keys else []
    arguments = entry.get(keys[Slot.ARGV if Slot.ARGV in keys else Slot.ARGS])
    words: list[Any] = [*command, *(arguments if isinstance(arguments, list) else [])]
    if not all(isinstance(word, str) for word in words):
        return ()
    return tuple(word.encode("utf-8", "replace").decode("utf-8") for word in words)  # JSON can contain a lone surrogate


def is_aurora_command(argv: Sequence[str]) -> bool:
    """Check whether a command line starts Aurora's server.

    For example `aur mcp`, `/a/b/aur mcp`, `python -P -m aurora mcp`, `uvx … aur mcp`.
    """
    if "mcp" not in argv:
        return False
    return any(map(is_aurora_program, argv[: list(argv).index("mcp")]))


def is_aurora_program(word: str) -> bool:
    """Check whether a word names the program `aur`, with or without a folder, or the module `aurora`."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") in _PROGRAM_NAMES


def is_bare(argv: Sequence[str]) -> bool:
    """Check whether the program has no folder and is looked up on PATH."""
    return bool(argv) and PurePath(argv[0]).name == argv[0]


def split_trusted_command(argv: Sequence[str], root: Path, person: UserPaths) -> tuple[str, ...] | None:
    """Return the arguments of a command line that may be run although the project's files name it.

    Its program is that of the running installation, or the `aur` on the user's PATH, and not in the project: a clone
    can bring programs, and can name any other with any arguments.

    Args:
        argv: the command line; the program as it is written.
        root: the project's folder, resolved.
        person: the user's paths.

    Returns:
        The words behind `aur`, or behind `python -P -m aurora`; None for any other program.
    """
    found = find_executable(argv, root, person)
    if found is None or os.pardir in PurePath(argv[0]).parts:  # behind a link `..` leads elsewhere than the text says
        return None
    program = os.path.normpath(root / found)
    own = Launch.detect(person).own
    if tuple(argv[1 : 1 + len(_MODULE)]) == _MODULE:
        return tuple(argv[1 + len(_MODULE) :]) if program == sys.executable else None
    on_path = shutil.which("aur", path=person.path)
    outside = [one for one in (on_path,) if one and not Path(os.path.realpath(one)).is_relative_to(root)]
    known = {path for one in (*(own if len(own) == 1 else ()), *outside) for path in (one, os.path.realpath(one))}
    # No link is followed from what the file says: a clone can bring links, also by way of `/proc/self/cwd`.
    return tuple(argv[1:]) if program in known else None


def read_project_option(argv: Sequence[str]) -> str | None:
    """Return the value of `--project`; None means the current folder."""
    words = list(argv)
    return words[words.index("--project") + 1] if "--project" in words[:-1] else None


def find_executable(argv: Sequence[str], root: Path, person: UserPaths) -> str | None:
    """Find the program of a command line; None if it cannot be run."""
    if not argv:
        return None
    command = Path(argv[0])
    with contextlib.suppress(RuntimeError):  # `~name` of an unknown user
        command = command.expanduser()
    return shutil.which(argv[0] if is_bare(argv) else root / command, path=person.path)
