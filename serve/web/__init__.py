"""Web application of a server: addresses, metadata, health, metrics and the log of requests."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .addresses import PAGE
    from .application import GRANT_KEY, PROJECT_KEY, Application, ServedProjects, build_application
    from .metrics import FOLDER_VARIABLE, Metrics
    from .request_log import configure_request_log

__all__ = [
    "FOLDER_VARIABLE",
    "GRANT_KEY",
    "PAGE",
    "PROJECT_KEY",
    "Application",
    "Metrics",
    "ServedProjects",
    "build_application",
    "configure_request_log",
]

__getattr__ = export_lazily(
    __name__,
    {
        "addresses": ["PAGE"],
        "application": ["GRANT_KEY", "PROJECT_KEY", "Application", "ServedProjects", "build_application"],
        "metrics": ["FOLDER_VARIABLE", "Metrics"],
        "request_log": ["configure_request_log"],
    },
)
