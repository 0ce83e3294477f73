"""Authenticator of requests: the header Authorization, checked in constant time, refused with 401."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import anyio.to_thread

from aurora.faults import Code, Fault
from aurora.tools.http import RateLimiter, Refusal

from .grant import LOCAL_GRANT, Grant
from .token import PREFIX

if TYPE_CHECKING:
    from starlette.types import Scope

    from .json_web_token import JwtVerifier
    from .store import TokenStore
    from .token import Token

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +(?P<token>[A-Za-z0-9._~+/-]{1,8192}=*)")
_FAILURES_PER_SECOND, _FAILURE_BURST = 1.0, 30


class Authenticator:
    """Authenticator of requests.

    Args:
        store: Aurora's own tokens.
        verifier: verifies tokens of an identity provider; None without one.
        is_open: each request is let in without a token, on loopback only.
    """

    def __init__(self, store: TokenStore, verifier: JwtVerifier | None, *, is_open: bool) -> None:
        self._store = store
        self._verifier = verifier
        self.is_open = is_open
        self._failures = RateLimiter(_FAILURES_PER_SECOND, _FAILURE_BURST)

    async def authenticate(self, scope: Scope, metadata_url: str) -> Grant | Refusal:
        """Return the grant of a request, or its refusal.

        Args:
            scope: of the ASGI request.
            metadata_url: where a client learns how to get a token (RFC 9728).
        """
        if self.is_open:
            return LOCAL_GRANT
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        found = _BEARER.fullmatch(given[0].decode("latin-1")) if len(given) == 1 else None
        try:
            grant = await self.verify(found["token"]) if found else None
        except Fault as fault:
            return Refusal(503, fault, {"retry-after": "10"})
        if grant is not None:
            return grant
        return self.count_failure(scope) or _make_refusal(metadata_url, is_given=bool(given))

    async def verify(self, text: str) -> Grant | None:
        """Return the grant of a token; None if it is not valid.

        Raises:
            Fault: the tokens or keys cannot be read.
        """
        if text.startswith(f"{PREFIX}_"):
            token = _keep_valid(self._store.find(text))
            return Grant.from_token(token) if token is not None else None
        if self._verifier is None:
            return None
        return await anyio.to_thread.run_sync(self._verifier.verify, text)

    @property
    def provider(self) -> str:
        """Identity provider whose tokens are valid; empty without one."""
        return self._verifier.provider if self._verifier is not None else ""

    def count_failure(self, scope: Scope) -> Refusal | None:
        """Count an attempt without a valid token; return a refusal with 429 for too many of one client."""
        client = scope.get("client")
        return self._failures.check(str(client[0]) if client else "")

    def find_by_id(self, identifier: str) -> Token | None:
        """Return the token with this public id; None if it was revoked or has expired.

        Raises:
            Fault: the tokens cannot be read.
        """
        return _keep_valid(next((one for one in self._store.read() if one.id == identifier), None))


def _keep_valid(token: Token | None) -> Token | None:
    return token if token is not None and not token.is_expired(time.time()) else None


def _make_refusal(metadata_url: str, *, is_given: bool) -> Refusal:
    """Refuse a request; RFC 6750 names no error where no token was sent."""
    error = 'error="invalid_token", error_description="the token is wrong, expired or revoked", ' if is_given else ""
    message = "the token is not valid: it is wrong, expired or revoked" if is_given else "this server needs a token"
    return Refusal.make(
        401,
        Code.UNAUTHORIZED,
        message,
        "Send the header `Authorization: Bearer TOKEN`; the operator of the server makes one with "
        "`aur serve token add`.",
        {"www-authenticate": f'Bearer {error}resource_metadata="{metadata_url}"'},
    )
