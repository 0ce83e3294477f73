"""Reader of one project file for indexing, with a reason for each skipped file."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.memory.model.reports import SkippedFile
from aurora.system.paths.read import read_plain
from aurora.system.secrets.masks import mask_text
from aurora.system.secrets.scan import RULES_VERSION, has_secret

from .encoding import decode_text, may_be_wide
from .gitignore import IGNORE_FILES, SECTION, parse_ignore_pattern
from .language import detect_generated_content, detect_generated_name, detect_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .discover import SourceFile
    from .gitignore import IgnorePattern

MAX_BYTES = 1 << 20
"""Maximum size of a source file."""
MAX_DATA_BYTES = 128 << 10
"""Maximum size of a file in one of `DATA_LANGUAGES`; a larger one would dominate the project's terms."""
DATA_LANGUAGES = frozenset({"csv", "json", "notebook", "xml"})
_LFS_POINTER, _MAX_LFS_POINTER = "version https://git-lfs.github.com/spec/", 1024
"""Head of a file that stands for one that Git LFS keeps elsewhere, and the limit in bytes of its specification."""

_HEAD_BYTES = 8 << 10  # enough to see that a file is binary without reading all of it

# Refuse symbolic links, and never block on a pipe that waits for a writer.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
SECRET_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".dockercfg",
    ".s3cfg",
    ".boto",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.tfstate",
    "*.tfstate.backup",
    "*.auto.tfvars",
    "credentials",
    "credentials.json",
    "credentials.y*ml",
    "credentials.csv",
    "client_secret*.json",
    "service-account*.json",
    "service_account*.json",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "*.secrets.y*ml",
    "master.key",
)
"""Names, in lower case, of files that usually contain secrets."""
HARMLESS_NAMES = (
    "*.example",
    "*.sample",
    "*.template",
    "*.tmpl",
    "*.dist",
    "*.defaults",
    "*.pub",
    "example.env",
    "sample.env",
)
"""Exceptions from the patterns above for published files; their content is still scanned."""
_SECRET_NAME_PATTERN = re.compile("|".join(map(translate, SECRET_NAMES)))


@dataclass(frozen=True, slots=True)
class SourceText:
    """Text of a file, and its state when it was read.

    Attributes:
        path: project-relative, with forward slashes.
        language: as `detect_language` returns it.
        text: decoded without a byte order mark, line ends unchanged, secrets masked.
        sha256: hash of the bytes, in hexadecimal.
        size: number of bytes.
        mtime_ns: time of the state that was read; a change while reading has a later time.
        left_out: kinds of the secrets that its lines contain, by line number from 1.
        encoding: the guess that it was decoded with, as Python names it; empty for UTF-8.
    """

    path: str
    language: str
    text: str
    sha256: str
    size: int
    mtime_ns: int
    left_out: Mapping[int, str] = field(default_factory=dict)
    encoding: str = ""


def read_source(file: SourceFile, root: Path) -> SourceText | SkippedFile:
    """Read a file's text, or return the reason to skip it; never raise for a file.

    The reasons: `secret`, `lfs`, `generated`, `huge`, `binary`, `outside`, `special`, `unreadable`, `vanished`. A file
    with the name of a secret file is not opened.

    Args:
        file: as discovery found it; it may have changed since.
        root: the project's folder; the opened file is checked to be inside it.
    """
    read = _read_unmasked(file, root)
    return read if isinstance(read, SkippedFile) else _mask_source(read, root)


def read_matching(
    file: SourceFile, root: Path, has_match: Callable[[SourceText], bool]
) -> SourceText | SkippedFile | int:
    """Read a file as `read_source` does if its text matches; else return its number of bytes.

    The text that is matched still has its secrets: to look for these takes ten times as long as to look for a text,
    which most files do not contain.
    """
    read = _read_unmasked(file, root)
    if isinstance(read, SkippedFile):
        return read
    return _mask_source(read, root) if has_match(read) else read.size


def _read_unmasked(file: SourceFile, root: Path) -> SourceText | SkippedFile:
    if left_out := _check_name(file.path):
        return left_out
    try:
        handle = os.open(file.absolute, _OPEN_FLAGS)
    except OSError as error:
        return _explain_open_error(file.path, error)
    try:
        found = os.fstat(handle)
        return _check_containment(file, root, handle, found) or _decode_source(file.path, _read_limited(handle), found)
    except FileNotFoundError:
        return SkippedFile(file.path, "vanished", "it was deleted while the project was read")
    except OSError as error:
        return SkippedFile(file.path, "unreadable", error.strerror or str(error))
    finally:
        os.close(handle)


def _mask_source(source: SourceText, root: Path) -> SourceText:
    if is_secret_allowed(root, source.path):
        return source
    masked, left_out = mask_text(source.text)
    return replace(source, text=masked, left_out=left_out)


def hash_source(file: SourceFile, root: Path) -> tuple[str, int, int] | None:
    """Hash a file's bytes; return SHA-256, size in bytes, and time of change in ns.

    Args:
        file: as discovery found it.
        root: the project's folder; the opened file is checked to be inside it.

    Returns:
        None for a file that `read_source` skips or that is not text.
    """
    read = _read_bytes(file, root)
    if read is None:
        return None
    data, changed_ns = read
    if len(data) > MAX_BYTES or (b"\0" in data and not may_be_wide(data)):
        return None
    return hashlib.sha256(data).hexdigest(), len(data), changed_ns


def _read_bytes(file: SourceFile, root: Path) -> tuple[bytes, int] | None:
    """Read a file inside the project, with its time of change in ns; None where it cannot be read."""
    try:
        handle = os.open(file.absolute, _OPEN_FLAGS)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if _check_containment(file, root, handle, found) is not None:
            return None
        return _read_limited(handle), found.st_mtime_ns
    except OSError:
        return None
    finally:
        os.close(handle)


def _check_name(path: str) -> SkippedFile | None:
    """Return the reason not to open a file, or None."""
    if why := detect_secret_name(path):
        return SkippedFile(path, "secret", why)
    if has_secret(path):
        return SkippedFile(path, "secret", "its name contains a password, key or token")
    if why := detect_generated_name(path):
        return SkippedFile(path, "generated", why)
    return None


def _explain_open_error(path: str, error: OSError) -> SkippedFile:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return SkippedFile(path, "vanished", "it was deleted while the project was read")
    if error.errno == errno.ELOOP:
        return SkippedFile(path, "outside", "it has become a symbolic link")
    return SkippedFile(path, "unreadable", error.strerror or str(error))


def _check_containment(file: SourceFile, root: Path, handle: int, found: os.stat_result) -> SkippedFile | None:
    """Check that the opened file is a regular file inside the project.

    A folder on its path may have become a link since, so the opened file must equal the one at the resolved path.
    """
    if not stat.S_ISREG(found.st_mode):
        return SkippedFile(file.path, "special", "a device, a socket or a pipe, not a file")
    # Nearly every file ends here: the kernel knows where an open file lies, and `realpath` looks at each folder
    # again.
    if _resolve_handle(handle) == f"{root}{os.sep}{file.path}":
        return None
    real = os.path.realpath(file.absolute)
    within = os.path.realpath(root).rstrip(os.sep) + os.sep
    if not real.startswith(within) or not os.path.samestat(found, Path(real).stat()):
        return SkippedFile(file.path, "outside", "a symbolic link on its path leads out of the project")
    return None


def _resolve_handle(handle: int) -> str:
    """Return the kernel's resolved path of an open file; empty where unknown."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - runs for every file; a Path doubles the cost
    except OSError:
        return ""


def _read_limited(handle: int) -> bytes:
    """Read at most one byte more than allowed; only the head of a binary file."""
    data = os.read(handle, _HEAD_BYTES)
    while (
        (b"\0" not in data[:_HEAD_BYTES] or may_be_wide(data[:_HEAD_BYTES]))
        and len(data) <= MAX_BYTES
        and (more := os.read(handle, MAX_BYTES + 1 - len(data)))
    ):
        data += more
    return data


def _decode_source(path: str, data: bytes, found: os.stat_result) -> SourceText | SkippedFile:
    """Decode the text, its secrets included, or return the reason to skip it."""
    if b"\0" in data and not may_be_wide(data):
        return SkippedFile(path, "binary", "it contains NUL bytes")
    if len(data) > MAX_BYTES:
        return SkippedFile(path, "huge", f"{found.st_size:,} bytes; the limit is {MAX_BYTES:,}")
    decoded = decode_text(data)
    if decoded is None:
        return SkippedFile(path, "binary", _explain_binary(data))
    text = decoded.text
    facts = (hashlib.sha256(data).hexdigest(), len(data), found.st_mtime_ns)
    source = SourceText(path, detect_language(path, text), text, *facts, encoding=decoded.encoding)
    return _check_content(source) or source


def _explain_binary(data: bytes) -> str:
    """Explain why a file is in no known encoding, by its first byte that is not UTF-8."""
    if b"\0" in data:
        return "it contains NUL bytes"
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return f"it is neither UTF-8 (byte 0x{data[error.start]:02x} in line {line}) nor in another known encoding"
    return "it is no text"


def _check_content(source: SourceText) -> SkippedFile | None:
    """Return the reason to skip a text for its content, or None."""
    if source.language in DATA_LANGUAGES and source.size > MAX_DATA_BYTES:
        detail = f"{source.size:,} bytes of {source.language}; the limit for data is {MAX_DATA_BYTES:,}"
        return SkippedFile(source.path, "huge", detail)
    if source.text.startswith(_LFS_POINTER) and source.size < _MAX_LFS_POINTER:
        return SkippedFile(source.path, "lfs", "a pointer of Git LFS: its content is not here")
    if why := detect_generated_content(source.text, source.language):
        return SkippedFile(source.path, "generated", why)
    return None


def detect_secret_name(path: str) -> str | None:
    """Detect a secret file by its name; return the reason or None."""
    name = path.rsplit("/", 1)[-1].lower()
    # One pattern for all names, since this runs for every file and nearly none fits.
    if not _SECRET_NAME_PATTERN.match(name):
        return None
    if any(fnmatchcase(name, pattern) for pattern in HARMLESS_NAMES):
        return None
    pattern = next(pattern for pattern in SECRET_NAMES if fnmatchcase(name, pattern))
    return f'its name fits "{pattern}"'


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
        status = (root / IGNORE_FILES[-1]).lstat()
    except OSError:
        return ""
    # Asked for every file of an index; the stamp is part of the key, so that an edit of the section counts at once.
    return _read_cached_section(root, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read_cached_section(root: Path, _mtime_ns: int, size: int) -> str:
    data = read_plain(root / IGNORE_FILES[-1], MAX_BYTES) if size <= MAX_BYTES else None
    text = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    return f"\n{text}".partition(f"\n{SECTION}\n")[2].strip()


@lru_cache(maxsize=8)
def _parse_section(section: str) -> tuple[IgnorePattern, ...]:
    patterns = (parse_ignore_pattern(line) for line in section.split("\n"))
    return tuple(pattern for pattern in patterns if pattern is not None)
