"""Addresses of a server: where it listens, and the names under which clients reach it."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
import sys
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from aurora.errors import Code, Fault

_MAX_PORT = 65_535
_BACKLOG = 512


class ListenAddress(NamedTuple):
    """Address to listen on.

    Attributes:
        host: a name or an IP address, an IPv6 address without brackets.
        port: the port; 0 for one that the system chooses.
    """

    host: str
    port: int

    @property
    def authority(self) -> str:
        """Address as in a URL, `127.0.0.1:8080` or `[::1]:8080`."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """URL of the server's root, without a slash at the end."""
        return f"http://{self.authority}"


def parse_listen_address(text: str, default_port: int = 0) -> ListenAddress:
    """Parse `HOST:PORT`, `[IPV6]:PORT`, `:PORT`, `PORT` or `HOST`; without a host it is 127.0.0.1.

    Raises:
        Fault: INVALID_INPUT for any other text.
    """
    host, port = _split_port(text.strip())
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not port and not text.endswith(":"):
        port = str(default_port)
    if not (port.isascii() and port.isdecimal() and len(port) <= len(str(_MAX_PORT)) and int(port) <= _MAX_PORT):
        raise _make_address_fault(text)
    if not host.isprintable() or any(mark in host for mark in " /@?#[]"):
        raise _make_address_fault(text)
    return ListenAddress(host or "127.0.0.1", int(port))


def _split_port(text: str) -> tuple[str, str]:
    """Split off the port; empty when there is none."""
    if text.isdecimal():
        return "", text
    if text.startswith("["):
        host, _, rest = text.partition("]")
        return f"{host}]", rest.removeprefix(":")
    if text.count(":") > 1:
        return text, ""  # an IPv6 address without brackets
    host, _, port = text.partition(":")
    return host, port


def _make_address_fault(text: str) -> Fault:
    return Fault(
        Code.INVALID_INPUT,
        f'"{text[:80]}" is not an address to listen on',
        help="Write HOST:PORT, as in 127.0.0.1:8080 or [::1]:8080; port 0 takes a free one.",
    )


def is_loopback(host: str) -> bool:
    """Return True for a host that only this machine reaches: `localhost`, 127.0.0.0/8 and ::1."""
    if host.lower() == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def bind_socket(address: ListenAddress) -> socket.socket:
    """Bind a listening socket; its port is free for nobody else from now on.

    Raises:
        Fault: CONFLICT when the port is taken, FORBIDDEN when it may not be used, INVALID_INPUT for a host that is not
            one of this machine's.
    """
    try:
        found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise Fault(
            Code.INVALID_INPUT,
            f'the host "{address.host[:80]}" has no address ({error.strerror or error})',
            help="Name an address of this machine, such as 127.0.0.1.",
        ) from None
    family, kind, protocol, _, place = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # where it would let another process take over the port
            # So that a server that restarts gets its port while the system still holds the old connections.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(_BACKLOG)
        listening.setblocking(False)  # noqa: FBT003 - the socket's signature
    except OSError as error:
        listening.close()
        raise _make_bind_fault(address, error) from None
    return listening


def _make_bind_fault(address: ListenAddress, error: OSError) -> Fault:
    if isinstance(error, PermissionError):
        return Fault(
            Code.FORBIDDEN,
            f"the port {address.port} may not be used by this user",
            help="Choose a port from 1024, and let a proxy answer on the other one.",
        )
    return Fault(
        Code.CONFLICT,
        f"nothing can listen on {address.authority}: {(error.strerror or str(error)).lower()}",
        help="Stop the program that uses the port, or choose another one; port 0 takes a free one.",
    )


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
        # A server on every address has no name of its own; which ones clients use, only the public URL tells.
        if address.host not in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
            hosts.add(address.authority.lower())
        origins = {f"http://{host}" for host in hosts}
        if not public_url:
            return cls(address.url, frozenset(hosts), frozenset(origins))
        scheme, host, port = _parse_public_url(public_url)
        is_default = port == _DEFAULT_PORTS[scheme]
        origin = f"{scheme}://{host}" if is_default else f"{scheme}://{host}:{port}"
        # Clients leave the default port out of the Host header, and may also send it.
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
