"""Export and import of records and runs as JSON lines."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .export import export_records
    from .file import read_lines, write_export
    from .import_ import ImportResult, import_records
    from .secret_check import reject_secret
    from .validate import parse_lines

__all__ = [
    "ImportResult",
    "export_records",
    "import_records",
    "parse_lines",
    "read_lines",
    "reject_secret",
    "write_export",
]

__getattr__ = export_lazily(
    __name__,
    {
        "export": ["export_records"],
        "file": ["read_lines", "write_export"],
        "import_": ["ImportResult", "import_records"],
        "secret_check": ["reject_secret"],
        "validate": ["parse_lines"],
    },
)
