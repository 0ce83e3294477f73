"""Rules for the names in a path, the same on every system; they do not read the file system."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PATH_CHARS = 4096
"""Longest path in characters: Linux' PATH_MAX."""
MAX_NAME_BYTES = 255
"""Longest name of a file in bytes, on Linux and macOS."""

VERSION_CONTROL = {".git": "git", ".hg": "Mercurial", ".svn": "Subversion", ".bzr": "Bazaar"}
"""Folders with configuration that may contain credentials, and hooks that are programs."""

_SHORT_FORM = re.compile(r"(git|hg|svn|bzr)~[0-9]+")
"""The 8.3 name that NTFS and FAT give to such a folder, which also opens it."""
_IGNORED_BY_HFS = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Invisible characters; HFS+ ignores most of them in a name, so that `.g\u200cit` opens `.git`."""
_DEVICES = r"(?i:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\..*)?"
"""Names of devices on Windows, with any suffix; see "Naming Files, Paths, and Namespaces" in Microsoft's manual."""
_LOOKALIKES = "[\u2044\u2215\u2571\u29f8\uff0f\uff3c\u2216\u29f5\ufe68\uff0e\u2024\uff1a]"
"""Characters that look like `/`, `\\`, `.` or `:`; some conversions between encodings replace them by these."""
DEVICE_NAME = "is the name of a device on Windows"
"""What makes such a name odd; on other systems it is an ordinary name."""
_ODD_NAMES = tuple(
    (re.compile(pattern, re.DOTALL), reason)
    for pattern, reason in (
        ("[\0-\x1f\x7f-\x9f]", "contains a control character"),
        (_IGNORED_BY_HFS.pattern, "contains an invisible character"),
        (r"\\", 'contains "\\": write "/" between folders'),
        (":", 'contains ":", which names a drive or a data stream on Windows'),
        (_LOOKALIKES, "contains a character that only looks like one of a path"),
        (r"[. ]\Z", "ends in a dot or a blank, which Windows ignores"),
        (rf"\A{_DEVICES}\Z", DEVICE_NAME),
    )
)
"""What makes a name open different files on different systems, and the words for it."""


def find_closed_name(parts: Iterable[str]) -> str:
    """Return the version control system to which one of the names belongs; empty for none.

    Args:
        parts: the names of a path, of which the folder may be at any depth and in any disguise: other case, trailing
            dots and blanks, an alternate data stream, the 8.3 form, invisible characters.
    """
    return next((system for part in parts if (system := _match_closed_name(part))), "")


def is_closed(parts: Iterable[str]) -> bool:
    """Return True when one of the names is a folder of version control, in any disguise."""
    return bool(find_closed_name(parts))


def _match_closed_name(part: str) -> str:
    if part[:1] != "." and "~" not in part and part.isascii():
        return ""  # the usual name; the rest costs ten times as much
    plain = unicodedata.normalize("NFKC", _IGNORED_BY_HFS.sub("", part)).casefold()
    plain = plain.partition(":")[0].rstrip(". ")
    if _SHORT_FORM.fullmatch(plain):
        plain = f".{plain.partition('~')[0]}"
    return VERSION_CONTROL.get(plain, "")


def describe_odd_name(part: str) -> str:
    """Return what makes a name mean different files on different systems; empty for an ordinary name.

    Such a file may exist on Linux (`aux.c`), so it can be read there when it does; Aurora never creates one.
    """
    if part in {".", ".."}:
        return ""
    return next((reason for pattern, reason in _ODD_NAMES if pattern.search(part)), "")


def describe_impossible_path(path: str) -> str:
    """Return why no file can have this path; empty when one can."""
    if "\0" in path:
        return "contains a NUL"
    if len(path) > MAX_PATH_CHARS:
        return f"is longer than {MAX_PATH_CHARS:,} characters"
    try:
        longest = max(len(part.encode("utf-8")) for part in path.split("/"))
    except UnicodeEncodeError:
        return "contains a lone surrogate, which is no character"
    return f"contains a name of more than {MAX_NAME_BYTES} bytes" if longest > MAX_NAME_BYTES else ""


def is_plain_relative(path: str) -> bool:
    """Return True for a relative path whose names stay below its folder and outside version control.

    That is for paths that git or a file lists, before anything is opened.
    """
    parts = path.split("/")
    return not (
        describe_impossible_path(path)
        or path.startswith("/")
        or any(part in {"", ".", ".."} for part in parts)
        or is_closed(parts)
    )
