"""Key of a start: the words, the folder, the environment, Aurora and its interpreter."""

from __future__ import annotations

import json
import os
import sys
from zlib import crc32

from aurora import __version__

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_FORMAT = 1
"""Number of the file's format; raise it with every change of its meaning."""
_VARIABLES = (
    *("AURORA_CALLS_AT_ONCE", "AURORA_DB", "AURORA_LOG", "AURORA_LOG_FILE", "AURORA_OTHER_CLONE", "AURORA_PROJECT"),
    *(
        "AURORA_TIMEOUT",
        "AURORA_TOOLSETS",
        "AURORA_TRUST",
        "AURORA_WATCH",
        "HOME",
        "READ_ONLY",
        "USERPROFILE",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
    ),
)
"""Variables that a server reads; a wrong value of one must be reported, not hidden by a cache."""
_OTHER_PURPOSES = ("-h", "--help", "--version", "--http")
"""Options with which `mcp` serves nothing on standard input and output."""
_OPTIONS_WITH_VALUE = frozenset({"--project", "--toolsets"})


class StartKey:
    """Key of a start, and the file of its cache.

    Attributes:
        fields: what must be equal for a cache to be used; JSON.
        folder: the current folder, absolute, links resolved.
        path: the file of the cache, which need not exist.
    """

    __slots__ = ("fields", "folder", "path")

    def __init__(self, fields: dict[str, Any], folder: str, path: str) -> None:
        self.fields = fields
        self.folder = folder
        self.path = path

    @classmethod
    def from_process(cls, words: Sequence[str], environ: Mapping[str, str] = os.environ) -> StartKey | None:
        """Return the key of this process.

        Args:
            words: the command line without the program.
            environ: the environment variables.

        Returns:
            None where there is no cache: without a home folder, without a current folder, and for a memory in a
            database server, whose runs change elsewhere, and whose URL may contain a password.
        """
        if environ.get("AURORA_DATABASE", "").strip():
            return None
        cache = find_cache_folder(environ)
        try:
            folder = os.path.realpath(os.getcwd())
        except OSError:
            return None
        if cache is None:
            return None
        given = {name: environ[name] for name in _VARIABLES if name in environ}
        place: dict[str, Any] = {"folder": folder, "words": list(words), "environ": given}
        fields = {
            **place,
            "format": _FORMAT,
            "aurora": __version__,
            "python": [sys.version, sys.executable, sys.prefix],
            "path": list(sys.path),
        }
        return cls(fields, folder, f"{cache}{os.sep}{_hash_text(json.dumps(place))}.json")


def find_cache_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str | None:
    """Return the folder of the caches; None without a home folder.

    It is `aurora/start` in XDG_CACHE_HOME or in `~/.cache`, on macOS in `~/Library/Caches`. A relative
    XDG_CACHE_HOME is ignored, as the XDG standard says.
    """
    configured = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(configured) or platform == "darwin":
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return None
        configured = f"{home}/Library/Caches" if platform == "darwin" else f"{home}/.cache"
    return f"{configured}/aurora/start"


def is_server_command(words: Sequence[str]) -> bool:
    """Return True if the command of a command line is `mcp`, and it starts a server."""
    waiting = iter(words)
    for word in waiting:
        if word in _OPTIONS_WITH_VALUE:
            next(waiting, None)
        elif not word.startswith("-"):
            return word == "mcp" and not any(other.startswith(_OTHER_PURPOSES) for other in words)
    return False


def _hash_text(text: str) -> str:
    """Name a file; two keys of one name only overwrite each other, since the file has its whole key."""
    data = text.encode()
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"
