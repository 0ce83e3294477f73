"""YAML documents as trees of nodes with places; edits, and diagnosis of errors."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .edit import Edit, apply_edits, iterate_scalars, plan_edit_by_problem, plan_edits
    from .load import make_encoding_problem, read_yaml
    from .node import Node, make_list, make_map
    from .paths import display_path, locate_file, resolve_relative
    from .scalars import to_key_text

__all__ = [
    "Edit",
    "Node",
    "apply_edits",
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
        "edit": ["Edit", "apply_edits", "iterate_scalars", "plan_edit_by_problem", "plan_edits"],
        "load": ["make_encoding_problem", "read_yaml"],
        "node": ["Node", "make_list", "make_map"],
        "paths": ["display_path", "locate_file", "resolve_relative"],
        "scalars": ["to_key_text"],
    },
)
