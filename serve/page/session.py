"""Session of a browser: a signed cookie with its subject, so that no worker keeps state."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

SESSION_SECONDS = 12 * 3600
_NONCE_BYTES = 16
_FORM = re.compile(
    r"(?P<subject>[0-9a-f]{12}|jwt-[A-Za-z0-9_-]{1,3000})\.(?P<end>[0-9]{1,12})\."
    r"(?P<nonce>[A-Za-z0-9_-]{22})\.(?P<mac>[0-9a-f]{64})"
)


class Session(NamedTuple):
    """Session of a browser.

    Attributes:
        subject: who opened it, as `make_subject` returns it.
        end: the time in seconds since 1970.
        nonce: random text, so that no two sessions are equal.
    """

    subject: str
    end: int
    nonce: str


class SessionSigner:
    """Signer of cookies.

    Args:
        key: of the server; all workers have the same.
    """

    def __init__(self, key: bytes) -> None:
        self._key = hmac.new(key, b"aurora page session", hashlib.sha256).digest()

    def create_session(self, subject: str, now: float, expires: float | None = None) -> Session:
        """Create a session that ends in 12 hours, or when its token expires, whichever is first."""
        end = now + SESSION_SECONDS
        return Session(subject, int(end if expires is None else min(end, expires)), secrets.token_urlsafe(_NONCE_BYTES))

    def make_cookie(self, session: Session) -> str:
        """Return the value of the cookie."""
        return f"{session.subject}.{session.end}.{session.nonce}.{self._sign('cookie', session)}"

    def read_cookie(self, text: str, now: float) -> Session | None:
        """Return the session of a cookie; None if it has ended, or another key has signed it."""
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        session = Session(found["subject"], int(found["end"]), found["nonce"])
        is_signed = hmac.compare_digest(found["mac"], self._sign("cookie", session))
        return session if is_signed and now < session.end else None

    def make_form_secret(self, session: Session) -> str:
        """Return the secret that each form of the session sends back."""
        return self._sign("form", session)

    def _sign(self, purpose: str, session: Session) -> str:
        text = f"{purpose}.{session.subject}.{session.end}.{session.nonce}"
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
