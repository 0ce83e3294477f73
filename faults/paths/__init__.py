"""Containment of paths: one set of rules for every path that a caller, a file or a repository gives."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .names import DEVICE_NAME, MAX_PATH_CHARS, describe_odd_name, is_closed, is_plain_relative
    from .read import is_linked_elsewhere, open_inside, read_inside, read_plain, refuse_foreign_file
    from .resolve import (
        file_exists,
        is_inside,
        path_exists,
        refuse_impossible,
        refuse_link,
        resolve_inside,
        resolve_new,
    )
    from .write import create_folder_inside, locate_target, remove_inside, write_inside

__all__ = [
    "DEVICE_NAME",
    "MAX_PATH_CHARS",
    "create_folder_inside",
    "describe_odd_name",
    "file_exists",
    "is_closed",
    "is_inside",
    "is_linked_elsewhere",
    "is_plain_relative",
    "locate_target",
    "open_inside",
    "path_exists",
    "read_inside",
    "read_plain",
    "refuse_foreign_file",
    "refuse_impossible",
    "refuse_link",
    "remove_inside",
    "resolve_inside",
    "resolve_new",
    "write_inside",
]

__getattr__ = export_lazily(
    __name__,
    {
        "names": ["DEVICE_NAME", "MAX_PATH_CHARS", "describe_odd_name", "is_closed", "is_plain_relative"],
        "read": ["is_linked_elsewhere", "open_inside", "read_inside", "read_plain", "refuse_foreign_file"],
        "resolve": [
            "file_exists",
            "is_inside",
            "path_exists",
            "refuse_impossible",
            "refuse_link",
            "resolve_inside",
            "resolve_new",
        ],
        "write": ["create_folder_inside", "locate_target", "remove_inside", "write_inside"],
    },
)
