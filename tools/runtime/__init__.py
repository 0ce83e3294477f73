"""Runtime of the tools: calls, and the open project.

Calls have dispatch, limits, timeouts, logging and tracing.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .call_log import KEPT_FILES, MAX_FILE_BYTES, configure_logging, list_files
    from .dispatch import CALL_LIMITER, call_tool, find_tool, get_registry, new_request_id, start_daemon
    from .ports import (
        MemoryJournal,
        PhaseToolRunner,
        ProjectSurroundings,
        SystemClock,
        read_recorded_run,
        read_recorded_step,
    )
    from .telemetry import choose_exporter, record_call
    from .workspace import Workspace

__all__ = [
    "CALL_LIMITER",
    "KEPT_FILES",
    "MAX_FILE_BYTES",
    "MemoryJournal",
    "PhaseToolRunner",
    "ProjectSurroundings",
    "SystemClock",
    "Workspace",
    "call_tool",
    "choose_exporter",
    "configure_logging",
    "find_tool",
    "get_registry",
    "list_files",
    "new_request_id",
    "read_recorded_run",
    "read_recorded_step",
    "record_call",
    "start_daemon",
]

__getattr__ = export_lazily(
    __name__,
    {
        "call_log": ["KEPT_FILES", "MAX_FILE_BYTES", "configure_logging", "list_files"],
        "dispatch": ["CALL_LIMITER", "call_tool", "find_tool", "get_registry", "new_request_id", "start_daemon"],
        "ports": [
            "MemoryJournal",
            "PhaseToolRunner",
            "ProjectSurroundings",
            "SystemClock",
            "read_recorded_run",
            "read_recorded_step",
        ],
        "telemetry": ["choose_exporter", "record_call"],
        "workspace": ["Workspace"],
    },
)
