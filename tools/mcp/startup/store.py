"""Storage of the caches: one private file for each start, the newest ones."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import write_atomically
from aurora.startup import MAX_FILE_BYTES, StartCache, encode_cache, read_cache

if TYPE_CHECKING:
    from aurora.startup import CachedAnswers, StartKey

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700
_MAX_FILES = 64
"""Caches that are kept: projects, each with the options of its assistants."""
_MAX_SCOPES = 8
"""Handshakes for which one cache has answers: assistants with different capabilities."""
_log = logging.getLogger("aurora.start")


def save_answers(key: StartKey, fresh: StartCache, scope: str) -> None:
    """Write the answers of a scope into the cache, next to those of other scopes that are still current.

    A cache that cannot be written is only slower: the reason is logged.
    """
    known = read_cache(key)
    if known is not None and known.is_current():
        fresh.answers = _merge_answers(known, fresh, scope)
        if (known.parts, known.answers) == (fresh.parts, fresh.answers):
            _touch_file(key)
            return
        fresh.stamps = {**known.stamps, **fresh.stamps}
    data = encode_cache(key, fresh)
    if len(data) > MAX_FILE_BYTES:
        return
    path = Path(key.path)
    try:
        path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        if known is None:
            path.unlink(missing_ok=True)  # its mode would be kept
        write_atomically(path, data, _PRIVATE_FILE)
        _remove_old_files(path.parent)
    except OSError as error:
        _log.info("the next start is not faster: %s", error)


def delete_cache(key: StartKey) -> None:
    """Delete the cache, so that the next start asks the server."""
    try:
        Path(key.path).unlink(missing_ok=True)
    except OSError as error:
        _log.warning("the cache of the start cannot be deleted: %s", error)


def _merge_answers(known: StartCache, fresh: StartCache, scope: str) -> CachedAnswers:
    """Return the answers of both, the fresh ones last, without those whose own dependencies have changed."""
    outdated = {method for method, stamps in known.parts.items() if stamps != fresh.parts.get(method)}
    kept: CachedAnswers = {}
    for name, answers in known.answers.items():
        kept[name] = {request: text for request, text in answers.items() if request.split()[0] not in outdated}
    kept[scope] = {**kept.pop(scope, {}), **fresh.answers[scope]}
    return dict(list(kept.items())[-_MAX_SCOPES:])


def _touch_file(key: StartKey) -> None:
    """Mark the file as used: the oldest ones are removed."""
    try:
        os.utime(key.path)
    except OSError as error:
        _log.debug("the cache of the start cannot be marked as used: %s", error)


def _remove_old_files(folder: Path) -> None:
    with os.scandir(folder) as entries:
        files = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(".json"))
    for _, path in files[:-_MAX_FILES]:
        Path(path).unlink(missing_ok=True)
