"""YAML documents as trees of nodes with places; edits, and diagnosis of errors."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .load import (
        Edit,
        apply_edits,
        iterate_scalars,
        make_encoding_problem,
        plan_edit_by_problem,
        plan_edits,
        read_yaml,
    )
    from .node import Node, build_tree, display_path, locate_file, make_list, make_map, resolve_relative, to_key_text

__all__ = [
    "Edit",
    "Node",
    "apply_edits",
    "build_tree",
    "display_path",
    "iterate_scalars",
    "locate_file",
    "make_encoding_problem",
    "make_list",
    "make_map",
    "plan_edit_by_problem",
    "plan_edits",
    "read_yaml",
    "resolve_relative",
    "to_key_text",
]

__getattr__ = export_lazily(
    __name__,
    {
        "load": [
            "Edit",
            "apply_edits",
            "iterate_scalars",
            "make_encoding_problem",
            "plan_edit_by_problem",
            "plan_edits",
            "read_yaml",
        ],
        "node": [
            "Node",
            "build_tree",
            "display_path",
            "locate_file",
            "make_list",
            "make_map",
            "resolve_relative",
            "to_key_text",
        ],
    },
)
