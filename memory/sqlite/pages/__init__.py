"""Rows read from the pages of a database without its trees."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .sealed_rows import find_sealed_rows

__all__ = ["find_sealed_rows"]

__getattr__ = export_lazily(__name__, {"sealed_rows": ["find_sealed_rows"]})
