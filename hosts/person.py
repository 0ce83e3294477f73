"""The person's paths, and the assistants that are in use there."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, did_you_mean, quote_names

from .registry import HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .host import Host


@dataclass(frozen=True, slots=True)
class UserPaths:
    """Folders and program path of one user on one machine.

    Attributes:
        home: the home folder.
        config: settings of command-line programs: XDG_CONFIG_HOME or `~/.config`; APPDATA on Windows.
        apps: settings of desktop programs: as `config`, but `~/Library/Application Support` on macOS.
        path: the value of PATH.
        lasting_path: PATH without the folders of an activated virtual environment.
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
            # The XDG standard has relative paths ignored.
            config = configured if configured.is_absolute() else home / ".config"
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
        """Describe a folder too broad to be a project; empty for any other."""
        if root == self.home.resolve():
            return "your home folder"
        return "the root folder" if root == Path(root.anchor) else ""

    def format_path(self, path: Path) -> str:
        """Return the path as `~/…` if it is in the home folder."""
        return f"~/{path.relative_to(self.home).as_posix()}" if path.is_relative_to(self.home) else str(path)


def find_evidence(host: Host, root: Path, person: UserPaths) -> tuple[str, ...]:
    """List the signs that a host is in use; empty if there are none."""
    found: list[str] = []
    for mark in host.marks:
        own = mark.startswith(("~/", "{"))
        path = person.resolve_path(mark) if own else root / mark
        if os.access(path, os.F_OK):  # `Path.exists` raises for an unreadable folder
            found.append(person.format_path(path) if own else mark)
    found += [f"the program {name}" for name in host.programs if shutil.which(name, path=person.path)]
    return tuple(found)


def find_used_hosts(root: Path, person: UserPaths) -> tuple[Host, ...]:
    """Return the hosts for which any sign is found."""
    return tuple(host for host in HOSTS if find_evidence(host, root, person))


def get_hosts(names: Iterable[str]) -> tuple[Host, ...]:
    """Return the hosts with these names, each once.

    Raises:
        Fault: NOT_FOUND, with the nearest name.
    """
    known = {host.name: host for host in HOSTS}
    chosen: dict[str, Host] = {}
    for name in names:
        if name not in known:
            meant = did_you_mean(name[:80], known)
            raise Fault(
                Code.NOT_FOUND,
                f'there is no assistant "{name[:80]}"' + (f"; {meant}" if meant else ""),
                help=f"The assistants are {quote_names(known)}.",
                details={"host": name[:80], "choices": sorted(known)},
            )
        chosen[name] = known[name]
    return tuple(chosen.values())


def find_path_owner(path: Path, root: Path, person: UserPaths) -> str:
    """Return the title of the assistant whose configuration a path is, or would be; empty for none.

    Args:
        path: absolute, its folder resolved.
        root: the project's folder, resolved.
        person: the user's paths.
    """
    wanted = _fold(path)
    for host in HOSTS:
        for owned in _iter_owned(host, root, person):
            if wanted == owned or wanted.startswith(owned.rstrip("/") + "/"):
                return host.title
    return ""


def _iter_owned(host: Host, root: Path, person: UserPaths) -> Iterator[str]:
    """Yield the files of a host and, of those in a hidden folder, the whole folder."""
    for written in (*host.project, *host.marks, host.user, *(extra.path for extra in host.extras)):
        if written.startswith(("~/", "{")):
            yield _fold(Path(os.path.realpath(person.resolve_path(written))))
        else:
            first = written.partition("/")[0]
            yield _fold(root / (first if first.startswith(".") else written))


def _fold(path: Path) -> str:
    """Return the path for comparison; macOS and Windows do not tell cases apart."""
    return path.as_posix().casefold()
