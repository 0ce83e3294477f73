"""Terminal output: consoles, colours, tables, progress, units."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .plain import StyledOutput, format_bytes, format_count, format_json_lines, format_timestamp, has_fixed_width
    from .progress import track_progress
    from .rich_output import Column, PipeSafeConsole, ProgressBar, make_console, print_table
    from .stdin import ask_before, confirm, read_stdin, spool_stdin

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
        "plain": [
            "StyledOutput",
            "format_bytes",
            "format_count",
            "format_json_lines",
            "format_timestamp",
            "has_fixed_width",
        ],
        "progress": ["track_progress"],
        "rich_output": ["Column", "PipeSafeConsole", "ProgressBar", "make_console", "print_table"],
        "stdin": ["ask_before", "confirm", "read_stdin", "spool_stdin"],
    },
)
