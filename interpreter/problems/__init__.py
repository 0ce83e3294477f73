"""Problems of a document: codes, places, suggestions and rendering."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .codes import MAX_PROBLEMS, find_kind, limit_problems, list_kinds, read_page, summarize_page
    from .problem import (
        Fix,
        Place,
        Problem,
        did_you_mean,
        find_nearest,
        limit_suggestions,
        list_names,
        select_errors,
        sort_problems,
        split_lines,
        split_with_breaks,
        split_yaml_lines,
        suggest_fix,
        to_safe_line,
    )
    from .render import (
        MAX_BYTES,
        FileTooBigError,
        SourceLines,
        UnreadableFileError,
        make_excerpt,
        read_file,
        read_source_text,
    )

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
        "codes": ["MAX_PROBLEMS", "find_kind", "limit_problems", "list_kinds", "read_page", "summarize_page"],
        "problem": [
            "Fix",
            "Place",
            "Problem",
            "did_you_mean",
            "find_nearest",
            "limit_suggestions",
            "list_names",
            "select_errors",
            "sort_problems",
            "split_lines",
            "split_with_breaks",
            "split_yaml_lines",
            "suggest_fix",
            "to_safe_line",
        ],
        "render": [
            "MAX_BYTES",
            "FileTooBigError",
            "SourceLines",
            "UnreadableFileError",
            "make_excerpt",
            "read_file",
            "read_source_text",
        ],
    },
)
