"""Commands with code of their own."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .welcome import show_welcome

__all__ = ["show_welcome"]

__getattr__ = export_lazily(
    __name__,
    {
        "welcome": ["show_welcome"],
    },
)
