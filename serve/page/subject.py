"""Subject of a session: the id of a stored token, or what a JSON Web Token granted until it expires."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.serve.auth import Grant

if TYPE_CHECKING:
    from aurora.serve.auth import Authenticator

    from .session import Session

_PREFIX = "jwt-"
_MAX_CHARS = 3_000
"""Length of a subject in a cookie, of which browsers keep 4,096 bytes."""


def make_subject(grant: Grant, authenticator: Authenticator) -> str:
    """Return the subject of a session that this grant opens.

    A JSON Web Token is stored nowhere, so its subject has the grant itself, and the provider that gave it.

    Raises:
        Fault: INVALID_INPUT for a grant that is too long for a cookie.
    """
    if not grant.is_from_provider:
        return grant.id
    value = [authenticator.provider, grant.id, grant.name, dict(grant.projects)]
    packed = base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")
    if len(packed) > _MAX_CHARS:
        message = "the token names too many projects for a session"
        raise Fault(Code.INVALID_INPUT, message, help="Ask for a token with fewer scopes, or with `aurora:*:read`.")
    return _PREFIX + packed


def find_grant(session: Session, authenticator: Authenticator) -> Grant | None:
    """Return the grant of a session that is signed and has not ended; None if it is no longer valid.

    That of a stored token is looked up again, so that it ends when the token is revoked or expires. That of a JSON Web
    Token ends with the session, and when the server has another provider.

    Raises:
        Fault: the tokens cannot be read.
    """
    if not session.subject.startswith(_PREFIX):
        token = authenticator.find_by_id(session.subject)
        return Grant.from_token(token) if token is not None else None
    packed = session.subject.removeprefix(_PREFIX)
    provider, identifier, name, projects = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    return Grant(identifier, name, projects) if provider and provider == authenticator.provider else None
