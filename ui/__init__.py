"""The page: projects, runs, workflows and memory in a browser, over the data that the tools use."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .local import PageOptions, build_page, serve_page
    from .request import ListedProject, ProjectSource, Visitor, get_visitor, set_visitor
    from .response import make_error_page, make_login_page

__all__ = [
    "ListedProject",
    "PageOptions",
    "ProjectSource",
    "Visitor",
    "build_page",
    "get_visitor",
    "make_error_page",
    "make_login_page",
    "serve_page",
    "set_visitor",
]

__getattr__ = export_lazily(
    __name__,
    {
        "local": ["PageOptions", "build_page", "serve_page"],
        "request": ["ListedProject", "ProjectSource", "Visitor", "get_visitor", "set_visitor"],
        "response": ["make_error_page", "make_login_page"],
    },
)
