"""Commands of the server over HTTP, and of its tokens."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .server import COMMAND

__all__ = ["COMMAND"]

__getattr__ = export_lazily(
    __name__,
    {
        "server": ["COMMAND"],
    },
)
