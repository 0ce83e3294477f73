"""Discovery of the files to index, with a reason for each skipped file."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Code, Fault
from aurora.memory.model.reports import SkippedFile
from aurora.system.git.index import ALL_TRACKED, NOTHING_TRACKED, read_tracked
from aurora.system.git.repository import find_repository
from aurora.system.git.worktrees import find_copy

from .gitignore import IGNORE_FILES, IgnoreRules, read_parent_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.system.git.index import TrackedFiles
    from aurora.system.git.repository import Repository

EXCLUDED_FOLDERS = frozenset(
    {
        ".aurora",
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".gradle",
        ".hg",
        ".hypothesis",
        ".mypy_cache",
        ".next",
        ".nox",
        ".nuxt",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".terraform",
        ".tox",
        ".yarn",
        "__pycache__",
        "bower_components",
        "node_modules",
    }
)
"""Folders that never contain the project's own source, whatever the ignore files say."""


_ASSISTANT_REST = ("assistant", "in the folder of an assistant, and not tracked by git")

CACHE_MARKERS = ("pyvenv.cfg", "CACHEDIR.TAG")
"""A folder with one of these files is a virtual environment or a cache, whatever its name."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Regular file inside the project, as discovery found it.

    Attributes:
        path: project-relative, with forward slashes.
        size: in bytes.
        mtime_ns: time of the last change, in nanoseconds since the epoch.
    """

    path: str
    absolute: Path
    size: int
    mtime_ns: int


class _Checkout(NamedTuple):
    """Work tree of git that contains a folder.

    Attributes:
        base: path of its top in the project, "" or with a final slash.
        above: prefix of the project in its repository; "" for a repository inside the project.
        tracked: what git tracks in it.
    """

    base: str
    above: str
    tracked: TrackedFiles

    def has(self, path: str, *, folder: bool) -> bool:
        """Return whether git tracks a file, or a file in a folder, by its path in the project."""
        name = self.above + path.removeprefix(self.base)
        return self.tracked.has_any(name) if folder else self.tracked.has_file(name)


ASSISTANT_FILES = frozenset(
    {
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".continue/mcpServers/aurora.yaml",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".github/mcp.json",
        ".junie/mcp/mcp.json",
        ".kiro/settings/mcp.json",
        ".mcp.json",
        ".qwen/settings.json",
        ".vscode/mcp.json",
        ".zed/settings.json",
        "opencode.json",
        "opencode.jsonc",
    }
)
"""Configuration of assistants, into which `aur init` writes, in any folder of a project; also where git tracks it."""


_NAMES = frozenset(path.rpartition("/")[2] for path in ASSISTANT_FILES)


class _Folder(NamedTuple):
    """Folder to read.

    Attributes:
        path: absolute.
        prefix: its path in the project, "" or with a final slash.
        ignores: the ignore rules that apply in it.
        checkout: the work tree that it belongs to.
        is_foreign: only what git tracks in it is part of the project.
        rest: reason and detail with which the rest of such a folder is listed; empty where an ignore file names it.
    """

    path: str
    prefix: str
    ignores: IgnoreRules
    checkout: _Checkout
    is_foreign: bool = False
    rest: tuple[str, str] | tuple[()] = ()


def discover_files(
    root: Path, within: Sequence[str] = (), *, is_export: bool = False
) -> Iterator[SourceFile | SkippedFile]:
    """Yield the files that are part of the project, in a stable order.

    These are the files that git tracks, and those that no ignore file excludes and that are not in a folder of their
    own kind: another working tree, a clone of a tool, the folder of an assistant. `.auroraignore` has the last word.

    Symbolic links are not followed: one that leads out of the project is skipped as `outside`, one that leads to
    another place inside as `link`, since its target has its own name there.

    Args:
        root: the project's folder.
        within: only these files and folders, as paths inside the project; all when empty. Others are neither
            entered nor examined.
        is_export: the folder contains the files of a commit and nothing else: git tracks all of them.

    Raises:
        Fault: `NOT_FOUND` when there is no such folder, `FORBIDDEN` when it may not be read.
    """
    real = Path(os.path.realpath(root))
    try:
        # The walk skips a folder that it cannot read and goes on; for the project's own folder that is an error.
        with os.scandir(real):
            pass
    except (FileNotFoundError, NotADirectoryError) as error:
        problem = "is not a folder" if isinstance(error, NotADirectoryError) else "does not exist"
        raise Fault(
            Code.NOT_FOUND, f'the project folder "{root}" {problem}', help="name a folder that contains a project"
        ) from error
    except OSError as error:
        raise Fault(
            Code.FORBIDDEN,
            f'the project folder "{root}" cannot be read: {error.strerror}',
            help="let your user read it, or name another folder",
        ) from error
    repository = _find_repository(real)
    rules, above = read_parent_rules(real, repository)
    tracked = ALL_TRACKED if is_export else read_tracked(repository) if repository else NOTHING_TRACKED
    return _Walk(real, above, repository, within).iter_files(
        _Folder(str(real), "", rules, _Checkout("", above, tracked))
    )


def find_left_out(root: Path, path: str) -> SkippedFile | None:
    """Return the left-out file or folder that a path is or lies in; None for any other path.

    Args:
        root: the project's folder.
        path: relative to it, with forward slashes.
    """
    found = (one for one in discover_files(root, [path]) if isinstance(one, SkippedFile))
    return next((one for one in found if path == one.path or path.startswith(f"{one.path}/")), None)


def _find_repository(folder: Path) -> Repository | None:
    try:
        return find_repository(folder)
    except Fault:  # of another folder: it says nothing about this one
        return None


@dataclass(frozen=True, slots=True)
class _Walk:
    """Walk over the folders of a project.

    Attributes:
        root: the project's folder, resolved.
        above: the prefix of the project in its repository.
        repository: the repository of the root.
        within: the selected files and folders; all when empty.
    """

    root: Path
    above: str
    repository: Repository | None
    within: Sequence[str]

    def iter_files(self, top: _Folder) -> Iterator[SourceFile | SkippedFile]:
        """Yield the files below the root, in a stable order."""
        # A stack instead of recursion: a clone may nest folders a thousand levels deep.
        stack = [top]
        while stack:
            folder = stack.pop()
            try:
                entries = _list_entries(folder)
            except FileNotFoundError:
                continue  # deleted since its parent was read
            except OSError as error:
                message = f"the folder cannot be read: {error.strerror}"
                yield SkippedFile(_escape_path(folder.prefix), "unreadable", message)
                continue
            inner: list[_Folder] = []
            for found in self._iter_entries(folder, entries):
                if isinstance(found, _Folder):
                    inner.append(found)
                else:
                    yield found
            stack.extend(reversed(inner))

    def _iter_entries(
        self, folder: _Folder, entries: Sequence[os.DirEntry[str]]
    ) -> Iterator[SourceFile | SkippedFile | _Folder]:
        """Yield what the entries of a folder are, or the reason to skip the folder."""
        names = {entry.name for entry in entries}
        if folder.prefix and not names.isdisjoint(CACHE_MARKERS):
            return
        entered = self._enter_folder(folder, names)
        if isinstance(entered, SkippedFile):
            yield entered
            return
        for entry in entries:
            if self.within and not _is_selected(folder.prefix + entry.name, self.within):
                continue
            found = self._classify_entry(entered, entry)
            if found is not None:
                yield found

    def _enter_folder(self, folder: _Folder, names: set[str]) -> _Folder | SkippedFile:
        """Return a folder with the rules of its ignore files, or the reason not to read it."""
        if folder.prefix and ".git" in names:
            entered = self._enter_repository(folder)
            if isinstance(entered, SkippedFile):
                return entered
            folder = entered
        present = [name for name in IGNORE_FILES if name in names]
        rules = folder.ignores.enter_folder(self.above + folder.prefix, Path(folder.path), present)
        return folder._replace(ignores=rules)

    def _enter_repository(self, folder: _Folder) -> _Folder | SkippedFile:
        """Return a repository as a folder of its own work tree, or the reason to skip it."""
        path, checkout = folder.prefix.rstrip("/"), folder.checkout
        place = self.above + path
        # A submodule is tracked as one entry at its path, which makes it part of the project; `!` in .auroraignore
        # does the same for any other repository.
        is_wanted = folder.ignores.find_own_verdict(place, folder=True) is False
        if not is_wanted and not checkout.has(path, folder=False):
            copy = find_copy(Path(folder.path), self.root, self.repository)
            # Anybody can put a `.git` next to files that git tracks; it must not hide them.
            if copy is not None and checkout.has(path, folder=True):
                return folder._replace(is_foreign=True, rest=(copy.reason, f"in {copy.detail}, and not tracked by git"))
            if copy is not None:
                return SkippedFile(path, copy.reason, copy.detail)
        found = _find_repository(Path(folder.path))
        # A `.git` that leads to a repository elsewhere, or to none, says nothing about this folder.
        if found is None or str(found.top) != folder.path:
            return folder
        rules = folder.ignores.enter_repository(f"{place}/", found)
        inner = _Checkout(folder.prefix, "", read_tracked(found))
        return folder._replace(ignores=rules, checkout=inner, is_foreign=False, rest=())

    def _classify_entry(self, folder: _Folder, entry: os.DirEntry[str]) -> SourceFile | SkippedFile | _Folder | None:
        """Return a file, a folder to read, the reason to skip it, or None."""
        path = folder.prefix + entry.name
        if not _is_utf8(entry.name):
            return SkippedFile(_escape_path(path), "name", "the file's name is not UTF-8")
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            belongs = self._sort_entry(folder, path, entry.name, is_folder=is_folder)
            if not isinstance(belongs, _Folder):
                return belongs
            if is_folder:
                return belongs._replace(path=entry.path, prefix=f"{path}/")
            return _describe_link(self.root, path, entry.path) if entry.is_symlink() else _stat_file(path, entry)
        except FileNotFoundError:
            return None  # deleted since the folder was read
        except OSError as error:
            return SkippedFile(path, "unreadable", f"{error.strerror}")

    def _sort_entry(self, folder: _Folder, path: str, name: str, *, is_folder: bool) -> _Folder | SkippedFile | None:
        """Return the folder as its entry continues it, the reason to skip it, or None."""
        if name in EXCLUDED_FOLDERS:
            return None
        if not is_folder and (why := describe_assistant_file(path)):
            return SkippedFile(path, "assistant", why)
        place = self.above + path
        is_ignored = folder.ignores.is_ignored(place, folder=is_folder)
        is_assistant = is_folder and is_assistant_folder(name)
        if not (is_ignored or is_assistant or folder.is_foreign):
            return folder
        own = folder.ignores.find_own_verdict(place, folder=is_folder)
        # `!` in .auroraignore is the person's word: it takes in what would be left out for its place.
        if own is False and not is_ignored:
            return folder._replace(is_foreign=False, rest=())
        rest = _ASSISTANT_REST if is_assistant else folder.rest
        # What git tracks is the project, whatever a .gitignore says; only .auroraignore excludes it.
        if own is not True and folder.checkout.has(path, folder=is_folder):
            return folder._replace(is_foreign=True, rest=() if is_ignored else rest)
        return None if is_ignored or not rest else SkippedFile(path, *rest)


def _list_entries(folder: _Folder) -> list[os.DirEntry[str]]:
    with os.scandir(folder.path) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _is_selected(path: str, within: Sequence[str]) -> bool:
    """Return True for a selected path, a path inside one, or a folder around one."""
    return any(path == place or path.startswith(f"{place}/") or place.startswith(f"{path}/") for place in within)


def _stat_file(path: str, entry: os.DirEntry[str]) -> SourceFile | SkippedFile:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        return SkippedFile(path, "special", "a device, a socket or a pipe, not a file")
    return SourceFile(path, Path(entry.path), found.st_size, found.st_mtime_ns)


def _describe_link(root: Path, path: str, absolute: str) -> SkippedFile:
    """Describe a symbolic link; name its target only when it is inside the project."""
    target = Path(os.path.realpath(absolute))
    # What lies outside is not named: a link of a clone would make the answer tell whether a file exists there.
    if target != root and root not in target.parents:
        return SkippedFile(path, "outside", "a symbolic link that leads out of the project")
    if not os.path.lexists(target) or target.is_symlink():
        return SkippedFile(path, "link", "a symbolic link that leads nowhere")
    return SkippedFile(path, "link", f'a symbolic link to "{_escape_path(target.relative_to(root).as_posix())}"')


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _escape_path(path: str) -> str:
    r"""Escape bytes of a path that are not UTF-8 as `\xff`."""
    return os.fsencode(path.rstrip("/")).decode("utf-8", "backslashreplace")


ASSISTANT_FOLDERS = frozenset(
    {
        ".agents",
        ".claude",
        ".clinerules",
        ".codex",
        ".continue",
        ".cursor",
        ".gemini",
        ".junie",
        ".kiro",
        ".opencode",
        ".qwen",
        ".windsurf",
    }
)
"""Folders in which an assistant keeps settings, sessions, copies and working trees beside what the team shares.

Of these, what git tracks is part of the project. A test compares the list with the assistants that `hosts` knows.
"""


_PRIVATE_NAME = "settings.local.json"

# Parts of the longest path in ASSISTANT_FILES.
_MAX_PARTS = 3


def is_assistant_folder(name: str) -> bool:
    """Return True for the name of a folder of an assistant."""
    return name.lower() in ASSISTANT_FOLDERS


def describe_assistant_file(path: str) -> str:
    """Describe why a file is an assistant's alone; empty for any other file.

    Args:
        path: relative to the project, with forward slashes.
    """
    name = path.rpartition("/")[2]
    if name.lower() == _PRIVATE_NAME:
        return "the person's own settings of an assistant"
    parts = path.split("/")[-_MAX_PARTS:] if name in _NAMES else []
    is_found = any("/".join(parts[at:]) in ASSISTANT_FILES for at in range(len(parts)))
    return "the configuration of an assistant" if is_found else ""
