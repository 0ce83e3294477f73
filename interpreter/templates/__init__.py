"""Prompt templates: checked against limits, and rendered with bounded time and memory."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .engine import find_argument_fault, has_filter_or_test
    from .error import PromptError
    from .render import check_template, is_plain_template, render_template
    from .tags import Tag, Token, list_tags, mask_literal_text, strip_tags

__all__ = [
    "PromptError",
    "Tag",
    "Token",
    "check_template",
    "find_argument_fault",
    "has_filter_or_test",
    "is_plain_template",
    "list_tags",
    "mask_literal_text",
    "render_template",
    "strip_tags",
]

__getattr__ = export_lazily(
    __name__,
    {
        "engine": ["find_argument_fault", "has_filter_or_test"],
        "error": ["PromptError"],
        "render": ["check_template", "is_plain_template", "render_template"],
        "tags": ["Tag", "Token", "list_tags", "mask_literal_text", "strip_tags"],
    },
)
