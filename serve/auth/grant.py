"""Grant: who a request is from, and the scope in each project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.tools.mcp.access import SCOPES, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .token import Token

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
