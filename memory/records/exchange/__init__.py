"""Export and import of records and runs as JSON lines."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .export import export_records
    from .file import read_lines, write_export
    from .import_ import import_records
    from .secret_check import reject_secret

__all__ = ["export_records", "import_records", "read_lines", "reject_secret", "write_export"]

__getattr__ = export_lazily(
    __name__,
    {
        "export": ["export_records"],
        "file": ["read_lines", "write_export"],
        "import_": ["import_records"],
        "secret_check": ["reject_secret"],
    },
)
