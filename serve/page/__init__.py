"""Page of a server: sessions of a browser, and the projects of the token behind each."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .gate import ServedPage
    from .session import SessionSigner
    from .source import PageSource

__all__ = ["PageSource", "ServedPage", "SessionSigner"]

__getattr__ = export_lazily(
    __name__,
    {
        "gate": ["ServedPage"],
        "session": ["SessionSigner"],
        "source": ["PageSource"],
    },
)
