"""Check, repair, rebuild and statistics of the memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .adopt import RepairResult, adopt_records, rebuild_index, rebuild_memory, repair_memory, repair_store
    from .check import Finding, check_memory, check_store
    from .migrate import PartProof, migrate_memory
    from .stats import list_left_out, measure_maintenance

__all__ = [
    "Finding",
    "PartProof",
    "RepairResult",
    "adopt_records",
    "check_memory",
    "check_store",
    "list_left_out",
    "measure_maintenance",
    "migrate_memory",
    "rebuild_index",
    "rebuild_memory",
    "repair_memory",
    "repair_store",
]

__getattr__ = export_lazily(
    __name__,
    {
        "adopt": ["RepairResult", "adopt_records", "rebuild_index", "rebuild_memory", "repair_memory", "repair_store"],
        "check": ["Finding", "check_memory", "check_store"],
        "migrate": ["PartProof", "migrate_memory"],
        "stats": ["list_left_out", "measure_maintenance"],
    },
)
