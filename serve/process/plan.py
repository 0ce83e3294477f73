"""Plan of a server: what its parent process decides, and every worker follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, list_names, read_value
from aurora.serve.auth import TokenStore, find_token_file
from aurora.serve.settings import ServeSettings
from aurora.tools.core import StrictModel
from aurora.tools.http import ListenAddress, ServerIdentity, is_loopback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.serve.auth import Token


class ServerPlan(StrictModel):
    """Plan of a server.

    Attributes:
        settings: the settings.
        host: the bound host.
        port: the bound port.
        token_file: the path of the tokens.
        is_open: requests need no token.
    """

    settings: ServeSettings
    host: str
    port: int
    token_file: str
    is_open: bool

    @property
    def address(self) -> ListenAddress:
        """Bound address."""
        return ListenAddress(self.host, self.port)

    @property
    def identity(self) -> ServerIdentity:
        """Names of the server."""
        return ServerIdentity.from_address(self.address, self.settings.public_url)

    @property
    def state_folder(self) -> Path:
        """Folder of the tokens and the key."""
        return Path(self.token_file).parent


def plan_server(settings: ServeSettings, address: ListenAddress) -> ServerPlan:
    """Decide if requests need a token: on loopback, not before there is one, for any project.

    Args:
        settings: the settings.
        address: the address, perhaps not bound yet.

    Raises:
        Fault: FORBIDDEN when other machines could reach a server without tokens, or each token is for other projects;
            INVALID_INPUT when it has no name for other machines; the faults of reading the tokens.
    """
    _reject_shared_database(settings)
    file = find_token_file()
    identity = ServerIdentity.from_address(address, settings.public_url)
    reaches_out = not is_loopback(address.host) or identity.is_public
    tokens = TokenStore(file).read()
    needs_token = settings.jwt is not None or any(_concerns(one, settings) for one in tokens)
    if reaches_out and not needs_token:
        raise _make_open_fault(address if not is_loopback(address.host) else None, identity, settings)
    if tokens and not needs_token:
        raise _make_other_projects_fault(tokens, settings)
    if address.host in {"0.0.0.0", "::"} and not settings.public_url:  # noqa: S104 - compared, not bound
        raise Fault(
            Code.INVALID_INPUT,
            f"the server listens on every address of this machine ({address.host}) and has no public URL",
            help="Set public_url, or --public-url, to the address that clients use, as in https://aurora.example.org; "
            "requests for other names are refused.",
        )
    return ServerPlan(
        settings=settings, host=address.host, port=address.port, token_file=str(file), is_open=not needs_token
    )


def _reject_shared_database(settings: ServeSettings) -> None:
    """Reject projects that would share a memory: those of one file, or of one name in the database server."""
    if read_value("AURORA_DB") and len(settings.projects) > 1 and not read_value("AURORA_DATABASE"):
        raise Fault(
            Code.INVALID_INPUT,
            f"AURORA_DB names one database, and {len(settings.projects)} projects would share it",
            help="Unset AURORA_DB, or serve one project with it, and start a server for each other one.",
        )
    places: dict[str, str] = {}
    for name, project in settings.projects.items():
        other = places.setdefault(project.database_project or name, name)
        if other != name:
            raise Fault(
                Code.INVALID_INPUT,
                f'the projects "{other}" and "{name}" would share one memory in the database server',
                help="Give each its own database_project.",
            )


def _concerns(token: Token, settings: ServeSettings) -> bool:
    return any(name == "*" or name in settings.projects for name in token.projects)


def _make_other_projects_fault(tokens: Sequence[Token], settings: ServeSettings) -> Fault:
    """Refuse to serve openly next to tokens: a typo in a project's name must not open the server."""
    named = list_names({name for token in tokens for name in token.projects})
    project = next(iter(settings.projects))
    return Fault(
        Code.FORBIDDEN,
        f"each token is for other projects ({named}) than those of this server ({list_names(settings.projects)}), "
        "which every program of this machine could use without one",
        help=f"Make a token with `aur serve token add YOUR-NAME --project {project} --scope write`; or end the others: "
        "`aur serve token list` lists them, `aur serve token revoke ID` ends one.",
    )


def _make_open_fault(address: ListenAddress | None, identity: ServerIdentity, settings: ServeSettings) -> Fault:
    project = next(iter(settings.projects))
    where = f"on {address.authority}" if address is not None else f"behind {identity.url}"
    return Fault(
        Code.FORBIDDEN,
        f"a server {where} can be reached from other machines, and no token exists that it would ask for",
        help=f"Make a token with `aur serve token add YOUR-NAME --project {project} --scope write`, "
        "or configure [jwt]; or listen on 127.0.0.1 without a public URL.",
    )
