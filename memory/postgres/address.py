"""Address of a database server: its URL, which is secret, and the name of the project."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aurora.faults import Code, Fault

_SCHEMES = frozenset({"postgresql", "postgres"})
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Database server and the project in it.

    Attributes:
        url: connection URL with its password, never shown.
        project: name of the project.
    """

    url: str = field(repr=False)
    project: str

    @property
    def place(self) -> str:
        """Host and database without user, password and options."""
        parts = urlsplit(self.url)
        host = (parts.hostname or "localhost") + (f":{parts.port}" if parts.port else "")
        return f"postgresql://{host}/{parts.path.lstrip('/')}"


def parse_address(url: str, project: str) -> ServerAddress:
    """Check the address of a server and the name of a project.

    Args:
        url: `postgresql://user:password@host:port/database?options`, as libpq takes it.
        project: the project's name: letters, digits, ".", "_", "-" and "/".

    Raises:
        Fault: INVALID_INPUT; its message never has the URL, which may contain a password.
    """
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in _SCHEMES and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise Fault(
            Code.INVALID_INPUT,
            "AURORA_DATABASE is not the URL of a PostgreSQL server",
            help="set it to postgresql://user@host:5432/database, and the password in PGPASSWORD or ~/.pgpass",
        )
    if not _PROJECT.fullmatch(project):
        what = f'"{project[:80]}" is no name of a project' if project else "the project has no name"
        raise Fault(
            Code.INVALID_INPUT,
            f"{what}: a database server needs one",
            help='set AURORA_PROJECT to the name of the repository, of letters, digits, ".", "_", "-" and "/"',
        )
    return ServerAddress(url, project)
