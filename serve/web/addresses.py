"""Addresses of a server: the project of a path, and where its metadata is."""

from __future__ import annotations

import re
from typing import NamedTuple

METADATA = "/.well-known/oauth-protected-resource"
HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
PAGE = "/ui"
"""Address of the page, without a slash at the end."""
_ENDPOINT = re.compile(r"/mcp|/p/(?P<project>[a-z0-9][a-z0-9_-]{0,62})/mcp")


class Endpoint(NamedTuple):
    """Address of MCP.

    Attributes:
        path: as in the URL.
        project: the name of the project; empty for `/mcp`.
    """

    path: str
    project: str


def parse_endpoint(raw_path: bytes) -> Endpoint | None:
    """Return the address of MCP that a path is, byte for byte: no escapes, no dots, no slash at the end."""
    path = raw_path.decode("latin-1")
    found = _ENDPOINT.fullmatch(path)
    return Endpoint(path, found["project"] or "") if found else None


def is_page_path(raw_path: bytes) -> bool:
    """Return True for an address of the page."""
    path = raw_path.decode("latin-1")
    return path == PAGE or path.startswith(f"{PAGE}/")


def parse_metadata_path(raw_path: bytes) -> Endpoint | None:
    """Return the address whose metadata a path asks for; the path alone asks for that of `/mcp`."""
    path = raw_path.decode("latin-1")
    if path == METADATA:
        return Endpoint("/mcp", "")
    return parse_endpoint(path.removeprefix(METADATA).encode("latin-1")) if path.startswith(f"{METADATA}/") else None
