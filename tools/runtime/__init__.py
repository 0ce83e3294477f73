"""Runtime of the tools: calls, and the open project.

Calls have dispatch, limits, timeouts, logging and tracing.
"""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .call_log import configure_logging
    from .dispatch import call_tool, find_tool, get_registry, new_request_id
    from .instrumentation import record_call
    from .limits import CALL_LIMITER
    from .log_file import KEPT_FILES, MAX_FILE_BYTES, list_files
    from .ports import MemoryJournal, PhaseToolRunner, ProjectSurroundings, SystemClock
    from .recorded import read_recorded_run, read_recorded_step
    from .telemetry import choose_exporter
    from .threads import start_daemon
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
        "call_log": ["configure_logging"],
        "dispatch": ["call_tool", "find_tool", "get_registry", "new_request_id"],
        "instrumentation": ["record_call"],
        "limits": ["CALL_LIMITER"],
        "log_file": ["KEPT_FILES", "MAX_FILE_BYTES", "list_files"],
        "ports": ["MemoryJournal", "PhaseToolRunner", "ProjectSurroundings", "SystemClock"],
        "recorded": ["read_recorded_run", "read_recorded_step"],
        "telemetry": ["choose_exporter"],
        "threads": ["start_daemon"],
        "workspace": ["Workspace"],
    },
)
