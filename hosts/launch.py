"""How a host starts Aurora's server, and what an entry that says so looks like."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .host import Slot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .host import Host
    from .user_paths import UserPaths

SERVER_NAME = "aurora"
"""What the server is called in a project's file."""

_PROGRAM_NAMES = frozenset({"aur", "aurora"})


@dataclass(frozen=True, slots=True)
class Launch:
    """The words that start `aur`, without what comes after them.

    Attributes:
        shared: for files that a team shares: `aur`, when it is found on PATH also where no virtual environment is
            activated, since hosts are not started from such a shell, and others have theirs elsewhere.
        own: for a person's own files: the absolute path of the program that runs now.
    """

    shared: tuple[str, ...]
    own: tuple[str, ...]

    @classmethod
    def detect(cls, person: UserPaths) -> Launch:
        """How this very installation is started."""
        beside = Path(sys.executable).parent / ("aur.exe" if sys.platform == "win32" else "aur")
        own = (str(beside),) if os.access(beside, os.X_OK) else (sys.executable, "-m", "aurora")
        return cls(("aur",) if shutil.which("aur", path=person.lasting_path) else own, own)

    @property
    def is_portable(self) -> bool:
        """Whether a shared file would mean the same on another machine."""
        return self.shared == ("aur",)


def build_entry(host: Host, argv: Sequence[str], name: str) -> dict[str, Any]:
    """The host's entry for a server that is started with these words."""
    filled: Mapping[Any, Any] = {
        Slot.COMMAND: argv[0],
        Slot.ARGS: list(argv[1:]),
        Slot.ARGV: list(argv),
        Slot.NAME: name,
    }
    return {key: filled[value] if isinstance(value, Slot) else value for key, value in host.shape.items()}


def find_missing_fields(host: Host, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that the host needs and an entry lacks; what only says `false` or nothing may be left out."""
    return tuple(key for key, value in host.shape.items() if key not in entry and value not in (False, []))


def read_argv(host: Host, entry: Any) -> tuple[str, ...]:
    """The words that an entry starts its server with; empty when it does not say."""
    if not isinstance(entry, dict):
        return ()
    keys = {value: key for key, value in host.shape.items() if isinstance(value, Slot)}
    command = [entry.get(keys[Slot.COMMAND])] if Slot.COMMAND in keys else []
    said = entry.get(keys[Slot.ARGV if Slot.ARGV in keys else Slot.ARGS])
    words: list[Any] = [*command, *(said if isinstance(said, list) else [])]
    if not all(isinstance(word, str) for word in words):
        return ()
    return tuple(word.encode("utf-8", "replace").decode("utf-8") for word in words)  # JSON can hold half a character


def is_aurora_command(argv: Sequence[str]) -> bool:
    """Whether these words start Aurora: `aur mcp`, `/a/b/aur mcp`, `python -m aurora mcp`, `uvx … aur mcp`."""
    if "mcp" not in argv:
        return False
    before = argv[: list(argv).index("mcp")]
    return any(word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") in _PROGRAM_NAMES for word in before)


def is_bare(argv: Sequence[str]) -> bool:
    """Whether the program is named without a folder, and so looked for on PATH."""
    return bool(argv) and not os.path.dirname(argv[0])  # noqa: PTH120 - a text stays a text: `aur` is not `./aur`


def read_project_option(argv: Sequence[str]) -> str | None:
    """The project that these words name, or None when it is the folder in which they are started."""
    words = list(argv)
    return words[words.index("--project") + 1] if "--project" in words[:-1] else None


def find_executable(argv: Sequence[str], root: Path, person: UserPaths) -> str | None:
    """The program that these words start, or None when there is none that may be started."""
    if not argv:
        return None
    command = os.path.expanduser(argv[0])  # noqa: PTH111 - a text stays a text: `aur` is not `./aur`
    if os.path.dirname(command) and not os.path.isabs(command):  # noqa: PTH117, PTH120 - as above
        command = str(root / command)
    return shutil.which(command, path=person.path)
