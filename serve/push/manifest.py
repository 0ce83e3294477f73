"""Manifest of a push: the path, hash and size of each file, within limits."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.faults import Code, Fault, show_hidden_line
from aurora.faults.secrets import mask_secrets

from .names import count_folders, describe_bad_path, find_collisions
from .packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_FILES = 50_000
MAX_FOLDERS = 100_000
"""Limit of the folders, which are made on the server and kept in memory while their names are compared."""
MAX_FILE_BYTES = 2 << 20
"""Size limit of a content: a source of 1 MiB may grow when it becomes UTF-8."""
MAX_TOTAL_BYTES = 1 << 30
MAX_MANIFEST_BYTES = 32 << 20
"""Size limit of a manifest when it is unpacked."""
_MAX_VALUES = 20 * MAX_FILES
"""Limit of the values of a manifest, each with a comma or bracket: an empty list takes 30 times its text in memory."""
_HASH = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"|[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"[A-Za-z0-9_+=#@-][A-Za-z0-9_+=#@.-]*(?:/[A-Za-z0-9_+=#@-][A-Za-z0-9_+=#@.-]*)*")
_MAX_BRANCH_CHARS = 200
_MAX_QUOTED_CHARS = 200
_RECORD_LENGTH = 3


class PushedFile(NamedTuple):
    """Content of a file: its SHA-256 in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """Manifest of a tree.

    Attributes:
        files: the files by path.
        commit: the commit that is checked out; empty without git.
        branch: its branch; empty without one, or with an unusual name.
        is_clean: the files are those of the commit, without changes; True without git.
    """

    files: Mapping[str, PushedFile] = field(default_factory=dict)
    commit: str = ""
    branch: str = ""
    is_clean: bool = True

    @cached_property
    def id(self) -> str:
        """Hash of the manifest."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()

    @property
    def total_bytes(self) -> int:
        """Sum of the sizes."""
        return sum(file.size for file in self.files.values())

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value."""
        files = [[path, *self.files[path]] for path in sorted(self.files)]
        return {"commit": self.commit, "branch": self.branch, "clean": self.is_clean, "files": files}

    def pack(self) -> str:
        """Return the text that `unpack_manifest` reads."""
        return pack(json.dumps(self.to_json()).encode())

    @classmethod
    def restore(cls, value: Mapping[str, Any]) -> Manifest:
        """Return the manifest of a value that `from_json` has checked before."""
        files = {path: PushedFile(sha256, size) for path, sha256, size in value["files"]}
        return cls(files, value["commit"], value["branch"], value["clean"])

    @classmethod
    def from_json(cls, value: object) -> Manifest:
        """Check a JSON value, which anyone may have written.

        Raises:
            Fault: INVALID_INPUT, which names the first bad file.
        """
        if not isinstance(value, dict) or set(value) != {"commit", "branch", "clean", "files"}:
            raise _make_fault("it has other keys than commit, branch, clean and files")
        commit, branch, rows = value["commit"], value["branch"], value["files"]
        if type(value["clean"]) is not bool:
            raise _make_fault('"clean" is neither true nor false')
        if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
            raise _make_fault("the commit is no hash")
        if not isinstance(branch, str) or normalize_branch(branch) != branch:
            raise _make_fault("the branch has an unusual name")
        if not isinstance(rows, list) or len(rows) > MAX_FILES:
            raise _make_fault(f"it has more than {MAX_FILES:,} files, or no list of them")
        made = cls(dict(map(_read_row, rows)), commit, branch, value["clean"])
        if len(made.files) < len(rows):
            raise _make_fault("a path is in it twice")
        _check_tree(made)
        return made


def normalize_branch(name: str) -> str:
    """Return the name of a branch; empty for one that is unusual, such as one that a file cannot have."""
    bad = ".." in name or name.endswith((".", ".lock")) or ".lock/" in name or "./" in name
    return name if len(name) <= _MAX_BRANCH_CHARS and not bad and _BRANCH.fullmatch(name) else ""


def unpack_manifest(text: object) -> Manifest:
    """Unpack and check a manifest.

    Raises:
        Fault: INVALID_INPUT.
    """
    data = unpack(text, MAX_MANIFEST_BYTES)
    if sum(map(data.count, (b",", b"[", b"{"))) > _MAX_VALUES:
        raise _make_fault(f"it has more than {_MAX_VALUES:,} values")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise _make_fault("it is not JSON") from None
    return Manifest.from_json(value)


def _check_tree(manifest: Manifest) -> None:
    """Check the files of a manifest together.

    Raises:
        Fault: INVALID_INPUT.
    """
    if manifest.total_bytes > MAX_TOTAL_BYTES:
        raise _make_fault(f"its files have more than {MAX_TOTAL_BYTES:,} bytes")
    if count_folders(manifest.files) > MAX_FOLDERS:
        raise _make_fault(f"its files are in more than {MAX_FOLDERS:,} folders")
    for path, why in find_collisions(manifest.files):
        raise _make_file_fault(path, why)


def _read_row(row: object) -> tuple[str, PushedFile]:
    if not isinstance(row, list) or len(row) != _RECORD_LENGTH or not isinstance(row[0], str):
        raise _make_fault("a file is no list of a path, a hash and a size")
    path, sha256, size = row
    if not isinstance(sha256, str) or not _HASH.fullmatch(sha256) or type(size) is not int:
        raise _make_file_fault(path, "it has no SHA-256 and size")
    if not 0 <= size <= MAX_FILE_BYTES:
        raise _make_file_fault(path, f"it has more than {MAX_FILE_BYTES:,} bytes")
    if why := describe_bad_path(path):
        raise _make_file_fault(path, why)
    return path, PushedFile(sha256, size)


def _make_file_fault(path: str, why: str) -> Fault:
    plain = mask_secrets(path.encode("utf-8", "backslashreplace").decode())
    shown = show_hidden_line(plain[:_MAX_QUOTED_CHARS])
    return Fault(Code.INVALID_INPUT, f'the file "{shown}" cannot be pushed: {why}', help="Nothing was changed.")


def _make_fault(what: str) -> Fault:
    return Fault(Code.INVALID_INPUT, f"the manifest of the push is wrong: {what}", help="Nothing was changed.")
