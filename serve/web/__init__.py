"""Web application of a server: addresses, metadata, health, metrics and the log of requests."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .application import Application, ServedProjects, build_application
    from .metrics import FOLDER_VARIABLE, Metrics
    from .request_log import configure_request_log

__all__ = [
    "FOLDER_VARIABLE",
    "Application",
    "Metrics",
    "ServedProjects",
    "build_application",
    "configure_request_log",
]

__getattr__ = export_lazily(
    __name__,
    {
        "application": ["Application", "ServedProjects", "build_application"],
        "metrics": ["FOLDER_VARIABLE", "Metrics"],
        "request_log": ["configure_request_log"],
    },
)
