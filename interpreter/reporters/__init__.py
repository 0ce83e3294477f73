"""Reports of problems for other programs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .github import format_github
    from .sarif import build_sarif

__all__ = ["build_sarif", "format_github"]

__getattr__ = export_lazily(
    __name__,
    {
        "github": ["format_github"],
        "sarif": ["build_sarif"],
    },
)
