"""Terminal views of the tools' outputs."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .registry import print_json, show_output
    from .trust import format_whole_files, list_unshown_files, show_trust_list, show_trust_report

__all__ = [
    "format_whole_files",
    "list_unshown_files",
    "print_json",
    "show_output",
    "show_trust_list",
    "show_trust_report",
]

__getattr__ = export_lazily(
    __name__,
    {
        "registry": ["print_json", "show_output"],
        "trust": ["format_whole_files", "list_unshown_files", "show_trust_list", "show_trust_report"],
    },
)
