"""Export of a commit's files to a folder, without a checkout: no filter, no attribute, no link."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aurora.errors import Code, Fault
from aurora.system.paths.resolve import is_inside, is_plain_relative

from .repository import find_repository
from .session import open_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from .session import GitSession

EXPORT_TIMEOUT = 60.0
"""Timeout in seconds of listing, and of reading, the files of a commit."""
MAX_FILE_BYTES = 1 << 20
"""Size limit of an exported file; Aurora indexes no larger one."""
MAX_EXPORT_BYTES = 2_000_000_000
"""Size limit of all exported files."""
_MAX_LISTED_BYTES = 200_000_000
_FILE_MODES = (b"100644", b"100755")
_SUBMODULE_MODE = b"160000"


class _Entry(NamedTuple):
    """File or submodule of a commit; `size` in bytes, -1 for a submodule."""

    mode: bytes
    hash: bytes
    size: int
    path: str


def export_files(git: GitSession, commit: str, to: Path, *, folder: str = "") -> None:
    """Write the files of a commit below `to`, and those of the submodules that are checked out.

    Links, files larger than `MAX_FILE_BYTES`, and paths that lead out of the folder are left out.

    Args:
        git: the open repository; only files below the project's folder are exported, relative to it.
        commit: its full hash.
        to: an empty folder.
        folder: only files in this folder, relative to the project; all when empty.

    Raises:
        Fault: TIMEOUT; UPSTREAM_ERROR when the files are larger than `MAX_EXPORT_BYTES`, or are not in this clone.
    """
    entries = [entry for entry in _list_entries(git, commit, folder) if is_plain_relative(entry.path)]
    wanted = [entry for entry in entries if entry.mode in _FILE_MODES and 0 <= entry.size <= MAX_FILE_BYTES]
    # The listing has the sizes, so that nothing is written of a commit that is too large.
    if sum(entry.size for entry in wanted) > MAX_EXPORT_BYTES:
        message = f"the files of the revision are larger than {MAX_EXPORT_BYTES:,} bytes"
        raise Fault(Code.UPSTREAM_ERROR, message, help="Compare with an earlier memory.db instead.")
    _write_blobs(git, wanted, to)
    for entry in entries:
        if entry.mode == _SUBMODULE_MODE:
            _export_submodule(git, entry, to)


def _list_entries(git: GitSession, commit: str, folder: str) -> Iterator[_Entry]:
    where = ("--", folder) if folder else ()
    listed = git.run("ls-tree", "-r", "-l", "-z", commit, *where, timeout=EXPORT_TIMEOUT, limit=_MAX_LISTED_BYTES)
    if listed is None:
        raise Fault(
            Code.UPSTREAM_ERROR,
            f'the commit {commit} is not in the clone in "{git.repository.top}"',
            help="Fetch it with git, or compare with another revision.",
            details={"revision": commit},
        )
    for line in listed.split(b"\0")[:-1]:
        attributes, _, name = line.partition(b"\t")
        mode, _, blob, size = attributes.split()
        # Git writes BAD for an object that it does not have, as in a partial clone.
        if size == b"BAD":
            raise _build_missing_fault(os.fsdecode(name))
        yield _Entry(mode, blob, int(size) if size.isdigit() else -1, os.fsdecode(name))


def _write_blobs(git: GitSession, entries: list[_Entry], to: Path) -> None:
    """Write the contents of files; those whose name clashes with another's are left out."""
    given = b"".join(entry.hash + b"\n" for entry in entries)
    # One process for all files: to start git for each would take longer than to read them.
    with git.stream("cat-file", "--batch", given=given, timeout=EXPORT_TIMEOUT) as running:
        for entry in entries:
            data = _read_blob(running.output, entry)
            with suppress(OSError):  # a tree that no file system can have
                target = to / entry.path
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as file:
                    file.write(data)


def _read_blob(output: IO[bytes], entry: _Entry) -> bytes:
    header = output.readline(1000).split()
    if header[1:] != [b"blob", b"%d" % entry.size]:
        raise _build_missing_fault(entry.path)
    # A line break follows each object.
    data = output.read(entry.size + 1)
    return data[:-1]


def _export_submodule(git: GitSession, entry: _Entry, to: Path) -> None:
    """Export a submodule that is checked out here; skip any other."""
    place = git.repository.root / entry.path
    if not is_inside(git.repository.root, place) or not os.path.lexists(place / ".git"):
        return
    inner = find_repository(place.resolve())
    # In a submodule that is not checked out, the search would go up and find the repository around it.
    if inner is None or inner.top != place.resolve():
        return
    with open_session(inner) as session:
        export_files(session, entry.hash.decode(), to / entry.path)


def _build_missing_fault(path: str) -> Fault:
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return Fault(
        Code.UPSTREAM_ERROR,
        f'"{shown}" is not in this clone at that revision',
        help="A partial clone fetches it when you check the revision out; or compare with an earlier memory.db.",
        details={"path": shown},
    )
