"""Places of the hooks: the folder of the user where a server and the hooks of its project meet."""

from __future__ import annotations

import os
import stat
from zlib import crc32

from .key import find_cache_folder

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Mapping

NOTE_END = ".json"
SOCKET_END = ".sock"
MAX_MESSAGE_BYTES = 65_536
"""Size limit of a request, of an answer and of a note, in bytes."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def find_hook_folder(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the folder of the notes and sockets; None without a home folder."""
    cache = find_cache_folder(environ)
    return None if cache is None else f"{os.path.dirname(cache)}/hooks"


def is_private_folder(folder: str) -> bool:
    """Return True if it is a folder of this user that nobody else can enter."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS


def name_project(root: str) -> str:
    """Return the start of the names of a project's files; whoever reads one compares the whole path in it."""
    data = root.encode("utf-8", "surrogateescape")
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"


def list_roots(folder: str) -> list[str]:
    """List a folder and those around it, each of which may be the project; the nearest first."""
    roots = [folder]
    while (parent := os.path.dirname(roots[-1])) != roots[-1]:
        roots.append(parent)
    return roots
