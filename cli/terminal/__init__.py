"""Terminal output: consoles, colours, tables, progress, units."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .ansi import StyledOutput
    from .ask import ask_before, confirm
    from .console import has_fixed_width
    from .json_lines import format_json_lines
    from .progress import track_progress
    from .progress_bar import ProgressBar
    from .rich_console import PipeSafeConsole, make_console
    from .stdin import read_stdin, spool_stdin
    from .table import Column, print_table
    from .units import format_bytes, format_count, format_timestamp

__all__ = [
    "Column",
    "PipeSafeConsole",
    "ProgressBar",
    "StyledOutput",
    "ask_before",
    "confirm",
    "format_bytes",
    "format_count",
    "format_json_lines",
    "format_timestamp",
    "has_fixed_width",
    "make_console",
    "print_table",
    "read_stdin",
    "spool_stdin",
    "track_progress",
]

__getattr__ = export_lazily(
    __name__,
    {
        "ansi": ["StyledOutput"],
        "ask": ["ask_before", "confirm"],
        "console": ["has_fixed_width"],
        "json_lines": ["format_json_lines"],
        "progress": ["track_progress"],
        "progress_bar": ["ProgressBar"],
        "rich_console": ["PipeSafeConsole", "make_console"],
        "stdin": ["read_stdin", "spool_stdin"],
        "table": ["Column", "print_table"],
        "units": ["format_bytes", "format_count", "format_timestamp"],
    },
)
