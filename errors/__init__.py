"""Errors with a code, a message and a remedy, cancellation, and the marks around foreign text."""

from .cancellation import Cancelled, CancelScope, check_cancelled, extend_time, guard_commit, ignore_changes
from .fault import (
    ArgumentFault,
    Code,
    EnvironmentFault,
    Fault,
    did_you_mean,
    find_nearest,
    find_unambiguous,
    list_names,
    quote_names,
)
from .material import (
    MATERIAL_END,
    MATERIAL_NOTE,
    escape_json,
    mark_material,
    mark_text,
    show_hidden,
    show_hidden_line,
    show_hidden_name,
    show_hidden_values,
    unmark_material,
)

__all__ = [
    "MATERIAL_END",
    "MATERIAL_NOTE",
    "ArgumentFault",
    "CancelScope",
    "Cancelled",
    "Code",
    "EnvironmentFault",
    "Fault",
    "check_cancelled",
    "did_you_mean",
    "escape_json",
    "extend_time",
    "find_nearest",
    "find_unambiguous",
    "guard_commit",
    "ignore_changes",
    "list_names",
    "mark_material",
    "mark_text",
    "quote_names",
    "show_hidden",
    "show_hidden_line",
    "show_hidden_name",
    "show_hidden_values",
    "unmark_material",
]
