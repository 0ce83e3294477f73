"""Repository of a folder: found, and its configuration read as data, without starting git."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.system.paths.read import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTER_BYTES = 4096
"""Most bytes of a file that names a folder."""
_BRANCH_CHARS = 250
_PACKED_BYTES = 16_000_000
"""Most bytes of the file of packed references; some 200,000 of them."""
_REFERENCE = "ref: "
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
MAX_CONFIG_BYTES = 256_000
"""Most bytes of a configuration file that are read."""

_HEADER = re.compile(r'[ \t]*\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]')
_NAME = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}
Setting = tuple[str, str]
"""`section.subsection.name`, section and name in lower case, and the value; `true` for a name alone."""


@dataclass(frozen=True, slots=True)
class Repository:
    """Repository of a project.

    Attributes:
        root: the project's folder, resolved; it may be below `top`.
        top: the work tree: the folder with `.git`.
        folder: git's folder of this work tree, with HEAD and the index.
        common: git's folder of the repository, with objects and refs; the same unless this is a linked work tree.
    """

    root: Path
    top: Path
    folder: Path
    common: Path


# Git itself follows any `.git`. A clone may bring one that names the person's other repository, whose files would then
# be answered from here: so both ends must name each other.
def find_repository(root: Path) -> Repository | None:
    """Find the repository that contains a folder; None if there is none.

    It reads what `.git` says without starting git. A file or a link `.git` that names another place is followed only
    if that place names this folder in return: a linked work tree and a submodule do, and a clone cannot make another
    repository of the user do it.

    Args:
        root: the folder, resolved.

    Raises:
        Fault: FORBIDDEN when `.git` leads to the repository of another folder, or its parts are links.
    """
    for top in (root, *root.parents):
        folder = _find_git_folder(top)
        common = _find_common_folder(folder, top) if folder is not None else None
        if folder is not None and common is not None:
            return Repository(root, top, folder, common)
    return None


def read_branch(root: Path) -> str:
    """Read the branch that is checked out, without starting git; empty without a repository or a branch.

    A secret in its name is masked, since memories and runs record the branch.
    """
    from aurora.system.secrets.masks import mask_secrets  # noqa: PLC0415 - who only looks for a repository needs no scan

    try:
        repository = find_repository(root.resolve())
    except Fault:
        return ""
    head = read_plain(repository.folder / "HEAD", POINTER_BYTES) if repository is not None else None
    name = (head or b"").decode("utf-8", "replace").strip()
    prefix = "ref: refs/heads/"
    return mask_secrets(name.removeprefix(prefix))[:_BRANCH_CHARS] if name.startswith(prefix) else ""


def read_commit(root: Path) -> str:
    """Read the commit that is checked out, as 40 or 64 hexadecimal digits, without starting git.

    Returns:
        Empty without a repository or a commit, and where the references are in a format other than files.
    """
    try:
        repository = find_repository(root.resolve())
    except Fault:
        return ""
    if repository is None:
        return ""
    head = _read_line(repository.folder / "HEAD")
    if not head.startswith(_REFERENCE):
        return head if _COMMIT.fullmatch(head) else ""
    name = head.removeprefix(_REFERENCE)
    if not name.startswith("refs/") or ".." in name.split("/") or not name.isprintable():
        return ""
    found = _read_line(repository.folder / name) or _read_line(repository.common / name)
    return found if _COMMIT.fullmatch(found) else _find_packed(repository.common / "packed-refs", name)


def _read_line(path: Path) -> str:
    """Read a small file of git, without links; empty for any other file."""
    return (read_plain(path, POINTER_BYTES) or b"").decode("utf-8", "replace").strip()


def _find_packed(path: Path, name: str) -> str:
    """Find the commit of a reference in the file of packed references; empty if it is not there."""
    text = read_plain(path, _PACKED_BYTES) or b""
    commit, found, _ = text.partition(b" " + os.fsencode(name) + b"\n")
    line = commit.rpartition(b"\n")[2].decode("ascii", "replace") if found else ""
    return line if _COMMIT.fullmatch(line) else ""


def _find_git_folder(top: Path) -> Path | None:
    """Return the folder that `.git` is or names; None for anything else."""
    entry = top / ".git"
    try:
        kind = entry.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISDIR(kind):
        return entry
    pointer = (read_plain(entry, POINTER_BYTES) or b"") if stat.S_ISREG(kind) else b""
    if not (pointer.startswith(b"gitdir:") or stat.S_ISLNK(kind)):
        return None
    folder = resolve_pointer(top, pointer.removeprefix(b"gitdir:")) if pointer else Path(os.path.realpath(entry))
    if not folder.is_relative_to(top) and not _leads_back(folder, top):
        raise _build_foreign_fault(top, folder)
    return folder


def _leads_back(folder: Path, top: Path) -> bool:
    """Return True when git's folder names the work tree: in `gitdir`, or as `core.worktree`."""
    # A linked work tree is named in `gitdir`, a submodule's in `core.worktree`.
    back = read_plain(folder / "gitdir", POINTER_BYTES)
    if back is not None:
        return resolve_pointer(folder, back) == top / ".git"
    named = [value for key, value in read_settings(folder / "config") if key == "core.worktree"]
    return bool(named) and resolve_pointer(folder, os.fsencode(named[-1])) == top


def _find_common_folder(folder: Path, top: Path) -> Path | None:
    """Return git's folder with objects and refs; None if this is no repository."""
    pointer = read_plain(folder / "commondir", POINTER_BYTES)
    common = folder if pointer is None else resolve_pointer(folder, pointer)
    # A clone writes its own `commondir`, but no folder into `worktrees` of the person's other repository.
    if common != folder and folder.parent != common / "worktrees":
        raise _build_foreign_fault(top, common)
    if not os.path.lexists(folder / "HEAD"):
        return None
    return common if has_repository(common) else None


def has_repository(folder: Path) -> bool:
    """Return True for git's folder of a repository: it contains objects and refs.

    Raises:
        Fault: FORBIDDEN when these are links, which may lead to another repository.
    """
    for part in ("objects", "refs"):
        try:
            kind = (folder / part).lstat().st_mode
        except OSError:
            return False
        if not stat.S_ISDIR(kind):
            raise build_linked_fault(folder / part)
    return True


def resolve_pointer(folder: Path, written: bytes) -> Path:
    """Return the path that a file of git names, relative to a folder, with links above it resolved."""
    named = folder / os.fsdecode(written.strip(b" \t\r\n").partition(b"\0")[0])
    return Path(os.path.realpath(named.parent)) / named.name if named.name == ".git" else Path(os.path.realpath(named))


def build_linked_fault(path: Path) -> Fault:
    """Build the fault for a link among the files of git, which may lead to another repository."""
    return Fault(
        Code.FORBIDDEN,
        f'"{path}" is a link, and Aurora reads no repository through links',
        help="Clone the repository anew, or replace the link by what it leads to.",
        details={"path": str(path)},
    )


def _build_foreign_fault(top: Path, folder: Path) -> Fault:
    return Fault(
        Code.FORBIDDEN,
        f'".git" in "{top}" leads to "{folder}", which is the repository of another folder',
        help="If it is yours: `git worktree repair` repairs a linked work tree, and "
        f'`git config core.worktree "{top}"` connects a repository in a folder of its own.',
        details={"path": str(folder)},
    )


def read_settings(path: Path) -> tuple[Setting, ...]:
    """Read a configuration file without its includes; a missing, linked or too large one is empty."""
    # An include could name any file of the person.
    data = read_plain(path, MAX_CONFIG_BYTES + 1) or b""
    if len(data) > MAX_CONFIG_BYTES:
        return ()
    return tuple(parse_settings(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")))


def parse_settings(text: str) -> Iterator[Setting]:
    """Parse the text as git does; stop at the first line that git would reject."""
    section, position = "", 0
    while position < len(text):
        if text[position] in " \t\n\ufeff":
            position += 1
        elif text[position] in "#;":
            position = _find_line_end(text, position)
        elif header := _HEADER.match(text, position):
            name, inner = header[1].lower(), header[2]
            section = name if inner is None else f"{name}.{_ESCAPED.sub(lambda match: match[1], inner)}"
            position = header.end()
        elif (named := _NAME.match(text, position)) and section:
            value, position = (
                _parse_value(text, named.end()) if named[2] else ("true", _find_line_end(text, named.end()))
            )
            yield f"{section}.{named[1].lower()}", value
        else:
            return


def _find_line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _parse_value(text: str, position: int) -> tuple[str, int]:
    """Parse a value up to the end of its line; return it with the position after it."""
    parts: list[str] = []
    kept, quoted = 0, False
    while position < len(text):
        char = text[position]
        if char == "\n" or (char in "#;" and not quoted):
            break
        position += 1
        if char == '"':
            quoted = not quoted
        elif char == "\\" and position < len(text):
            parts.append(_ESCAPES.get(text[position], text[position]))
            position += 1
        else:
            parts.append(char)
        if quoted or not char.isspace():
            kept = len(parts)
    return "".join(parts[:kept]).lstrip(), _find_line_end(text, position)


def find_personal_excludes() -> Path:
    """Return the file with the ignore rules of the person for all repositories, which need not exist."""
    base = Path(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"))  # noqa: PTH111 - never raises
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - never raises
    # In git's order: the last value of a setting wins.
    settings = dict([*read_settings(base / "git" / "config"), *read_settings(home / ".gitconfig")])
    named = settings.get("core.excludesfile")
    path = home / os.path.expanduser(named) if named else base / "git" / "ignore"  # noqa: PTH111 - never raises
    return Path(os.path.realpath(path))
