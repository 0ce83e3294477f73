"""Faults with error codes, cancellation, environment variables, and suggestions for wrong names."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .atomic_write import commit_file, sync_folder, write_atomically
    from .cancellation import Cancelled, CancelScope, check_cancelled, extend_time, guard_commit, ignore_changes
    from .environment import (
        VARIABLES,
        Variable,
        check_environment,
        describe_value,
        describe_values,
        read_flag,
        read_number,
        read_value,
    )
    from .fault import ArgumentFault, Code, EnvironmentFault, Fault
    from .hidden import escape_json, show_hidden, show_hidden_line, show_hidden_name, show_hidden_values
    from .installation import SHIPPED_FOLDER, describe_extra_install, describe_upgrade, stamp_modules
    from .leftovers import identify_place, is_process_running, name_partial, remove_old_partials
    from .material import MATERIAL_END, MATERIAL_NOTE, mark_material, mark_text, unmark_material
    from .programs import find_program_outside, list_safe_folders
    from .suggest import did_you_mean, find_nearest, find_unambiguous, list_names, quote_names
    from .temporary_folder import open_temporary_folder
    from .write_failure import choose_write_remedy, is_disk_full

__all__ = [
    "MATERIAL_END",
    "MATERIAL_NOTE",
    "SHIPPED_FOLDER",
    "VARIABLES",
    "ArgumentFault",
    "CancelScope",
    "Cancelled",
    "Code",
    "EnvironmentFault",
    "Fault",
    "Variable",
    "check_cancelled",
    "check_environment",
    "choose_write_remedy",
    "commit_file",
    "describe_extra_install",
    "describe_upgrade",
    "describe_value",
    "describe_values",
    "did_you_mean",
    "escape_json",
    "extend_time",
    "find_nearest",
    "find_program_outside",
    "find_unambiguous",
    "guard_commit",
    "identify_place",
    "ignore_changes",
    "is_disk_full",
    "is_process_running",
    "list_names",
    "list_safe_folders",
    "mark_material",
    "mark_text",
    "name_partial",
    "open_temporary_folder",
    "quote_names",
    "read_flag",
    "read_number",
    "read_value",
    "remove_old_partials",
    "show_hidden",
    "show_hidden_line",
    "show_hidden_name",
    "show_hidden_values",
    "stamp_modules",
    "sync_folder",
    "unmark_material",
    "write_atomically",
]

__getattr__ = export_lazily(
    __name__,
    {
        "atomic_write": ["commit_file", "sync_folder", "write_atomically"],
        "cancellation": [
            "CancelScope",
            "Cancelled",
            "check_cancelled",
            "extend_time",
            "guard_commit",
            "ignore_changes",
        ],
        "environment": [
            "VARIABLES",
            "Variable",
            "check_environment",
            "describe_value",
            "describe_values",
            "read_flag",
            "read_number",
            "read_value",
        ],
        "fault": ["ArgumentFault", "Code", "EnvironmentFault", "Fault"],
        "hidden": ["escape_json", "show_hidden", "show_hidden_line", "show_hidden_name", "show_hidden_values"],
        "installation": ["SHIPPED_FOLDER", "describe_extra_install", "describe_upgrade", "stamp_modules"],
        "leftovers": ["identify_place", "is_process_running", "name_partial", "remove_old_partials"],
        "material": ["MATERIAL_END", "MATERIAL_NOTE", "mark_material", "mark_text", "unmark_material"],
        "programs": ["find_program_outside", "list_safe_folders"],
        "suggest": ["did_you_mean", "find_nearest", "find_unambiguous", "list_names", "quote_names"],
        "temporary_folder": ["open_temporary_folder"],
        "write_failure": ["choose_write_remedy", "is_disk_full"],
    },
)
