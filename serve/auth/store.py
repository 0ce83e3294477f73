"""Store of tokens: one private JSON file in the person's state folder, written atomically."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault, write_atomically
from aurora.trust import PRIVATE_FILE, PrivateFileError, find_state_file, lock_exclusively, read_private_file

from .token import Token, is_secret_of, split_token

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tokens = tuple[Token, ...]

TOKEN_FILE = "serve-tokens.json"  # noqa: S105 - the name of a file
VERSION = 1
MAX_FILE_BYTES = 4_000_000
"""Size limit of the file; a token has some 300 bytes."""
_PRIVATE_FOLDER = 0o700
_MISSING = (0, 0, 0)


class _LoadedTokens(NamedTuple):
    stamp: tuple[int, int, int]
    tokens: Tokens


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


class TokenStore:
    """Store of tokens.

    Args:
        path: its file, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loaded = _LoadedTokens(_MISSING, ())

    def read(self) -> Tokens:
        """Return the tokens; from the file only when it has changed, so that a revoked one ends at once.

        Raises:
            Fault: FORBIDDEN or UPSTREAM_ERROR when the file cannot be read, is damaged, or anyone else could have
                written it.
        """
        stamp = self._stamp_file()
        if self._loaded.stamp != stamp:
            self._loaded = _LoadedTokens(stamp, self._load())
        return self._loaded.tokens

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
        self._change(lambda tokens: (*tokens, token))

    def remove(self, identifier: str) -> Token | None:
        """Remove the token with this id, and return it; None if there is none.

        Raises:
            Fault: as `add`.
        """
        removed = next((one for one in self.read() if one.id == identifier), None)
        if removed is not None:
            self._change(lambda tokens: tuple(one for one in tokens if one.id != identifier))
        return removed

    def _change(self, change: Callable[[Tokens], Tokens]) -> None:
        """Read the newest tokens, change them and write them, while no other process does."""
        try:
            self.path.parent.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
            with lock_exclusively(self.path.with_suffix(".lock")):
                document = {"version": VERSION, "tokens": [one.to_json() for one in change(self.read())]}
                write_atomically(self.path, json.dumps(document, indent=1).encode(), PRIVATE_FILE)
        except OSError as error:
            message = f'the tokens "{self.path}" cannot be written ({error.strerror or error})'
            raise Fault(Code.FORBIDDEN, message, help="Give yourself write permission for its folder.") from None

    def _stamp_file(self) -> tuple[int, int, int]:
        try:
            status = os.stat(self.path)  # noqa: PTH116 - each request looks, and Path's takes twice as long
        except FileNotFoundError:
            return _MISSING
        except OSError as error:
            raise self._make_fault(f"cannot be read ({error.strerror or error})") from None
        return status.st_ino, max(status.st_mtime_ns, status.st_ctime_ns), status.st_size

    def _load(self) -> Tokens:
        try:
            data = read_private_file(self.path, MAX_FILE_BYTES)
            document = json.loads(data)
            if document["version"] != VERSION:
                raise self._make_fault("was written by another version of Aurora")
            return tuple(Token.from_json(value) for value in document["tokens"])
        except FileNotFoundError:
            return ()
        except PrivateFileError as error:
            raise self._make_fault(error.what, error.remedy) from None
        except OSError as error:
            raise self._make_fault(f"cannot be read ({error.strerror or error})") from None
        except (ValueError, TypeError, LookupError, RecursionError):
            raise self._make_fault("is damaged") from None

    def _make_fault(self, what: str, remedy: str = "") -> Fault:
        return Fault(
            Code.UPSTREAM_ERROR,
            f'the file of tokens "{self.path}" {what}; no token is valid',
            help=remedy or "Delete it, and make new tokens with `aur serve token add`.",
        )
