"""Worker processes that parse files, or read what another account made."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .jobs import parse_jobs
    from .process import Worker

__all__ = ["Worker", "parse_jobs"]

__getattr__ = export_lazily(__name__, {"jobs": ["parse_jobs"], "process": ["Worker"]})
