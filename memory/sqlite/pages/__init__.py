"""Rows read from the pages of a database without its trees."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .page_file import PageFile
    from .sealed_rows import iter_sealed_rows

__all__ = ["PageFile", "iter_sealed_rows"]

__getattr__ = export_lazily(__name__, {"page_file": ["PageFile"], "sealed_rows": ["iter_sealed_rows"]})
