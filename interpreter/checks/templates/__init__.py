"""Types of what a template reads: loops, assignments, fields, filters and comparisons."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .findings import find_template_faults
    from .paths import ITEM
    from .reads import Read, read_template

__all__ = ["ITEM", "Read", "find_template_faults", "read_template"]

__getattr__ = export_lazily(
    __name__,
    {
        "findings": ["find_template_faults"],
        "paths": ["ITEM"],
        "reads": ["Read", "read_template"],
    },
)
