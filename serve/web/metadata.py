"""Metadata of a protected resource (RFC 9728): how a client gets a token."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.tools.mcp import SCOPES

from .addresses import METADATA, Endpoint

if TYPE_CHECKING:
    from aurora.serve.settings import JwtSettings
    from aurora.tools.http import ServerIdentity


def build_metadata(identity: ServerIdentity, endpoint: Endpoint, jwt: JwtSettings | None) -> bytes:
    """Return the JSON document. It is the same for a project that exists and for one that does not."""
    project = endpoint.project or "*"
    document: dict[str, Any] = {
        "resource": f"{identity.url}{endpoint.path}",
        "resource_name": "Aurora",
        "bearer_methods_supported": ["header"],
        "scopes_supported": [f"aurora:{project}:{scope}" for scope in SCOPES],
    }
    if jwt is not None:
        document["authorization_servers"] = [jwt.issuer]
    return json.dumps(document).encode()


def build_metadata_url(identity: ServerIdentity, path: str) -> str:
    """Return the URL of the metadata of an address."""
    return f"{identity.url}{METADATA}{path}"
