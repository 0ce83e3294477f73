"""Visitor of a served page: the session of a browser, and the grant of its token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora import ui

if TYPE_CHECKING:
    from aurora.serve.auth import Grant

    from .session import Session

_NO_PERSON = (
    "Only a token with the scope `admin` changes anything on this page: an assistant has one with `write`, and must "
    "not answer in your place. Ask the operator of the server for a token with `--scope admin`."
)
_NO_ADMIN = "Forget, undo and the doctor need a token with the scope `admin`. Ask the operator of the server for one."


@dataclass(frozen=True, slots=True)
class TokenVisitor(ui.Visitor):
    """Person with a token.

    Attributes:
        session: the session, whose token is looked up again whenever a project is opened.
    """

    session: Session | None = None


def make_visitor(grant: Grant, session: Session, form_secret: str, sign_out: str) -> TokenVisitor:
    """Return the visitor of a session, who may do what the scopes of the grant allow."""
    return TokenVisitor(
        grant.name,
        form_secret,
        refusal=_NO_PERSON if not grant.is_admin else "",
        admin_refusal=_NO_ADMIN if not grant.is_admin else "",
        sign_out=sign_out,
        session=session,
    )
