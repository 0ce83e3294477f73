"""Reads one file of a project for indexing, or says why it is left out."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.memory.model.reports import Skipped

from .generated import generated_by_content, generated_by_name
from .language import language_of
from .secret_scan import secret_by_name, secret_in

if TYPE_CHECKING:
    from .discover import SourceFile

MAX_BYTES = 1 << 20
"""A larger file is no source that people read."""

MAX_DATA_BYTES = 128 << 10
"""A larger file in one of `DATA` holds data: its words would drown the project's own."""

DATA = frozenset({"csv", "json", "notebook", "xml"})

_HEAD = 8 << 10  # enough to see that a file is binary without reading all of it

# Neither a link nor a pipe may stand in for the file: the one is refused, the other would wait for a writer for ever.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text, and what it was when it was read.

    Attributes:
        path: project-relative, with forward slashes.
        language: as `language_of` names it.
        text: decoded from UTF-8, a byte order mark dropped, line ends as they are.
        sha256: of the bytes, in hexadecimal.
        size: of the bytes.
        mtime_ns: of the state that was read; a change while reading shows as a newer time later.
    """

    path: str
    language: str
    text: str
    sha256: str
    size: int
    mtime_ns: int


def read_source(file: SourceFile, root: Path) -> Source | Skipped:
    """The file's text, or why it is left out; nothing that a file may be makes this raise.

    The reasons: `secret`, `generated`, `huge`, `binary`, `outside`, `special`, `unreadable`, `vanished`. A file whose
    name says that it holds secrets is not opened at all.

    Args:
        file: as `discover` found it; it may have changed since.
        root: the project's folder; what is read is checked to lie inside it at the moment of reading.
    """
    if left_out := _left_out_by_name(file.path):
        return left_out
    try:
        handle = os.open(file.absolute, _FLAGS)
    except OSError as error:
        return _unopened(file.path, error)
    try:
        found = os.fstat(handle)
        return _unfit(file, root, handle, found) or _judged(file.path, _read(handle), found)
    except FileNotFoundError:
        return Skipped(file.path, "vanished", "it was deleted while the project was read")
    except OSError as error:
        return Skipped(file.path, "unreadable", error.strerror or str(error))
    finally:
        os.close(handle)


def _left_out_by_name(path: str) -> Skipped | None:
    """Why a file is not even opened."""
    if why := secret_by_name(path):
        return Skipped(path, "secret", why)
    if secret_in(path):
        return Skipped(path, "secret", "its name holds a password, key or token")
    if why := generated_by_name(path):
        return Skipped(path, "generated", why)
    return None


def _unopened(path: str, error: OSError) -> Skipped:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Skipped(path, "vanished", "it was deleted while the project was read")
    if error.errno == errno.ELOOP:
        return Skipped(path, "outside", "it has become a symbolic link")
    return Skipped(path, "unreadable", error.strerror or str(error))


def _unfit(file: SourceFile, root: Path, handle: int, found: os.stat_result) -> Skipped | None:
    """Whether what was opened is a regular file, and still the one that lies inside the project.

    A folder on the way may have become a link since; so the opened file must be the one that the resolved path names.
    """
    if not stat.S_ISREG(found.st_mode):
        return Skipped(file.path, "special", "a device, a socket or a pipe, not a file")
    if _opened(handle) == f"{root}{os.sep}{file.path}":
        return None
    real = os.path.realpath(file.absolute)
    within = os.path.realpath(root).rstrip(os.sep) + os.sep
    if not real.startswith(within) or not os.path.samestat(found, Path(real).stat()):
        return Skipped(file.path, "outside", "a symbolic link on its path leads out of the project")
    return None


def _opened(handle: int) -> str:
    """Where the kernel says that an open file is, all links resolved; empty where it does not say."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - asked for every file; a Path costs as much again
    except OSError:
        return ""


def _read(handle: int) -> bytes:
    """At most one byte more than allowed; only the head of what is binary."""
    data = os.read(handle, _HEAD)
    while b"\0" not in data[:_HEAD] and len(data) <= MAX_BYTES and (more := os.read(handle, MAX_BYTES + 1 - len(data))):
        data += more
    return data


def _judged(path: str, data: bytes, found: os.stat_result) -> Source | Skipped:
    """The text, unless what it says speaks against it."""
    if b"\0" in data:
        return Skipped(path, "binary", "it holds NUL bytes")
    if len(data) > MAX_BYTES:
        return Skipped(path, "huge", f"{found.st_size:,} bytes; the limit is {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Skipped(path, "binary", f"it is not UTF-8: byte 0x{data[error.start]:02x} in line {line}")
    source = Source(path, language_of(path, text), text, hashlib.sha256(data).hexdigest(), len(data), found.st_mtime_ns)
    return _left_out(source) or source


def _left_out(source: Source) -> Skipped | None:
    """Why a text is left out for what it says."""
    if source.language in DATA and source.size > MAX_DATA_BYTES:
        detail = f"{source.size:,} bytes of {source.language}; the limit for data is {MAX_DATA_BYTES:,}"
        return Skipped(source.path, "huge", detail)
    if secret := secret_in(source.text):
        return Skipped(source.path, "secret", f"line {secret.line}: {secret.rule}")
    if why := generated_by_content(source.text, source.language):
        return Skipped(source.path, "generated", why)
    return None
