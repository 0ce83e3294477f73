"""State of a question in the stateless era: signed, so that a host cannot make one up."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from aurora.tools.runs import PersonQuestion

_VALID_SECONDS = 3600.0
_MAX_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """Question that this server has handed to a host.

    Attributes:
        run: the run that waits.
        step: the number of the step that the reply makes.
        digest: the hash of the message and the form.
        attempt: how often the person was asked, from 1.
        until: the time in seconds since 1970 at which it expires.
    """

    run: str
    step: int
    digest: str
    attempt: int
    until: float

    @classmethod
    def from_question(cls, question: PersonQuestion, attempt: int) -> AskedQuestion:
        """Create the record of a question that is handed out now."""
        return cls(question.run, question.step, question.digest, attempt, time.time() + _VALID_SECONDS)

    def is_about(self, question: PersonQuestion) -> bool:
        """Return True if it is this question, with the same message and form."""
        return (self.run, self.step, self.digest) == (question.run, question.step, question.digest)


class StateSigner:
    """Signer of states; a state that another key has signed is refused.

    Args:
        key: the key, which several processes of one server share; by default one of this process.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)

    def sign(self, asked: AskedQuestion) -> str:
        """Return the state for the host: JSON and its HMAC-SHA256."""
        body = json.dumps(asdict(asked), separators=(",", ":")).encode()
        return f"{_encode(body)}.{_encode(self._compute_mac(body))}"

    def verify(self, state: str) -> AskedQuestion:
        """Return the question of a state.

        Raises:
            Fault: INVALID_INPUT for a state that this server has not signed, or that has expired.
        """
        body, _, mac = state[:_MAX_LENGTH].partition(".")
        try:
            decoded, signature = _decode(body), _decode(mac)
        except (ValueError, binascii.Error):
            decoded, signature = b"", b""
        if not decoded or not hmac.compare_digest(signature, self._compute_mac(decoded)):
            raise _make_state_fault("is not from this server")
        asked = AskedQuestion(**json.loads(decoded))
        if asked.until < time.time():
            raise _make_state_fault("has expired")
        return asked

    def _compute_mac(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _make_state_fault(reason: str) -> Fault:
    return Fault(
        Code.INVALID_INPUT, f"the request state {reason}", help="Call aurora_query again with phase='continue' and run."
    )
