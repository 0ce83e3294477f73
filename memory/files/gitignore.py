"""Ignore rules as Git reads them: `.gitignore`, `info/exclude`, `.auroraignore`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.faults.paths import read_plain
from aurora.memory import files

from .allowed_secrets import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .ignore_pattern import IgnorePattern


IGNORE_FILES = (".gitignore", ".auroraignore")
"""In rising precedence within one folder."""

_MAX_BYTES, _MAX_LINES, _MAX_PATTERNS = 1 << 20, 10_000, 20_000
"""Bytes and lines of an ignore file, and patterns that apply in one folder.

A larger file is a mistake, or was written to be slow for every file: it is not applied.
"""
_POINTER_BYTES = 4096


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Ignore rules that apply in one folder.

    Attributes:
        rules: `(prefix, patterns)` in rising precedence; the prefix is the folder's path from the top, "" or with a
            final slash.
        top: the folder that paths are relative to: the repository, which may be above the project.
    """

    rules: tuple[tuple[str, tuple[IgnorePattern, ...]], ...]
    top: Path

    def enter_folder(self, prefix: str, folder: Path, names: Iterable[str]) -> IgnoreRules:
        """Return the rules for a subfolder, adding those of its ignore files in `names`."""
        left = _MAX_PATTERNS - sum(len(patterns) for _, patterns in self.rules)
        found = (_read_patterns(folder / name) for name in names)
        added = [(prefix, patterns) for patterns in found if 0 < len(patterns) <= left]
        return IgnoreRules((*self.rules, *added), self.top) if added else self

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """Return True when the last matching pattern excludes the path.

        Args:
            path: relative to the top, with forward slashes.
            folder: True for a folder; some patterns match only those.
        """
        name = path.rpartition("/")[2]
        for prefix, patterns in reversed(self.rules):
            inner = path[len(prefix) :]
            for pattern in reversed(patterns):
                if pattern.matches_path(inner, name, folder=folder):
                    return pattern.ignores
        return False


def read_parent_rules(root: Path) -> tuple[IgnoreRules, str]:
    """Read the rules of the folders above, and the project's prefix in its repository.

    The ignore files of parent folders in the same repository also apply to a project.
    """
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if top is None:
        return IgnoreRules((), root), ""
    exclude = _read_patterns(_find_git_folder(top / ".git") / "info" / "exclude")
    ignores = IgnoreRules((("", exclude),) if exclude else (), top)
    prefix, folder = "", top
    for part in root.relative_to(top).parts:
        ignores = ignores.enter_folder(prefix, folder, IGNORE_FILES)
        prefix, folder = f"{prefix}{part}/", folder / part
        if ignores.is_ignored(prefix.rstrip("/"), folder=True):
            return IgnoreRules(
                (), root
            ), ""  # a project folder named explicitly is wanted even if the repository ignores it
    return ignores, prefix


def _find_git_folder(entry: Path) -> Path:
    """Find the folder of `info/`: `.git`, or its target in a work tree or submodule."""
    try:
        if entry.is_dir():
            return entry
        folder = entry.parent / _read_pointer(entry).removeprefix("gitdir:").strip()
        return folder / _read_pointer(folder / "commondir") if (folder / "commondir").is_file() else folder
    except (OSError, ValueError):
        return entry


def _read_pointer(path: Path) -> str:
    return (read_plain(path, _POINTER_BYTES) or b"").decode("utf-8", "surrogateescape").strip()  # never a pipe


def _read_patterns(path: Path) -> tuple[IgnorePattern, ...]:
    """Read the patterns of an ignore file; skip lines that Git would not accept."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ()  # Git does not follow a linked .gitignore either
        text = path.read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        if path.name == IGNORE_FILES[-1]:
            text = f"\n{text}".replace("\r\n", "\n").partition(f"\n{SECTION}\n")[0]
    except OSError:
        return ()
    if text.count("\n") > _MAX_LINES:
        return ()
    patterns = (files.parse_ignore_pattern(line.removesuffix("\r")) for line in text.split("\n"))
    return tuple(pattern for pattern in patterns if pattern is not None)
