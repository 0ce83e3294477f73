"""Authentication of requests: bearer tokens of Aurora's own or of an identity provider."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import jwt

from aurora.errors import Code, Fault
from aurora.serve.tokens import LOCAL_GRANT, PREFIX, PROVIDER_PREFIX, Grant
from aurora.tools.http.guard import RateLimiter, Refusal
from aurora.tools.mcp.access import SCOPES, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import Scope as RequestScope

    from aurora.serve.tokens import Token, TokenStore

    from .settings import JwtSettings


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

    async def authenticate(self, scope: RequestScope, metadata_url: str) -> Grant | Refusal:
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
            # A file of tokens that cannot be read lets nobody in, and is no fault of the client.
            return Refusal(503, fault, {"retry-after": "10"})
        if grant is not None:
            return grant
        # Only what fails is counted by client: who has a valid token has a limit by token.
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
        # In a thread, since it may have to fetch keys while other requests are answered.
        return await anyio.to_thread.run_sync(self._verifier.verify, text)

    @property
    def provider(self) -> str:
        """Identity provider whose tokens are valid; empty without one."""
        return self._verifier.provider if self._verifier is not None else ""

    def count_failure(self, scope: RequestScope) -> Refusal | None:
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


LEEWAY_SECONDS = 30
_SCOPE = re.compile(r"aurora:(?P<project>\*|[a-z0-9][a-z0-9_-]{0,62}):(?P<scope>read|write|admin)")
_MAX_TEXT = 200


class JwtVerifier:
    """Verifier of tokens that an identity provider has signed.

    Args:
        settings: the issuer, the audience and the allowed algorithms.
        keys: the provider's keys.
    """

    def __init__(self, settings: JwtSettings, keys: KeySet) -> None:
        self._settings = settings
        self._keys = keys

    @property
    def provider(self) -> str:
        """Issuer and audience of the tokens."""
        return f"{self._settings.issuer} {self._settings.audience}"

    def verify(self, text: str) -> Grant | None:
        """Return the grant of a token; None if it is not valid.

        This may fetch keys, and so belongs in a thread.

        Raises:
            Fault: UPSTREAM_ERROR when there are no keys.
        """
        try:
            header = jwt.get_unverified_header(text)
        except jwt.PyJWTError:
            return None
        identifier = header.get("kid")
        # The token does not choose: with an algorithm of a shared key, the public key would be enough to sign one.
        if header.get("alg") not in self._settings.algorithms or not isinstance(identifier, str):
            return None
        key = self._keys.find(identifier)
        if key is None:
            return None
        try:
            claims = jwt.decode(
                text,
                key,
                algorithms=list(self._settings.algorithms),
                audience=self._settings.audience,
                issuer=self._settings.issuer,
                leeway=LEEWAY_SECONDS,
                # A claim that is absent would otherwise not be checked: without `exp`, a token would never end.
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
            return None
        return _read_claims(claims)


def _read_claims(claims: dict[str, Any]) -> Grant:
    projects: dict[str, Scope] = {}
    for project, scope in _list_scopes(claims):
        before = projects.get(project, scope)
        projects[project] = max(before, scope, key=SCOPES.index)
    subject = str(claims["sub"])[:_MAX_TEXT]
    name = claims.get("name") or claims.get("email") or subject
    return Grant(f"{PROVIDER_PREFIX}{subject}", str(name)[:_MAX_TEXT], projects, float(claims["exp"]))


def _list_scopes(claims: dict[str, Any]) -> Iterator[tuple[str, Scope]]:
    """Yield the scopes `aurora:PROJECT:read` of the claim `scope`, a text, or `scp`, a list or a text."""
    for given in (claims.get("scope"), claims.get("scp")):
        words = given.split() if isinstance(given, str) else given if isinstance(given, list) else ()
        for word in words:
            found = _SCOPE.fullmatch(word) if isinstance(word, str) else None
            scope = next((one for one in SCOPES if found and found["scope"] == one), None)
            if found and scope:
                yield found["project"], scope


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
        # A provider may list keys for encryption too, which sign nothing.
        self._keys = {key.key_id: key for key in fetched.keys if key.key_id and key.public_key_use in {"sig", None}}
        self._fetched = now


def _fetch_json(url: str) -> dict[str, Any]:
    """Fetch a JSON object.

    Raises:
        OSError, ValueError: it cannot be fetched, is too long, or is no JSON object.
    """
    opener = urllib.request.build_opener(_NoRedirect(), urllib.request.ProxyHandler())
    with opener.open(url, timeout=FETCH_SECONDS) as response:
        # One byte more than is allowed tells a set that is too long from one that just fits.
        data = response.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError("the key set is too long")
    document = json.loads(data)
    if not isinstance(document, dict):
        raise TypeError("the key set is not an object")
    return document
