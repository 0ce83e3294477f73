"""Worker processes that parse files."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .pool import parse_in_processes

__all__ = ["parse_in_processes"]

__getattr__ = export_lazily(__name__, {"pool": ["parse_in_processes"]})
