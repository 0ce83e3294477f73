"""Cookies of a request, read in linear time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guard import list_headers

if TYPE_CHECKING:
    from starlette.types import Scope


def find_cookie(scope: Scope, name: str) -> str | None:
    """Find the value of a cookie.

    Of several with this name it is the first, which browsers send for the closest path.

    Aurora sets plain values, so a value in quotes stays as it is. `http.cookies` and Starlette remove the escapes of
    such a value in quadratic time (CVE-2024-7592), which lets anyone without a session keep the server busy.

    Args:
        scope: of the ASGI request.
        name: the exact name.

    Returns:
        None without such a cookie.
    """
    for header in list_headers(scope, b"cookie"):
        for pair in header.decode("latin-1").split(";"):
            found, equals, value = pair.strip(" \t").partition("=")
            if equals and found == name:
                return value
    return None
