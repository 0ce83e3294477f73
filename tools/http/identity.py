"""Names under which clients may address a server: the allowed values of Host and Origin."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aurora.faults import Code, Fault

from .address import is_loopback

if TYPE_CHECKING:
    from .address import ListenAddress

_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\]")


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """Names of a server.

    Attributes:
        url: the URL of its root as clients know it, without a slash at the end.
        hosts: the allowed values of the Host header, in lower case. A page that another name leads here, which is DNS
            rebinding, is refused by them.
        origins: the allowed values of the Origin header; a browser sends it for a page of another site.
    """

    url: str
    hosts: frozenset[str]
    origins: frozenset[str]

    @classmethod
    def from_address(cls, address: ListenAddress, public_url: str = "") -> ServerIdentity:
        """Return the names for a bound address.

        Args:
            address: the address with its real port.
            public_url: the URL of its root for clients elsewhere, as a proxy offers it; empty for none.

        Raises:
            Fault: INVALID_INPUT for a public URL that is not the root of an http or https site.
        """
        hosts = {f"{name}:{address.port}" for name in _LOOPBACK_NAMES}
        if address.host not in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
            hosts.add(address.authority.lower())
        origins = {f"http://{host}" for host in hosts}
        if not public_url:
            return cls(address.url, frozenset(hosts), frozenset(origins))
        scheme, host, port = _parse_public_url(public_url)
        is_default = port == _DEFAULT_PORTS[scheme]
        origin = f"{scheme}://{host}" if is_default else f"{scheme}://{host}:{port}"
        hosts |= {host, f"{host}:{port}"} if is_default else {f"{host}:{port}"}
        return cls(origin, frozenset(hosts), frozenset({*origins, origin}))

    @property
    def is_public(self) -> bool:
        """True if the URL for clients leads to other machines."""
        return not is_loopback((urlsplit(self.url).hostname or "").strip("[]"))


def _parse_public_url(text: str) -> tuple[str, str, int]:
    """Return the scheme, the host as in a URL, and the port."""
    try:
        parts = urlsplit(text.strip().lower())
        scheme, port = parts.scheme, parts.port
        host = parts.netloc.rpartition(":")[0] if port is not None else parts.netloc
        is_root = parts.path in {"", "/"} and not (parts.query or parts.fragment or parts.username)
    except ValueError:
        scheme, host, port, is_root = "", "", None, False
    if scheme not in _DEFAULT_PORTS or not is_root or not _HOST.fullmatch(host):
        raise Fault(
            Code.INVALID_INPUT,
            f'"{text[:120]}" is not the public URL of a server',
            help="Write the root of the site, as in https://aurora.example.org, without a path.",
        )
    return scheme, host, port if port is not None else _DEFAULT_PORTS[scheme]
