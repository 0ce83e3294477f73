"""Problems of a document: codes, places, suggestions and rendering."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .explain import find_kind, list_kinds, read_page, summarize_page
    from .files import MAX_BYTES, FileTooBigError, UnreadableFileError, read_file
    from .limits import MAX_PROBLEMS, limit_problems
    from .problem import (
        Fix,
        Place,
        Problem,
        select_errors,
        sort_problems,
        split_lines,
        split_with_breaks,
        split_yaml_lines,
        to_safe_line,
    )
    from .render import SourceLines, make_excerpt, read_source_text
    from .suggestions import did_you_mean, find_nearest, limit_suggestions, list_names, suggest_fix

__all__ = [
    "MAX_BYTES",
    "MAX_PROBLEMS",
    "FileTooBigError",
    "Fix",
    "Place",
    "Problem",
    "SourceLines",
    "UnreadableFileError",
    "did_you_mean",
    "find_kind",
    "find_nearest",
    "limit_problems",
    "limit_suggestions",
    "list_kinds",
    "list_names",
    "make_excerpt",
    "read_file",
    "read_page",
    "read_source_text",
    "select_errors",
    "sort_problems",
    "split_lines",
    "split_with_breaks",
    "split_yaml_lines",
    "suggest_fix",
    "summarize_page",
    "to_safe_line",
]

__getattr__ = export_lazily(
    __name__,
    {
        "explain": ["find_kind", "list_kinds", "read_page", "summarize_page"],
        "files": ["MAX_BYTES", "FileTooBigError", "UnreadableFileError", "read_file"],
        "limits": ["MAX_PROBLEMS", "limit_problems"],
        "problem": [
            "Fix",
            "Place",
            "Problem",
            "select_errors",
            "sort_problems",
            "split_lines",
            "split_with_breaks",
            "split_yaml_lines",
            "to_safe_line",
        ],
        "render": ["SourceLines", "make_excerpt", "read_source_text"],
        "suggestions": ["did_you_mean", "find_nearest", "limit_suggestions", "list_names", "suggest_fix"],
    },
)
