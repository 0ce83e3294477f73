"""`.aurora/.gitignore` where Aurora is set up, and where all was taken out: there git is to see nothing of ours."""

from __future__ import annotations

from pathlib import Path

from aurora.memory.files.locate import FOLDER, GITIGNORE

from .model import ChangeRow

NAME = f"{FOLDER}/.gitignore"
WHY_SHOWN = "keeps the memory and the runs out of the repository"
_WHY_HIDDEN = "git sees neither the memory nor the runs nor this file"
_ITSELF = "!.gitignore\n"
_HIDDEN = GITIGNORE.replace(_ITSELF, "")
"""The same rules, under which the file itself is left out too; workflows are seen as before."""


def to_be_shown(root: Path) -> tuple[ChangeRow, ...]:
    """The change that has the repository hold the rules: the file is made, or is no longer left out."""
    held = _held(root)
    if held is not None and held != _HIDDEN:
        return ()
    return (_row(held, GITIGNORE, WHY_SHOWN),)


def to_be_hidden(root: Path) -> tuple[ChangeRow, ...]:
    """The change after which git sees nothing of what stays; none where the repository holds the rules already."""
    from aurora.tools.files.git import worktree  # noqa: PLC0415 - listing tools must not pay for it

    tree = worktree(root) if _held(root) == GITIGNORE else None
    if tree is None or tree.holds(NAME):
        return ()
    return (_row(GITIGNORE, _HIDDEN, _WHY_HIDDEN),)


def show(root: Path) -> None:
    """Have the repository hold the rules again.

    Raises:
        OSError: when the file cannot be written.
    """
    if _held(root) == _HIDDEN:
        _write(root, GITIGNORE)


def hide(root: Path) -> tuple[ChangeRow, ...]:
    """Leave the file itself out too, where git would show it as new; the change that was made.

    Raises:
        OSError: when the file cannot be written.
    """
    change = to_be_hidden(root)
    if change:
        _write(root, _HIDDEN)
    return change


def _held(root: Path) -> str | None:
    try:
        return (root / NAME).read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError:  # a file that cannot be read is left as it is
        return ""


def _write(root: Path, text: str) -> None:
    from aurora.hosts.config.atomic_write import write_whole  # noqa: PLC0415 - as above

    write_whole(root / NAME, text.encode("utf-8"))


def _row(before: str | None, after: str, why: str) -> ChangeRow:
    from aurora.hosts import Change  # noqa: PLC0415 - as above

    old = None if before is None else before.encode("utf-8")
    change = Change(Path(NAME), NAME, old, after.encode("utf-8"), (why,))
    return ChangeRow.model_validate({"path": NAME, "action": change.action, "why": (why,), "diff": change.diff()})
