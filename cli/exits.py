"""Ends of a command: the exit codes, and the report of a crash."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from aurora import __version__
from aurora.errors import Fault, show_hidden
from aurora.system.paths.write import write_inside

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPE = "backslashreplace"


def write_crash_report(error: BaseException) -> str:
    """Write the traceback and return the path of its file, or a sentence where no file can be written.

    The newest report replaces the previous one. It leaves out arguments: they may contain private data.
    """
    text = show_hidden("\n".join((_format_header(), "".join(traceback.format_exception(error)))))
    for folder in _find_folders():
        try:
            # A clone may bring `.aurora/crash.log` as a link to a file of
            # yours, so nothing is written through links below the project.
            write_inside(folder.parent.resolve(), f"{folder.name}/crash.log", text.encode("utf-8", _ESCAPE), 0o600)
        except (OSError, Fault):
            continue
        return str(folder / "crash.log")
    return "no file (neither .aurora nor the temporary folder can be written)"


def _format_header() -> str:
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return f"aurora {__version__}, Python {platform.python_version()}, {sys.platform}, {when}\n"


def _find_folders() -> Iterator[Path]:
    """Yield the project's `.aurora` folders, then a temporary one, created only then."""
    with suppress(OSError):
        here = Path.cwd()
        yield from (folder / ".aurora" for folder in (here, *here.parents) if (folder / ".aurora").is_dir())
    with suppress(OSError):
        made = Path(tempfile.mkdtemp(prefix="aurora-crash-"))
        yield made
        made.rmdir()  # reached when nothing was written into it


class ExitCode(IntEnum):
    """Exit code of a command, for scripts."""

    OK = 0
    PROBLEMS = 1
    """The request failed: a document with errors, a rejected answer, an unknown name."""
    USAGE = 2
    """The command line is wrong: an unknown option, a missing argument."""
    BUG = 3
    """A bug in Aurora; the message names the file with the traceback."""
    INTERRUPTED = 130
    """Ctrl-C."""
