"""Crash report: the traceback of a bug in Aurora, in a file instead of on the screen."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from aurora import __version__


def write_crash_report(error: BaseException) -> str:
    """Write the traceback and return the path of its file, or a sentence where no file can be written.

    The newest report replaces the previous one. It leaves out arguments: they may contain private data.
    """
    text = "\n".join((_format_header(), "".join(traceback.format_exception(error))))
    for folder in _find_folders():
        path = folder / "crash.log"
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return str(path)
    return "no file (neither .aurora nor the temporary folder can be written)"


def _format_header() -> str:
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return f"aurora {__version__}, Python {platform.python_version()}, {sys.platform}, {when}\n"


def _find_folders() -> list[Path]:
    """Return the project's `.aurora` folders, then a new temporary one."""
    folders: list[Path] = []
    try:
        here = Path.cwd()
        folders.extend(folder / ".aurora" for folder in (here, *here.parents) if (folder / ".aurora").is_dir())
        folders.append(Path(tempfile.mkdtemp(prefix="aurora-crash-")))
    except OSError:
        pass
    return folders
