"""Command line: parse the words, call one tool, show its output, return an exit code."""

from aurora import export_lazily

TYPE_CHECKING = False  # `typing` takes longer to import than `aur mcp` takes to answer
if TYPE_CHECKING:
    from .exits import ExitCode, write_crash_report

__all__ = ["ExitCode", "write_crash_report"]

__getattr__ = export_lazily(
    __name__,
    {"exits": ["ExitCode", "write_crash_report"]},
)
