"""What a project leaves out: `.gitignore` at every level, `.git/info/exclude`, `.auroraignore`, read as Git does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

IGNORE_FILES = (".gitignore", ".auroraignore")
"""In the order of their weight in one folder: the last word is Aurora's own."""

_MAX_BYTES = 1 << 20  # an ignore file larger than this is a mistake, and would be slow at every file
_POINTER_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Ignores:
    """The patterns in force in one folder.

    Attributes:
        rules: `(prefix, patterns)`, the weightiest last; the prefix is that folder's path from the top, "" or with a
            slash at its end.
        top: the folder that paths are counted from: the repository's, which may lie above the project.
    """

    rules: tuple[tuple[str, GitIgnoreSpec], ...]
    top: Path

    def within(self, prefix: str, folder: Path, names: Iterable[str]) -> Ignores:
        """The patterns in force one folder deeper, with those of the ignore files among `names`."""
        added = [(prefix, spec) for name in names if (spec := _spec_of(folder / name)) is not None]
        return Ignores((*self.rules, *added), self.top) if added else self

    def ignored(self, path: str, *, folder: bool) -> bool:
        """Whether the last pattern that speaks of this path leaves it out.

        Args:
            path: from the top, with forward slashes.
            folder: whether it is a folder; some patterns speak only of those.
        """
        for prefix, spec in reversed(self.rules):
            inner = path[len(prefix) :] + ("/" if folder else "")
            verdict = spec.check_file(inner, separators=()).include
            if verdict is not None:
                return verdict
        return False


def ignores_above(root: Path) -> tuple[Ignores, str]:
    """The patterns that hold before the project's own, and the project's prefix in its repository.

    A project that is a folder of a repository is also under the ignore files of the folders above it.
    """
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if top is None:
        return Ignores((), root), ""
    exclude = _spec_of(_git_folder(top / ".git") / "info" / "exclude")
    ignores = Ignores((("", exclude),) if exclude is not None else (), top)
    prefix, folder = "", top
    for part in root.relative_to(top).parts:
        ignores = ignores.within(prefix, folder, IGNORE_FILES)
        prefix, folder = f"{prefix}{part}/", folder / part
        if ignores.ignored(prefix.rstrip("/"), folder=True):
            return Ignores((), root), ""  # who names a folder that the repository leaves out wants it all the same
    return ignores, prefix


def _git_folder(entry: Path) -> Path:
    """Where a repository keeps `info/`: `.git` itself, or what it points at in a work tree or a submodule."""
    try:
        if entry.is_dir():
            return entry
        folder = entry.parent / _pointer(entry).removeprefix("gitdir:").strip()
        return folder / _pointer(folder / "commondir") if (folder / "commondir").is_file() else folder
    except (OSError, ValueError):
        return entry


def _pointer(path: Path) -> str:
    with path.open(encoding="utf-8", errors="surrogateescape") as file:
        return file.read(_POINTER_BYTES).strip()


def _spec_of(path: Path) -> GitIgnoreSpec | None:
    """The patterns of an ignore file, None when there is nothing to read; what Git would not accept is passed over."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only indexing needs it
    from pathspec.patterns.gitignore import GitIgnorePatternError  # noqa: PLC0415 - as above
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415 - as above

    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None  # Git does not follow a linked .gitignore either
        text = path.read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    except OSError:
        return None
    patterns: list[GitIgnoreSpecPattern] = []
    for line in text.split("\n"):
        try:
            patterns.append(GitIgnoreSpecPattern(line.removesuffix("\r")))
        except GitIgnorePatternError:
            continue
    meant = [pattern for pattern in patterns if pattern.include is not None]
    return GitIgnoreSpec(meant) if meant else None
