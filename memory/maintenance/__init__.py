"""Check, repair, rebuild and statistics of the memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .adopt import adopt_records
    from .check import check_memory, check_store, migrate_database
    from .findings import Finding
    from .left_out import list_left_out
    from .migrate import migrate_memory
    from .migration_proof import PartProof
    from .rebuild import rebuild_index, rebuild_memory
    from .repair import repair_memory, repair_store
    from .stats import measure_maintenance

__all__ = [
    "Finding",
    "PartProof",
    "adopt_records",
    "check_memory",
    "check_store",
    "list_left_out",
    "measure_maintenance",
    "migrate_database",
    "migrate_memory",
    "rebuild_index",
    "rebuild_memory",
    "repair_memory",
    "repair_store",
]

__getattr__ = export_lazily(
    __name__,
    {
        "adopt": ["adopt_records"],
        "check": ["check_memory", "check_store", "migrate_database"],
        "findings": ["Finding"],
        "left_out": ["list_left_out"],
        "migrate": ["migrate_memory"],
        "migration_proof": ["PartProof"],
        "rebuild": ["rebuild_index", "rebuild_memory"],
        "repair": ["repair_memory", "repair_store"],
        "stats": ["measure_maintenance"],
    },
)
