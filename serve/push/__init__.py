"""Pushed projects: what people send with `aur push`, on the server's side and on the client's."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .client import PushResult, PushTarget, push_project
    from .endpoint import PushEndpoint, map_projects
    from .places import place_pushes, recover_pushes
    from .project import PushedProject
    from .tree import write_tree
    from .views import PushedView, drop_view, list_views

__all__ = [
    "PushEndpoint",
    "PushResult",
    "PushTarget",
    "PushedProject",
    "PushedView",
    "drop_view",
    "list_views",
    "map_projects",
    "place_pushes",
    "push_project",
    "recover_pushes",
    "write_tree",
]

__getattr__ = export_lazily(
    __name__,
    {
        "client": ["PushResult", "PushTarget", "push_project"],
        "endpoint": ["PushEndpoint", "map_projects"],
        "places": ["place_pushes", "recover_pushes"],
        "project": ["PushedProject"],
        "tree": ["write_tree"],
        "views": ["PushedView", "drop_view", "list_views"],
    },
)
