"""terminal."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .ansi import StyledOutput
    from .console import make_console, strip_controls, to_single_line
    from .json_lines import format_json_lines
    from .progress import track_progress
    from .rich_console import PipeSafeConsole
    from .stdin import read_stdin, spool_stdin
    from .table import Column, print_table
    from .units import format_bytes, format_count, format_timestamp

__all__ = [
    "Column",
    "PipeSafeConsole",
    "StyledOutput",
    "format_bytes",
    "format_count",
    "format_json_lines",
    "format_timestamp",
    "make_console",
    "print_table",
    "read_stdin",
    "spool_stdin",
    "strip_controls",
    "to_single_line",
    "track_progress",
]

__getattr__ = export_lazily(
    __name__,
    {
        "ansi": ["StyledOutput"],
        "console": ["make_console", "strip_controls", "to_single_line"],
        "json_lines": ["format_json_lines"],
        "progress": ["track_progress"],
        "rich_console": ["PipeSafeConsole"],
        "stdin": ["read_stdin", "spool_stdin"],
        "table": ["Column", "print_table"],
        "units": ["format_bytes", "format_count", "format_timestamp"],
    },
)
