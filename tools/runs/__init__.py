"""Tools for runs, jobs and the log of calls."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .last import LAST, resolve_run_id

__all__ = ["LAST", "resolve_run_id"]

__getattr__ = export_lazily(__name__, {"last": ["LAST", "resolve_run_id"]})
