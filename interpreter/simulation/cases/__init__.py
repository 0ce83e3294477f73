"""Test cases of workflows: load, play, compare with expectations, record."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .case import PROJECT_HERE, Case
    from .compare import Difference, find_differences, snapshot_response
    from .load import CASE_FOLDER, find_script_phase, read_cases, read_script, resolve_script_names
    from .play import ScriptResult, is_taken, play_script
    from .record import format_snapshot, locate_snapshot, read_snapshot, set_expected_path

__all__ = [
    "CASE_FOLDER",
    "PROJECT_HERE",
    "Case",
    "Difference",
    "ScriptResult",
    "find_differences",
    "find_script_phase",
    "format_snapshot",
    "is_taken",
    "locate_snapshot",
    "play_script",
    "read_cases",
    "read_script",
    "read_snapshot",
    "resolve_script_names",
    "set_expected_path",
    "snapshot_response",
]

__getattr__ = export_lazily(
    __name__,
    {
        "case": ["PROJECT_HERE", "Case"],
        "compare": ["Difference", "find_differences", "snapshot_response"],
        "load": ["CASE_FOLDER", "find_script_phase", "read_cases", "read_script", "resolve_script_names"],
        "play": ["ScriptResult", "is_taken", "play_script"],
        "record": ["format_snapshot", "locate_snapshot", "read_snapshot", "set_expected_path"],
    },
)
