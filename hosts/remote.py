"""Server over HTTP: its address, and the host's entry that leads to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .host import Host

_MAX_URL_CHARS = 500
_SETTING_KEYS = frozenset({"alwaysLoad", "autoApprove", "disabled", "enabled", "timeout", "tools", "trust"})
"""Fields that an entry keeps when it changes from a program to an address; most others belong to the program."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_TOKEN = re.compile(r"aur_[0-9a-f]{12}_")
_PLAIN = re.compile(r"[!-~]+")
"""Printable ASCII without blanks."""
_UNSAFE = frozenset("$`\"'\\<>{}")
"""Characters that a URL never needs, and that hosts expand or that would end a text."""


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """Address of a server over HTTP.

    Attributes:
        url: the address of `aur serve` or `aur mcp --http`.
        token_name: the environment variable with the token; empty without a token.
    """

    url: str
    token_name: str = ""

    @classmethod
    def parse(cls, url: str, token_name: str = "") -> RemoteServer:
        """Check an address and the name of a variable.

        Raises:
            Fault: INVALID_INPUT, with what would be right; the address is not repeated where it may have a secret.
        """
        parts = _split_url(url)
        if token_name:
            _check_variable(token_name)
            if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
                raise _refuse(
                    f'the token would go to "{parts.hostname}" over plain http, where others can read it',
                    "Use the https address of the server, or a tunnel to 127.0.0.1.",
                )
        return cls(url, token_name)


def is_loopback(hostname: str) -> bool:
    """Check whether a host name is this machine."""
    if hostname == "localhost":
        return True
    try:
        return ip_address(hostname).is_loopback
    except ValueError:
        return False


def is_aurora_url(url: str) -> bool:
    """Check whether an address has the form of Aurora's: http or https, with a path that ends in `/mcp`."""
    try:
        _split_url(url)
    except Fault:
        return False
    return True


def build_http_entry(host: Host, remote: RemoteServer, name: str) -> dict[str, Any]:
    """Build the host's entry for a server over HTTP.

    Raises:
        LookupError: the host takes no such entry.
    """
    shape = host.http
    if shape is None:
        raise LookupError(f'"{host.name}" takes no entry for HTTP')
    entry: dict[str, Any] = {"name": name} if host.form == "yaml" else {}
    entry |= {**shape.fixed, shape.url: remote.url, **host.helpful}
    if not remote.token_name:
        return entry
    if shape.variable_key:
        return {**entry, shape.variable_key: remote.token_name}
    value: Any = shape.variable.format(name=remote.token_name)
    for key in reversed(shape.header):
        value = {key: value}
    return {**entry, **value}


def merge_http_entry(host: Host, existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the wanted entry into an existing one of Aurora.

    An entry with the same address keeps all its other fields. A changed one keeps those that are no part of how the
    server is reached, so that no header of the old server goes to the new one.
    """
    if read_url(host, existing) and read_url(host, existing) == read_url(host, wanted):
        return _merge_values(existing, wanted)
    kept = {key: value for key, value in existing.items() if key in _SETTING_KEYS}
    return {**wanted, **kept}


def read_url(host: Host, entry: Any) -> str:
    """Read the address of an entry; empty if it has none."""
    url = entry.get(host.http.url) if isinstance(entry, dict) and host.http is not None else None
    return url.encode("utf-8", "replace").decode("utf-8") if isinstance(url, str) else ""


def find_missing_http_fields(host: Host, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """List the fields that an entry over HTTP lacks; `false` and `[]` may be absent."""
    fixed = host.http.fixed if host.http is not None else {}
    return tuple(key for key, value in fixed.items() if key not in entry and value not in (False, [], True))


def read_token_name(host: Host, entry: Mapping[str, Any]) -> str:
    """Read the environment variable of an entry's token; empty if it names none."""
    shape = host.http
    if shape is None:
        return ""
    if shape.variable_key:
        name = entry.get(shape.variable_key)
        return name if isinstance(name, str) and _VARIABLE.fullmatch(name) else ""
    value: Any = entry
    for key in shape.header:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, str) or not shape.variable:
        return ""
    before, after = (re.escape(part) for part in shape.variable.format(name="\0").split("\0"))
    found = re.fullmatch(f"{before}({_VARIABLE.pattern}){after}", value)
    return found[1] if found else ""


def _merge_values(existing: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(existing)
    for key, value in wanted.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = _merge_values(before, value)
        elif key not in _SETTING_KEYS or key not in merged:
            merged[key] = value
    return merged


def _split_url(url: str) -> SplitResult:
    """Split an address into its parts.

    Raises:
        Fault: INVALID_INPUT.
    """
    example = "Give the address that `aur serve` prints, such as https://aurora.example.org/p/NAME/mcp."
    if len(url) > _MAX_URL_CHARS or not _PLAIN.fullmatch(url) or _UNSAFE & set(url):
        raise _refuse("the address has characters that no URL has, or is too long", example)
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for a port that is no number
    except ValueError:
        raise _refuse("this is not an address", example) from None
    if "@" in parts.netloc:
        raise _refuse(
            "the address has credentials in it, which would be in the file",
            "Leave them out, and name the environment variable of the token with --token-env.",
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _refuse("the address does not begin with http:// or https:// and a host", example)
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise _refuse("the address has a part after `?` or `#`, which the server refuses", example)
    if not parts.path.endswith("/mcp"):
        raise _refuse("the path of the address does not end in /mcp", example)
    return parts


def _check_variable(name: str) -> None:
    """Check the name of an environment variable; do not repeat what may be a token.

    Raises:
        Fault: INVALID_INPUT.
    """
    remedy = 'Put the token into a variable, as in `export AURORA_TOKEN="…"`, and pass --token-env AURORA_TOKEN.'
    if _TOKEN.match(name):
        raise _refuse("--token-env got a token, which would be in the file", remedy)
    if not _VARIABLE.fullmatch(name):
        raise _refuse("--token-env is not the name of an environment variable", remedy)


def _refuse(message: str, remedy: str) -> Fault:
    return Fault(Code.INVALID_INPUT, message, help=remedy)
