"""Question to the person in the terms of the protocol: its form, and its state."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .form import build_message, build_requested_schema
    from .state import AskedQuestion, StateSigner

__all__ = ["AskedQuestion", "StateSigner", "build_message", "build_requested_schema"]

__getattr__ = export_lazily(
    __name__,
    {
        "form": ["build_message", "build_requested_schema"],
        "state": ["AskedQuestion", "StateSigner"],
    },
)
