"""Addresses of a server: the project of a path, and where its metadata is."""

from __future__ import annotations

import re
from typing import NamedTuple

METADATA = "/.well-known/oauth-protected-resource"
HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
PAGE = "/ui"
"""Address of the page, without a slash at the end."""
_ENDPOINT = re.compile(r"/mcp|/p/(?P<project>[a-z0-9][a-z0-9_-]{0,62})/mcp")

_PUSH = re.compile(r"/p/(?P<project>[a-z0-9][a-z0-9_-]{0,62})/push/(?P<step>begin|contents|finish)")


class PushStep(NamedTuple):
    """Address of a step of a push: the name of the project, and the step."""

    project: str
    step: str


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


def parse_push_step(raw_path: bytes) -> PushStep | None:
    """Return the step of a push whose address a path is, byte for byte."""
    found = _PUSH.fullmatch(raw_path.decode("latin-1"))
    return PushStep(found["project"], found["step"]) if found else None


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
