"""Simulation: runs of a workflow without a host, with generated or scripted values."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .coverage import Coverage, list_items
    from .paths import Path
    from .simulate import DEFAULT_STEPS, Bounds, Simulation, simulate_workflow
    from .unreached import UnreachedItem

__all__ = [
    "DEFAULT_STEPS",
    "Bounds",
    "Coverage",
    "Path",
    "Simulation",
    "UnreachedItem",
    "list_items",
    "simulate_workflow",
]

__getattr__ = export_lazily(
    __name__,
    {
        "coverage": ["Coverage", "list_items"],
        "paths": ["Path"],
        "simulate": ["Bounds", "DEFAULT_STEPS", "Simulation", "simulate_workflow"],
        "unreached": ["UnreachedItem"],
    },
)
