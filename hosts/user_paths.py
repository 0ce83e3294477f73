"""Where a person's own files lie, and where programs are looked for: HOME, XDG_CONFIG_HOME, APPDATA, PATH."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class UserPaths:
    """One person on one machine.

    Attributes:
        home: the home folder.
        config: where command-line programs keep settings: XDG_CONFIG_HOME or `~/.config`; APPDATA on Windows.
        apps: where programs with windows keep them: as `config`, but `~/Library/Application Support` on macOS.
        path: the folders in which programs are found, as PATH says them.
        lasting: those of them that are there without a virtual environment being activated.
    """

    home: Path
    config: Path
    apps: Path
    path: str
    lasting_path: str

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> UserPaths:
        """The person whom an environment describes.

        Args:
            environ: the environment's variables.
            platform: as `sys.platform` says it.
        """
        named = environ.get("HOME") or environ.get("USERPROFILE")
        home = Path(named or os.path.expanduser("~")).absolute()  # noqa: PTH111 - never raises
        if platform == "win32":
            config = apps = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
        else:
            said = Path(environ.get("XDG_CONFIG_HOME") or ".")
            config = said if said.is_absolute() else home / ".config"  # a relative one does not count, by its standard
            apps = home / "Library" / "Application Support" if platform == "darwin" else config
        path = environ.get("PATH", "")
        active = [Path(environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
        passing = {folder / inner for folder in active for inner in ("bin", "Scripts")}
        lasting = os.pathsep.join(one for one in path.split(os.pathsep) if Path(one) not in passing)
        return cls(home, config, apps, path, lasting)

    def resolve_path(self, written: str) -> Path:
        """The path of `~/…`, `{config}/…` or `{apps}/…`."""
        start, _, rest = written.partition("/")
        return {"~": self.home, "{config}": self.config, "{apps}": self.apps}[start] / rest

    def describe_unusable_root(self, root: Path) -> str:
        """What a folder is that holds everything else, and so is nobody's project; empty for any other.

        Args:
            root: the folder, resolved.
        """
        if root == self.home.resolve():
            return "your home folder"
        return "the root of all folders" if root == Path(root.anchor) else ""

    def format_path(self, path: Path) -> str:
        """The path as `~/…` when it lies in the home folder."""
        return f"~/{path.relative_to(self.home).as_posix()}" if path.is_relative_to(self.home) else str(path)
