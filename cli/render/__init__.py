"""Terminal views of the tools' outputs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .registry import print_json, show_output

__all__ = ["print_json", "show_output"]

__getattr__ = export_lazily(
    __name__,
    {
        "registry": ["print_json", "show_output"],
    },
)
