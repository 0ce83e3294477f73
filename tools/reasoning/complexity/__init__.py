"""Assessment of a query's complexity by an additive score."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .params import Level

__all__ = ["Level"]

__getattr__ = export_lazily(
    __name__,
    {
        "params": ["Level"],
    },
)
