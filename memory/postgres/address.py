"""Address of a database server: its URL, which is secret, and the name of the project."""

from __future__ import annotations

import re

import psycopg
from psycopg.conninfo import conninfo_to_dict

from aurora.errors import Code, Fault
from aurora.memory.model.reports import ServerAddress

_SCHEMES = ("postgresql://", "postgres://")
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


def parse_address(url: str, project: str) -> ServerAddress:
    """Check the address of a server and the name of a project.

    Args:
        url: `postgresql://user:password@host:port/database?options`, as libpq takes it; several hosts are separated by
            commas.
        project: the project's name: letters, digits, ".", "_", "-" and "/".

    Raises:
        Fault: INVALID_INPUT; its message never has the URL, which may contain a password.
    """
    options = _parse_url(url)
    if options is None:
        raise Fault(
            Code.INVALID_INPUT,
            "the database is not named by the URL of a PostgreSQL server",
            help="set AURORA_DATABASE to postgresql://user@host:5432/database, and the password in PGPASSWORD or "
            "~/.pgpass",
        )
    if not _PROJECT.fullmatch(project):
        what = f'"{project[:80]}" is no name of a project' if project else "AURORA_PROJECT is not set"
        raise Fault(
            Code.INVALID_INPUT,
            f"{what}: a memory in a database server needs a name",
            help='set AURORA_PROJECT to the name of the repository, of letters, digits, ".", "_", "-" and "/"',
        )
    return ServerAddress(url, project, _describe_place(options))


def _parse_url(url: str) -> dict[str, str] | None:
    """Parse a URL as libpq does; None for anything else."""
    if not url.startswith(_SCHEMES) or "\0" in url:
        return None
    try:
        options = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except (psycopg.Error, UnicodeError):
        return None
    ports = options.get("port", "").split(",")
    return options if all(not port or port.isdecimal() for port in ports) else None


def _describe_place(options: dict[str, str]) -> str:
    """Describe hosts and database; a folder is that of a socket."""
    hosts = options.get("host", "localhost").split(",")
    ports = options.get("port", "").split(",")
    named = [
        _bracket(host) + (f":{port}" if port else "")
        for host, port in zip(hosts, ports * len(hosts) if len(ports) == 1 else ports, strict=False)
    ]
    return f"postgresql://{','.join(named)}/{options.get('dbname', '')}"


def _bracket(host: str) -> str:
    """Put brackets around a folder of a socket and an IPv6 address."""
    return f"[{host}]" if {"/", ":"} & set(host) else host
