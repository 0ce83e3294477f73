"""Resolution of a path inside a folder: links are followed, and everything outside is refused."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault

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
_MAX_SHOWN_CHARS = 200
_REFUSES_ODD_NAMES = os.name == "nt"
"""On Windows an odd name opens another file or a device; elsewhere it is only a name."""


def resolve_inside(root: Path, path: str) -> Path:
    """Return the file or folder at `path` after a check that it is inside the folder.

    Args:
        root: the folder, mostly the project's, resolved.
        path: relative to the folder, or absolute.

    Returns:
        The resolved path, without links. Another process may replace a part of it by a link before it is opened:
        `open_inside` opens a file so that this is noticed.

    Raises:
        Fault: FORBIDDEN for a path outside, in a folder of version control at any depth, or of a pipe, socket or
            device; NOT_FOUND if nothing exists there; INVALID_INPUT if no file can have such a name, or none that is
            the same file on every system.
    """
    real = resolve_new(root, path)
    try:
        kind = real.lstat().st_mode
    except (OSError, ValueError):
        odd = find_odd_name(path)
        raise build_name_fault(path, odd) if odd else build_missing_fault(path) from None
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        raise build_special_fault(path)
    return real


def resolve_new(root: Path, path: str) -> Path:
    """Return the resolved path of a file that need not exist, checked as by `resolve_inside`.

    Raises:
        Fault: FORBIDDEN or INVALID_INPUT, as for `resolve_inside`.
    """
    refuse_impossible(path)
    refuse_closed(root, path)
    if _REFUSES_ODD_NAMES and (odd := find_odd_name(path)):
        raise build_name_fault(path, odd)
    try:
        real = Path(os.path.realpath(root / path))
        kind = os.lstat(real).st_mode if os.path.lexists(real) else 0
    except (OSError, ValueError):
        raise build_missing_fault(path) from None
    if not real.is_relative_to(root):
        raise build_outside_fault(root, path)
    if stat.S_ISLNK(kind):  # `realpath` stops at a cycle of links
        raise _build_cycle_fault(path)
    if system := find_closed_name(real.relative_to(root).parts):
        raise _build_closed_fault(path, system)
    return real


def refuse_impossible(path: str) -> None:
    """Check that a file can have this path.

    Raises:
        Fault: INVALID_INPUT for a NUL, a lone surrogate, or an excessive length.
    """
    if reason := describe_impossible_path(path):
        raise build_name_fault(path, reason)


def path_exists(path: str | Path) -> bool:
    """Return True when something exists at a path; False also for a name that no file can have.

    `Path.exists` raises an error for a name that is too long, up to Python 3.13.
    """
    return os.path.exists(path)  # noqa: PTH110 - see above


def file_exists(path: str | Path) -> bool:
    """Return True when a file is at a path; False also for a name that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113 - see `path_exists`


def is_inside(root: Path, path: Path) -> bool:
    """Return True when the path leads, through all links, to a place inside the folder that is not closed."""
    base = Path(os.path.realpath(root))
    try:
        real = Path(os.path.realpath(path))
    except (OSError, ValueError):
        return False
    # The written path may be harmless and a link lead to `.git` all the same.
    return real.is_relative_to(base) and not find_closed_name(real.relative_to(base).parts)


def find_odd_name(path: str) -> str:
    """Return why a name in the path is odd; empty when none is."""
    inner = os.path.splitdrive(path)[1].replace(os.sep, "/") if Path(path).is_absolute() else path
    if os.name == "nt":
        inner = inner.replace("\\", "/")
    return next((reason for part in inner.split("/") if (reason := describe_odd_name(part))), "")


def refuse_closed(root: Path, path: str) -> None:
    """Refuse the folders of version control in the written path, before the file system is asked."""
    written = Path(path)
    if written.is_absolute():
        if not written.is_relative_to(root):
            return  # outside, or the same folder under another name: known after the links are resolved
        written = written.relative_to(root)
    if system := find_closed_name(part for name in written.parts for part in name.split("\\")):
        raise _build_closed_fault(path, system)


def shorten_path(path: str) -> str:
    """Return the path as a message quotes it: of limited length, without what cannot be printed."""
    shown = path if len(path) <= _MAX_SHOWN_CHARS else f"{path[:_MAX_SHOWN_CHARS]}…"
    text = shown.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return text.replace("\n", r"\n").replace("\t", r"\t")


def build_path_fault(code: Code, path: str, what: str, remedy: str) -> Fault:
    """Build the fault for a path: its name in quotes, what is wrong with it, and what to do."""
    shown = shorten_path(path)
    return Fault(code, what.format(f'"{shown}"'), help=remedy, details={"path": shown})


def build_outside_fault(root: Path, path: str) -> Fault:
    """Build the fault for a path outside the folder."""
    remedy = f'Use a path inside "{root}"; symbolic links out of it are not followed.'
    return build_path_fault(Code.FORBIDDEN, path, "{} is outside the project", remedy)


def _build_closed_fault(path: str, system: str) -> Fault:
    remedy = f"Use {system} instead: its configuration may contain credentials, and its hooks are programs."
    return build_path_fault(Code.FORBIDDEN, path, f"{{}} belongs to {system} and cannot be used", remedy)


def build_special_fault(path: str) -> Fault:
    """Build the fault for a pipe, a socket or a device."""
    return build_path_fault(Code.FORBIDDEN, path, "{} is a pipe, a socket or a device", "Name a regular file.")


def build_link_fault(path: str, kind: str = "a link to a place outside the project") -> Fault:
    """Build the fault for a link of the clone in place of something that Aurora writes."""
    remedy = (
        f'A clone may have brought it. Replace "{shorten_path(path)}" by a file or folder of the project; to keep the '
        "memory elsewhere, set AURORA_DB."
    )
    return build_path_fault(Code.FORBIDDEN, path, f"{{}} is {kind}, and Aurora writes nothing through it", remedy)


def build_name_fault(path: str, reason: str) -> Fault:
    """Build the fault for a path that no file can have, or that is not the same file on every system."""
    remedy = "Give a path relative to the project, with forward slashes."
    return build_path_fault(Code.INVALID_INPUT, path, f"{{}} is not a path: it {reason}", remedy)


def _build_cycle_fault(path: str) -> Fault:
    remedy = "Replace the link by a file, or let it lead to one."
    return build_path_fault(Code.NOT_FOUND, path, "{} is a cycle of symbolic links", remedy)


def build_missing_fault(path: str) -> Fault:
    """Build the fault for a file that does not exist."""
    remedy = "Paths are relative to the project's folder; search for a word to find existing paths."
    return build_path_fault(Code.NOT_FOUND, path, "there is no {} in the project", remedy)


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
