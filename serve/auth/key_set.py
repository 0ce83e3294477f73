"""Key set of an identity provider (JWKS), fetched within limits and kept for a while."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import jwt

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 256 * 1024
FETCH_SECONDS = 5.0
FRESH_SECONDS = 300.0
"""Time until a key set is fetched again."""
STALE_SECONDS = 3600.0
"""Time that a key set is used while its provider does not answer."""
RETRY_SECONDS = 10.0
"""Time between two attempts, also for a key that is not in the set, which anyone could name."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_given: Any) -> None:
        """Follow no redirect: it could lead to an address inside the network."""


class KeySet:
    """Key set behind a URL; safe for use from several threads.

    Args:
        url: its address, from the settings; no token can name another one.
        clock: returns seconds.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched = -STALE_SECONDS
        self._tried = -STALE_SECONDS
        self._lock = threading.Lock()

    def find(self, identifier: str) -> jwt.PyJWK | None:
        """Return the key with this id; None if the provider has none.

        Raises:
            Fault: UPSTREAM_ERROR when no key set could be fetched for long.
        """
        with self._lock:
            now = self._clock()
            is_due = identifier not in self._keys or now - self._fetched > FRESH_SECONDS
            if is_due and now - self._tried > RETRY_SECONDS:
                self._tried = now
                self._refresh(now)
            if now - self._fetched > STALE_SECONDS:
                message = "the keys of the identity provider cannot be fetched"
                raise Fault(Code.UPSTREAM_ERROR, message, help="Try again in a few seconds.")
            return self._keys.get(identifier)

    def _refresh(self, now: float) -> None:
        """Fetch the set; keep the last one when that fails."""
        try:
            fetched = jwt.PyJWKSet.from_dict(_fetch_json(self._url))
        except (OSError, ValueError, TypeError, RecursionError, jwt.PyJWTError):
            return
        self._keys = {key.key_id: key for key in fetched.keys if key.key_id and key.public_key_use in {"sig", None}}
        self._fetched = now


def _fetch_json(url: str) -> dict[str, Any]:
    """Fetch a JSON object.

    Raises:
        OSError, ValueError: it cannot be fetched, is too long, or is no JSON object.
    """
    opener = urllib.request.build_opener(_NoRedirect(), urllib.request.ProxyHandler())
    with opener.open(url, timeout=FETCH_SECONDS) as response:
        data = response.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError("the key set is too long")
    document = json.loads(data)
    if not isinstance(document, dict):
        raise TypeError("the key set is not an object")
    return document
