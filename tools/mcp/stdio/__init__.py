"""Transport over standard input and output."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .lines import RejectedLine, parse_message
    from .transport import open_stdio

__all__ = ["RejectedLine", "open_stdio", "parse_message"]

__getattr__ = export_lazily(
    __name__,
    {
        "lines": ["RejectedLine", "parse_message"],
        "transport": ["open_stdio"],
    },
)
