"""Transport over standard input and output."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .transport import open_stdio

__all__ = ["open_stdio"]

__getattr__ = export_lazily(
    __name__,
    {
        "transport": ["open_stdio"],
    },
)
