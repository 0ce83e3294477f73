"""Files whose secrets are allowed: the section `[secrets]` of `.auroraignore`."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.faults.paths.read import read_plain
from aurora.faults.secrets.scan import RULES_VERSION

from .ignore_pattern import parse_ignore_pattern

if TYPE_CHECKING:
    from pathlib import Path

    from .ignore_pattern import IgnorePattern

SECTION = "[secrets]"
"""First line of the section; the rest of the file belongs to it."""

_MAX_BYTES = 1 << 20
_FILE = ".auroraignore"


def is_secret_allowed(root: Path, path: str) -> bool:
    """Return True for a file that the section names.

    Args:
        root: the project's folder.
        path: relative to it, with forward slashes.
    """
    allowed = False
    for pattern in _parse_section(_read_section(root)):
        if pattern.covers_file(path):
            allowed = pattern.ignores
    return allowed


def read_rules_key(root: Path) -> str:
    """Return a key that changes with the rules for secrets and with the section."""
    section = _read_section(root)
    return f"{RULES_VERSION}:{hashlib.sha256(section.encode()).hexdigest()[:12]}" if section else RULES_VERSION


def _read_section(root: Path) -> str:
    """Read the section; empty where there is none."""
    try:
        status = (root / _FILE).lstat()
    except OSError:
        return ""
    return _read_cached(root, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read_cached(root: Path, _mtime_ns: int, size: int) -> str:
    data = read_plain(root / _FILE, _MAX_BYTES) if size <= _MAX_BYTES else None
    text = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    return f"\n{text}".partition(f"\n{SECTION}\n")[2].strip()


@lru_cache(maxsize=8)
def _parse_section(section: str) -> tuple[IgnorePattern, ...]:
    patterns = (parse_ignore_pattern(line) for line in section.split("\n"))
    return tuple(pattern for pattern in patterns if pattern is not None)
