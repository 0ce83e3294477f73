"""Addresses that a server listens on: parsed, checked for loopback, and bound."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
from typing import NamedTuple

from aurora.faults import Code, Fault

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
