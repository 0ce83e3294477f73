"""Small responses, sent without a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Send


async def send_response(
    send: Send,
    status: int,
    body: bytes = b"",
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a whole response.

    Args:
        send: of the ASGI application.
        status: the HTTP status.
        body: its bytes; with none, no content type is sent.
        content_type: the media type of the body.
        headers: more headers.
    """
    named = {"content-length": str(len(body)), **({"content-type": content_type} if body else {}), **(headers or {})}
    lines = [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body, "more_body": False})
