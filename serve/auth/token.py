"""Token of Aurora's own: a public id and a secret, of which only the hash is stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.tools.mcp.access import SCOPES, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "aur"
SECRET_BYTES = 32
_FORM = re.compile(r"aur_(?P<id>[0-9a-f]{12})_(?P<secret>[A-Za-z0-9_-]{43})")
_HASH_OF_NOTHING = hashlib.sha256(b"").hexdigest()
"""Compared where there is no token of that id, so that both take as long."""


@dataclass(frozen=True, slots=True)
class Token:
    """Stored token.

    Attributes:
        id: its public part.
        name: who has it.
        hash: the SHA-256 of its secret, in hexadecimal; a secret of 256 random bits needs no slow hash.
        scope: what it may do.
        projects: the names of projects, or `*`.
        created: the time in seconds since 1970.
        expires: the time in seconds since 1970; None for never.
    """

    id: str
    name: str
    hash: str
    scope: Scope
    projects: tuple[str, ...]
    created: float
    expires: float | None

    def is_expired(self, now: float) -> bool:
        """Return True if it is no longer valid."""
        return self.expires is not None and now >= self.expires

    def to_json(self) -> dict[str, Any]:
        """Return the JSON value of the file."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Token:
        """Return the token of a JSON value.

        Raises:
            ValueError, TypeError, LookupError: the value is damaged.
        """
        token = cls(**{**value, "projects": tuple(value["projects"])})
        texts = (token.id, token.name, token.hash, token.scope, *token.projects)
        if not all(isinstance(text, str) for text in texts) or token.scope not in SCOPES:
            raise ValueError("a token is damaged")
        float(token.created)
        float(token.expires or 0)
        return token


class NewToken(NamedTuple):
    """Token that has just been made, and its text, which is shown once."""

    token: Token
    text: str


def create_token(name: str, scope: Scope, projects: tuple[str, ...], now: float, expires: float | None) -> NewToken:
    """Create a token with a random secret."""
    identifier, secret = secrets.token_hex(6), secrets.token_urlsafe(SECRET_BYTES)
    token = Token(identifier, name, _hash_secret(secret), scope, projects, now, expires)
    return NewToken(token, f"{PREFIX}_{identifier}_{secret}")


def split_token(text: str) -> tuple[str, str] | None:
    """Return the id and the secret; None for a text of another form."""
    found = _FORM.fullmatch(text)
    return (found["id"], found["secret"]) if found else None


def is_secret_of(token: Token | None, secret: str) -> bool:
    """Compare in a time that tells nothing about the stored hash."""
    expected = token.hash if token is not None else _HASH_OF_NOTHING
    return hmac.compare_digest(_hash_secret(secret), expected) and token is not None


def _hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
