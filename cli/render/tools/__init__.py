"""tools."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .generate import to_json_text

__all__ = ["to_json_text"]

__getattr__ = export_lazily(
    __name__,
    {
        "generate": ["to_json_text"],
    },
)
