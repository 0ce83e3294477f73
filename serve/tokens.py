"""Tokens of Aurora's own, the file that stores them, and what each grants."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import Code, Fault
from aurora.system.files import write_atomically
from aurora.tools.mcp.access import SCOPES, Scope
from aurora.trust import (
    PRIVATE_FILE,
    PrivateFileError,
    PrivateList,
    find_state_file,
    lock_exclusively,
    read_private_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


ANY_PROJECT = "*"
"""Name that stands for every project of the server."""
PROVIDER_PREFIX = "jwt:"
"""Begin of the identity of an identity provider's subject; the id of a stored token has no colon."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Grant of a valid token.

    Attributes:
        id: the identity of the token or its subject, for the log and the rate; never a secret.
        name: who has it, for the journal of a run.
        projects: the name of a project, or `*`, with the scope there.
        expires: the time in seconds since 1970; None for never.
    """

    id: str
    name: str
    projects: Mapping[str, Scope] = field(default_factory=dict)
    expires: float | None = None

    @property
    def is_from_provider(self) -> bool:
        """True for the grant of an identity provider's token, which is stored nowhere."""
        return self.id.startswith(PROVIDER_PREFIX)

    @property
    def is_admin(self) -> bool:
        """True if the scope is `admin` wherever there is one."""
        return bool(self.projects) and set(self.projects.values()) == {"admin"}

    @classmethod
    def from_token(cls, token: Token) -> Grant:
        """Return the grant of one of Aurora's own tokens."""
        return cls(token.id, token.name, dict.fromkeys(token.projects, token.scope), token.expires)

    def find_scope(self, project: str) -> Scope | None:
        """Return the highest scope in a project; None if the grant does not include it."""
        found = [self.projects[name] for name in (project, ANY_PROJECT) if name in self.projects]
        return max(found, key=SCOPES.index, default=None)

    def list_projects(self, served: Iterable[str]) -> tuple[str, ...]:
        """Return those of the served projects that the grant includes."""
        return tuple(name for name in served if self.find_scope(name) is not None)


LOCAL_GRANT = Grant("local", "", {ANY_PROJECT: "admin"})
"""Grant of each program of this machine, where a server on loopback needs no token."""


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


TOKEN_FILE = "serve-tokens.json"  # noqa: S105 - the name of a file


def find_token_file() -> Path:
    """Return the path of the tokens of this account.

    Raises:
        Fault: NOT_FOUND for an account without a home folder.
    """
    state = find_state_file()
    if state is None:
        raise Fault(
            Code.NOT_FOUND, "this account has no home folder, so tokens have no place", help="Set XDG_STATE_HOME."
        )
    return state.with_name(TOKEN_FILE)


class TokenStore(PrivateList[Token]):
    """Store of tokens, which is read again when its file has changed: a revoked token ends at once."""

    key, version = "tokens", 1
    name, effect = "the file of tokens", "no token is valid"
    remedy = "Delete it, and make new tokens with `aur serve token add`."
    write_remedy = "Give yourself write permission for its folder."
    parse_entry = staticmethod(Token.from_json)

    def format_entry(self, entry: Token) -> dict[str, Any]:
        """Return the JSON object of an entry."""
        return entry.to_json()

    def find(self, text: str) -> Token | None:
        """Return the token with this text; None for none. An expired one is returned, too.

        Raises:
            Fault: as `read`.
        """
        parts = split_token(text)
        if parts is None:
            return None
        identifier, secret = parts
        token = next((one for one in self.read() if one.id == identifier), None)
        return token if is_secret_of(token, secret) else None

    def add(self, token: Token) -> None:
        """Add a token.

        Raises:
            Fault: the file cannot be read or written; it is unchanged.
        """
        self.change(lambda tokens: (*tokens, token))

    def remove(self, identifier: str) -> Token | None:
        """Remove the token with this id, and return it; None if there is none.

        Raises:
            Fault: as `add`.
        """
        removed = next((one for one in self.read() if one.id == identifier), None)
        if removed is not None:
            self.change(lambda tokens: tuple(one for one in tokens if one.id != identifier))
        return removed


KEY_FILE = "serve-key"
KEY_BYTES = 32
_MAX_FILE_BYTES = 1_000_000


def load_signing_key(folder: Path) -> bytes:
    """Return the key; make it when there is none.

    Args:
        folder: the folder of the file; servers on several machines share a copy of it.

    Raises:
        Fault: FORBIDDEN when it cannot be read or written, or anyone else could have written it.
    """
    path = folder / KEY_FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_exclusively(path.with_suffix(".lock")):
            if not path.exists():
                write_atomically(path, secrets.token_bytes(KEY_BYTES), PRIVATE_FILE)
            key = read_private_file(path, _MAX_FILE_BYTES)
    except (OSError, PrivateFileError) as error:
        reason = error.what if isinstance(error, PrivateFileError) else (error.strerror or str(error)).lower()
        raise Fault(
            Code.FORBIDDEN, f'the key "{path}" cannot be used: {reason}', help="Delete it; a new one is made."
        ) from None
    if len(key) != KEY_BYTES:
        raise Fault(Code.FORBIDDEN, f'the key "{path}" is damaged', help="Delete it; a new one is made.")
    return key
