"""Ignore rules as Git reads them: `.gitignore`, `info/exclude`, `.auroraignore`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults.git.repository import find_personal_excludes
from aurora.memory import files

from .allowed_secrets import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from aurora.faults.git.repository import Repository

    from .ignore_pattern import IgnorePattern


IGNORE_FILES = (".gitignore", ".auroraignore")
"""In rising precedence within one folder."""

_MAX_BYTES, _MAX_LINES, _MAX_PATTERNS = 1 << 20, 10_000, 20_000
"""Bytes and lines of an ignore file, and patterns that apply in one folder.

A larger file is a mistake, or was written to be slow for every file: it is not applied.
"""


class _Rule(NamedTuple):
    """Patterns of one ignore file.

    Attributes:
        prefix: path of its folder from the top, "" or with a final slash.
        is_own: they are from `.auroraignore`, whose word also counts for what git tracks.
    """

    prefix: str
    patterns: tuple[IgnorePattern, ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Ignore rules that apply in one folder, in rising precedence."""

    rules: tuple[_Rule, ...] = ()

    def enter_folder(self, prefix: str, folder: Path, names: Iterable[str]) -> IgnoreRules:
        """Return the rules for a subfolder, adding those of its ignore files in `names`."""
        left = _MAX_PATTERNS - sum(len(rule.patterns) for rule in self.rules)
        found = ((_read_patterns(folder / name), name == IGNORE_FILES[-1]) for name in names)
        added = [_Rule(prefix, patterns, is_own) for patterns, is_own in found if 0 < len(patterns) <= left]
        return IgnoreRules((*self.rules, *added)) if added else self

    def enter_repository(self, prefix: str, repository: Repository) -> IgnoreRules:
        """Return the rules for a work tree: those of the person, and those that only this clone has."""
        found = (_read_patterns(path) for path in (find_personal_excludes(), repository.common / "info" / "exclude"))
        added = (_Rule(prefix, patterns, is_own=False) for patterns in found if patterns)
        return IgnoreRules((*self.rules, *added))

    def is_ignored(self, path: str, *, folder: bool) -> bool:
        """Return True when the last matching pattern excludes the path.

        Args:
            path: relative to the top, with forward slashes.
            folder: True for a folder; some patterns match only those.
        """
        return self._find_verdict(self.rules, path, folder=folder) is True

    def find_own_verdict(self, path: str, *, folder: bool) -> bool | None:
        """Return what `.auroraignore` alone says: whether it excludes the path, or None."""
        return self._find_verdict([rule for rule in self.rules if rule.is_own], path, folder=folder)

    @staticmethod
    def _find_verdict(rules: Sequence[_Rule], path: str, *, folder: bool) -> bool | None:
        name = path.rpartition("/")[2]
        for prefix, patterns, _ in reversed(rules):
            inner = path[len(prefix) :]
            for pattern in reversed(patterns):
                if pattern.matches_path(inner, name, folder=folder):
                    return pattern.ignores
        return None


def read_parent_rules(root: Path, repository: Repository | None) -> tuple[IgnoreRules, str]:
    """Read the rules of the folders above, and the project's prefix in its repository.

    The ignore files of parent folders in the same repository also apply to a project.
    """
    if repository is None:
        return IgnoreRules(), ""
    ignores = IgnoreRules().enter_repository("", repository)
    prefix, folder = "", repository.top
    for part in root.relative_to(repository.top).parts:
        ignores = ignores.enter_folder(prefix, folder, IGNORE_FILES)
        prefix, folder = f"{prefix}{part}/", folder / part
        if ignores.is_ignored(prefix.rstrip("/"), folder=True):
            return IgnoreRules(), prefix  # a folder named explicitly is wanted even if the repository ignores it
    return ignores, prefix


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
