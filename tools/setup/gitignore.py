"""`.aurora/.gitignore` where Aurora is set up, and where all was taken out: there git is to see nothing of ours."""

from __future__ import annotations

from pathlib import Path

from aurora.memory.files import DATA_FOLDER, GITIGNORE_TEXT

from .model import ChangeRow

GITIGNORE_PATH = f"{DATA_FOLDER}/.gitignore"
SHOWN_REASON = "keeps the memory and the runs out of the repository"
_HIDDEN_REASON = "git sees neither the memory nor the runs nor this file"
_SELF_RULE = "!.gitignore\n"
_HIDDEN_GITIGNORE = GITIGNORE_TEXT.replace(_SELF_RULE, "")
"""The same rules, under which the file itself is left out too; workflows are seen as before."""


def plan_unhide(root: Path) -> tuple[ChangeRow, ...]:
    """The change that has the repository hold the rules: the file is made, or is no longer left out."""
    held = _read_gitignore(root)
    if held is not None and held != _HIDDEN_GITIGNORE:
        return ()
    return (_to_row(held, GITIGNORE_TEXT, SHOWN_REASON),)


def plan_hide(root: Path) -> tuple[ChangeRow, ...]:
    """The change after which git sees nothing of what stays; none where the repository holds the rules already."""
    from aurora.tools.files import open_worktree  # noqa: PLC0415 - listing tools must not pay for it

    tree = open_worktree(root) if _read_gitignore(root) == GITIGNORE_TEXT else None
    if tree is None or tree.is_tracked(GITIGNORE_PATH):
        return ()
    return (_to_row(GITIGNORE_TEXT, _HIDDEN_GITIGNORE, _HIDDEN_REASON),)


def unhide_gitignore(root: Path) -> None:
    """Have the repository hold the rules again.

    Raises:
        OSError: when the file cannot be written.
    """
    if _read_gitignore(root) == _HIDDEN_GITIGNORE:
        _write_gitignore(root, GITIGNORE_TEXT)


def hide_gitignore(root: Path) -> tuple[ChangeRow, ...]:
    """Leave the file itself out too, where git would show it as new; the change that was made.

    Raises:
        OSError: when the file cannot be written.
    """
    change = plan_hide(root)
    if change:
        _write_gitignore(root, _HIDDEN_GITIGNORE)
    return change


def _read_gitignore(root: Path) -> str | None:
    try:
        return (root / GITIGNORE_PATH).read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError:  # a file that cannot be read is left as it is
        return ""


def _write_gitignore(root: Path, text: str) -> None:
    from aurora.faults import write_atomically  # noqa: PLC0415 - as above

    write_atomically(root / GITIGNORE_PATH, text.encode("utf-8"))


def _to_row(before: str | None, after: str, why: str) -> ChangeRow:
    from aurora.hosts import FileChange  # noqa: PLC0415 - as above

    old = None if before is None else before.encode("utf-8")
    change = FileChange(Path(GITIGNORE_PATH), GITIGNORE_PATH, old, after.encode("utf-8"), (why,))
    return ChangeRow.model_validate(
        {"path": GITIGNORE_PATH, "action": change.action, "why": (why,), "diff": change.to_diff()}
    )
