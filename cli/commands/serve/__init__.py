"""Commands of the server over HTTP, of its tokens, and of pushes to it."""

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
