"""Sessions of signed-in customers."""

import hashlib
import hmac

SESSION_MINUTES = 30


class SessionStore:
    """Sessions by token, in memory."""

    def __init__(self) -> None:
        self._sessions: dict[str, str] = {}

    def open_session(self, customer: str, nonce: bytes) -> str:
        """Sign a token for the customer and remember it."""
        token = hmac.new(nonce, customer.encode(), hashlib.sha256).hexdigest()
        self._sessions[token] = customer
        return token

    def customer_of(self, token: str) -> str | None:
        """The customer that the token belongs to, or None when it is unknown or has expired."""
        return self._sessions.get(token)

    def close_session(self, token: str) -> None:
        """Forget the token; closing twice does no harm."""
        self._sessions.pop(token, None)
