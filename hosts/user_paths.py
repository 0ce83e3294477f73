"""Paths of the user: HOME, XDG_CONFIG_HOME, APPDATA, PATH."""

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
    """Folders and program path of one user on one machine.

    Attributes:
        home: the home folder.
        config: settings of command-line programs: XDG_CONFIG_HOME or `~/.config`; APPDATA on Windows.
        apps: settings of desktop programs: as `config`, but `~/Library/Application Support` on macOS.
        path: the value of PATH.
        lasting: PATH without the folders of an activated virtual environment.
    """

    home: Path
    config: Path
    apps: Path
    path: str
    lasting_path: str

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> UserPaths:
        """Read the user's paths from the environment.

        Args:
            environ: the environment variables.
            platform: a value of `sys.platform`.
        """
        named = environ.get("HOME") or environ.get("USERPROFILE")
        home = Path(named or os.path.expanduser("~")).absolute()  # noqa: PTH111 - never raises
        if platform == "win32":
            config = apps = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
        else:
            configured = Path(environ.get("XDG_CONFIG_HOME") or ".")
            config = (
                configured if configured.is_absolute() else home / ".config"
            )  # the XDG standard ignores relative paths
            apps = home / "Library" / "Application Support" if platform == "darwin" else config
        path = environ.get("PATH", "")
        active = [Path(environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
        passing = {folder / inner for folder in active for inner in ("bin", "Scripts")}
        lasting = os.pathsep.join(
            folder_name for folder_name in path.split(os.pathsep) if Path(folder_name) not in passing
        )
        return cls(home, config, apps, path, lasting)

    def resolve_path(self, written: str) -> Path:
        """Resolve `~/…`, `{config}/…` or `{apps}/…`."""
        start, _, rest = written.partition("/")
        return {"~": self.home, "{config}": self.config, "{apps}": self.apps}[start] / rest

    def describe_unusable_root(self, root: Path) -> str:
        """Describe a folder too broad to be a project; empty for any other.

        Args:
            root: the folder, resolved.
        """
        if root == self.home.resolve():
            return "your home folder"
        return "the root folder" if root == Path(root.anchor) else ""

    def format_path(self, path: Path) -> str:
        """Return the path as `~/…` if it is in the home folder."""
        return f"~/{path.relative_to(self.home).as_posix()}" if path.is_relative_to(self.home) else str(path)
