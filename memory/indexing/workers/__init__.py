"""Worker processes that parse files."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .jobs import parse_jobs

__all__ = ["parse_jobs"]

__getattr__ = export_lazily(__name__, {"jobs": ["parse_jobs"]})
