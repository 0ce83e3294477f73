"""Requests, forms and responses of the page."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .endpoint import PageRequest, answer_get, answer_post
    from .errors import make_error_page, make_login_page, render_fault
    from .query import read_count, read_text
    from .render import make_page, make_text, render_template
    from .source import ListedProject, ProjectSource, Visitor, get_visitor, set_visitor
    from .static import find_static, serve_static
    from .times import describe_duration, describe_moment

__all__ = [
    "ListedProject",
    "PageRequest",
    "ProjectSource",
    "Visitor",
    "answer_get",
    "answer_post",
    "describe_duration",
    "describe_moment",
    "find_static",
    "get_visitor",
    "make_error_page",
    "make_login_page",
    "make_page",
    "make_text",
    "read_count",
    "read_text",
    "render_fault",
    "render_template",
    "serve_static",
    "set_visitor",
]

__getattr__ = export_lazily(
    __name__,
    {
        "endpoint": ["PageRequest", "answer_get", "answer_post"],
        "errors": ["make_error_page", "make_login_page", "render_fault"],
        "query": ["read_count", "read_text"],
        "render": ["make_page", "make_text", "render_template"],
        "source": ["ListedProject", "ProjectSource", "Visitor", "get_visitor", "set_visitor"],
        "static": ["find_static", "serve_static"],
        "times": ["describe_duration", "describe_moment"],
    },
)
