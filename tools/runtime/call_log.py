"""Log of calls: time, tool, surface, duration and error code of each; never the values of arguments."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from aurora.errors import escape_json, show_hidden, show_hidden_line
from aurora.memory.files import DATA_FOLDER
from aurora.system.environment import read_value

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping

    from aurora.tools.core import Project, Surface


LOGGER_NAME = "aurora.calls"
"""Logger of the records, as JSON at INFO, and of tracebacks of bugs in Aurora at DEBUG."""

_MAX_NAME_LENGTH = 80
"""Length limit for a tool name in the log; an unknown name may have any length."""


class CallRecord(NamedTuple):
    """Record of one call.

    Attributes:
        time: when it ended, in ISO 8601, UTC.
        request_id: the id in the response's metadata and the trace; the tool of a phase has the id of its step.
        surface: its origin.
        tool: the tool's name, or the unknown name of the request.
        duration_ms: its duration in milliseconds.
        status: `ok` or `error`.
        code: the error code; None on success.
    """

    time: str
    request_id: str
    surface: Surface
    tool: str
    duration_ms: float
    status: Literal["ok", "error"]
    code: str | None

    @classmethod
    def from_call(cls, request_id: str, tool: str, surface: Surface, seconds: float, code: str | None) -> CallRecord:
        """Return the record of a call that ends now."""
        return cls(
            time=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            request_id=request_id,
            surface=surface,
            tool=tool[:_MAX_NAME_LENGTH],
            duration_ms=round(seconds * 1000, 1),
            status="error" if code else "ok",
            code=code,
        )


def log_call(record: CallRecord, project: Project | None = None) -> None:
    """Log one call to the logger, and to the project's log file if it has one."""
    calls = _get_logger("INFO")
    root = project.root if project is not None and project.keeps_log else None
    named = read_value("AURORA_LOG_FILE")
    if calls is None and root is None and not named:
        return
    text = escape_json(json.dumps(record._asdict(), separators=(",", ":")))
    if calls is not None:
        calls.info(text)
    if root is not None:
        append_line(root, text)
    if named:
        append_to_file(named, text)


def log_alias(alias: str, tool: str, request_id: str) -> None:
    """Log at level DEBUG that a call used an alias of a tool."""
    calls = _get_logger("DEBUG")
    if calls is not None:
        calls.debug(json.dumps({"request_id": request_id, "alias": alias, "tool": tool}, separators=(",", ":")))


def log_failure(tool: str, error: Exception) -> None:
    """Log the traceback of a bug in Aurora at level DEBUG."""
    calls = _get_logger("DEBUG")
    if calls is not None:
        text = show_hidden("".join(traceback.format_exception(error)))  # a message may quote a file
        calls.debug("%s failed\n%s", show_hidden_line(tool[:_MAX_NAME_LENGTH]), text)


def _get_logger(level: str) -> logging.Logger | None:
    """Return the logger if it is enabled; it is not in a process that has not loaded `logging`."""
    library = sys.modules.get("logging")
    if library is None:
        return None
    calls: logging.Logger = library.getLogger(LOGGER_NAME)
    return calls if calls.isEnabledFor(library.getLevelNamesMapping()[level]) else None


def configure_logging(level: str | None = None, environ: Mapping[str, str] = os.environ) -> None:
    """Send the records to stderr; without this call they go only to the project's log file.

    Args:
        level: `debug`, `info`, `warning`, `error` or `off`; None means AURORA_LOG, or nothing if it is unset.
        environ: the environment with AURORA_LOG.

    Raises:
        Fault: INVALID_INPUT for an unknown level in AURORA_LOG.
    """
    wanted = (level or read_value("AURORA_LOG", environ) or "off").upper()
    if wanted == "OFF":
        return
    import logging  # noqa: PLC0415 - without AURORA_LOG, a short command does not load it

    calls = logging.getLogger(LOGGER_NAME)
    calls.setLevel(logging.getLevelNamesMapping()[wanted])
    calls.propagate = False
    if not calls.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        calls.addHandler(handler)


if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILE_BYTES = 1_000_000
"""Size in bytes at which the current file is rotated."""
KEPT_FILES = 3
"""Number of rotated files; the oldest is deleted."""

# A clone may bring a link in place of the log, or a pipe that nobody reads.
_CREATE_FLAGS = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LOGS = "logs"
_BASENAME = "calls"


def append_line(root: Path, line: str, largest: int = MAX_FILE_BYTES) -> None:
    """Append a line to the project's log; do nothing without `.aurora` or write permission.

    Args:
        root: the project's folder.
        line: the text without a line break.
        largest: size in bytes at which the file is rotated.
    """
    data = os.path.join(root, DATA_FOLDER)  # noqa: PTH118 - each step appends two lines, and Path takes ten times as long
    folder = f"{data}/{_LOGS}"
    with contextlib.suppress(OSError):
        if not _is_own_folder(data) or not (_is_own_folder(folder) or _make_folder(folder)):
            return
        descriptor = os.open(f"{folder}/{_BASENAME}.jsonl", os.O_RDWR | os.O_APPEND | _CREATE_FLAGS, 0o600)
        try:
            if not _is_own_file(descriptor):
                return
            # One write in append mode: the system does not interleave it with another process's line.
            os.write(descriptor, f"{_repair_torn_line(descriptor)}{line}\n".encode())
            full = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if full.st_size > largest:
            _rotate_files(root, full.st_ino)


def append_to_file(path: str, line: str) -> None:
    """Append a line to a file that the person named.

    Nothing happens if it cannot be written or is no regular file. It is not rotated: it may be that of another program.
    """
    with contextlib.suppress(OSError, ValueError):  # ValueError: a NUL in the name
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)


def list_files(root: Path) -> Iterator[Path]:
    """Yield the existing files of the log, the newest first; links are left out."""
    if _is_own_folder(root / DATA_FOLDER / _LOGS):
        paths = (_build_path(root, number) for number in range(KEPT_FILES + 1))
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def _make_folder(folder: str) -> bool:
    """Make a folder unless another process has; return False for a link or a file of that name."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder)  # noqa: PTH102 - as above
    return _is_own_folder(folder)


def _is_own_folder(folder: Path | str) -> bool:
    """Return True for a folder that is no link, which a clone may have brought."""
    try:
        return stat.S_ISDIR(os.lstat(folder).st_mode)
    except OSError:
        return False


def _is_own_file(descriptor: int) -> bool:
    """Return True for a regular file that has no other name, which may be outside the project."""
    found = os.fstat(descriptor)
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def _repair_torn_line(descriptor: int) -> str:
    """Return a line break if the last line has none, because a kill or a full disk truncated it.

    A line that another process is writing looks the same; the result is an empty line, which readers skip.
    """
    if not os.fstat(descriptor).st_size:
        return ""
    os.lseek(descriptor, -1, os.SEEK_END)
    return "" if os.read(descriptor, 1) == b"\n" else "\n"


def _build_path(root: Path, number: int) -> Path:
    return root / DATA_FOLDER / _LOGS / (f"{_BASENAME}.{number}.jsonl" if number else f"{_BASENAME}.jsonl")


def _rotate_files(root: Path, inode: int) -> None:
    """Rotate the files, unless another process has done so."""
    with _lock_log(root):
        if _build_path(root, 0).stat().st_ino != inode:
            return
        for number in range(KEPT_FILES, 0, -1):
            with contextlib.suppress(FileNotFoundError):
                _build_path(root, number - 1).replace(_build_path(root, number))


@contextlib.contextmanager
def _lock_log(root: Path) -> Iterator[None]:
    """Lock the log against other processes, on systems that have such a lock."""
    if sys.platform == "win32":  # without file locks: the check of the inode must suffice
        yield
        return
    descriptor = os.open(_build_path(root, 0).with_suffix(".lock"), os.O_RDWR | _CREATE_FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
