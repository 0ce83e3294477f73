"""Server over HTTP: projects, tokens, the application and its processes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .process import serve_one_project, serve_projects
    from .settings import DEFAULT_ADDRESS, ProjectSettings, ServeSettings, find_serve_file, load_settings
    from .tokens import Token, TokenStore, create_token, find_token_file

__all__ = [
    "DEFAULT_ADDRESS",
    "ProjectSettings",
    "ServeSettings",
    "Token",
    "TokenStore",
    "create_token",
    "find_serve_file",
    "find_token_file",
    "load_settings",
    "serve_one_project",
    "serve_projects",
]

__getattr__ = export_lazily(
    __name__,
    {
        "process": ["serve_one_project", "serve_projects"],
        "settings": ["DEFAULT_ADDRESS", "ProjectSettings", "ServeSettings", "find_serve_file", "load_settings"],
        "tokens": ["Token", "TokenStore", "create_token", "find_token_file"],
    },
)
