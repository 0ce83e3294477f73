"""File of a cache: the answers of the last start, with what they depend on."""

from __future__ import annotations

import json
import os
import stat

from .stamps import are_identities_current, are_stamps_current

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any

    from .key import StartKey
    from .stamps import Stamps

    CachedAnswers = dict[str, dict[str, str]]
    """Scope -> request -> the JSON of its result, as in `RequestName`."""
else:
    CachedAnswers = dict

MAX_FILE_BYTES = 4_000_000
"""Size limit of a file in bytes; all tools of all toolsets take 0.2 MB."""
MAX_STAMPS = 10_000
"""Paths that a start may depend on, 2 µs each."""
_STAMP_LENGTHS = (3, 4)
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_UNUSABLE = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError)


class StartCache:
    """Answers of the server, and what they depend on.

    Attributes:
        stamps: stamps of the files and folders whose content matters.
        identities: identities of the files and folders of which only the presence matters.
        parts: method -> stamps on which only its answers depend.
        answers: the answers.
    """

    __slots__ = ("answers", "identities", "parts", "stamps")

    def __init__(
        self, stamps: Stamps, identities: Stamps, parts: dict[str, Stamps], answers: CachedAnswers | None = None
    ) -> None:
        self.stamps = stamps
        self.identities = identities
        self.parts = parts
        self.answers: CachedAnswers = {} if answers is None else answers

    def is_part_of(self, later: StartCache) -> bool:
        """Return True if nothing has changed until the other one.

        The later one may depend on more: modules are loaded meanwhile.
        """
        has_stamps = self.stamps.items() <= later.stamps.items()
        return has_stamps and self.identities.items() <= later.identities.items()

    def is_current(self) -> bool:
        """Return True if nothing has changed that all answers depend on."""
        return are_identities_current(self.identities) and are_stamps_current(self.stamps)

    def is_method_current(self, method: str) -> bool:
        """Return True if nothing has changed that only this method's answers depend on."""
        return are_stamps_current(self.parts.get(method, {}))


def read_cache(key: StartKey) -> StartCache | None:
    """Read the cache of a start.

    Returns:
        None where it is missing, damaged, of another key, or a file that anyone else could have written.
    """
    try:
        data = _read_private_file(key.path)
        return None if data is None else decode_cache(key, data)
    except _UNUSABLE:
        return None


def encode_cache(key: StartKey, cache: StartCache) -> bytes:
    """Return the content of the file."""
    texts: dict[str, int] = {}
    answers = {
        scope: {name: texts.setdefault(text, len(texts)) for name, text in known.items()}
        for scope, known in cache.answers.items()
    }
    document = {
        "key": key.fields,
        "stamps": cache.stamps,
        "identities": cache.identities,
        "parts": cache.parts,
        "answers": answers,
        "texts": list(texts),
    }
    return json.dumps(document, separators=(",", ":")).encode()


def decode_cache(key: StartKey, data: bytes) -> StartCache | None:
    """Return the cache in the content of a file; None for one of another key.

    Raises:
        ValueError, TypeError, LookupError, AttributeError, RecursionError: the content is damaged.
    """
    document = json.loads(data)
    if document["key"] != key.fields:
        return None
    texts = [_check_text(text) for text in document["texts"]]
    answers = {
        scope: {name: texts[_check_number(number)] for name, number in known.items()}
        for scope, known in document["answers"].items()
    }
    parts = {method: _read_stamps(stamps) for method, stamps in document["parts"].items()}
    return StartCache(_read_stamps(document["stamps"]), _read_stamps(document["identities"]), parts, answers)


def _read_private_file(path: str) -> bytes | None:
    """Read a file of this user in a folder of this user, in which nobody else can write.

    Returns:
        None for any other file, and one that is too large.
    """
    folder = os.lstat(os.path.dirname(path))
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        is_usable = (
            stat.S_ISDIR(folder.st_mode)
            and stat.S_ISREG(status.st_mode)
            and status.st_size <= MAX_FILE_BYTES
            and all(one.st_uid == os.geteuid() and not one.st_mode & _OTHERS_WRITE for one in (folder, status))
        )
        return _read_file(handle, status.st_size) if is_usable else None
    finally:
        os.close(handle)


def _read_file(handle: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(handle, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _check_text(text: Any) -> str:
    """Return the text if it fits in one line of the protocol."""
    if not isinstance(text, str) or not text.startswith("{") or not text.endswith("}") or "\n" in text:
        raise ValueError("an answer is not an object in one line")
    text.encode()  # a lone surrogate is an error
    return text


def _check_number(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError("the number of an answer is not a whole number")
    return number


def _read_stamps(value: Any) -> Stamps:
    """Return the stamps of a JSON object.

    Raises:
        ValueError: they are damaged, or too many.
    """
    if not isinstance(value, dict) or len(value) > MAX_STAMPS:
        raise ValueError("the stamps are not an object of a usable size")
    return {path: None if stamp is None else _read_stamp(stamp) for path, stamp in value.items()}


def _read_stamp(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) not in _STAMP_LENGTHS or any(type(one) is not int for one in value):
        raise ValueError("a stamp is not made of whole numbers")
    return tuple(value)
