"""YAML documents as trees of nodes with places; edits, and diagnosis of errors."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .edit import Edit, apply_edits, iterate_scalars, plan_edit_by_problem, plan_edits
    from .load import make_encoding_problem, read_yaml
    from .node import Node, make_list, make_map
    from .paths import display_path, locate_file, resolve_relative
    from .plain import PlainDocument, build_tree, read_plain
    from .scalars import to_key_text

__all__ = [
    "Edit",
    "Node",
    "PlainDocument",
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
    "read_plain",
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
        "plain": ["PlainDocument", "build_tree", "read_plain"],
        "scalars": ["to_key_text"],
    },
)
