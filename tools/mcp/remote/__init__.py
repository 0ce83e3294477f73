"""Transport over streamable HTTP: an ASGI application for each open project."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .endpoint import ProjectEndpoint

__all__ = ["ProjectEndpoint"]

__getattr__ = export_lazily(
    __name__,
    {
        "endpoint": ["ProjectEndpoint"],
    },
)
