"""JSON Web Tokens: verified with the keys, the issuer and the audience of the settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jwt

from aurora.tools.mcp.access import SCOPES, Scope

from .grant import PROVIDER_PREFIX, Grant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.serve.settings import JwtSettings

    from .key_set import KeySet

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
