"""Trust of a project's folder, which the person gives and the user's state folder keeps."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .entry import TrustedFolder
    from .folder import FolderTrust, TrustReason, TrustStatus, check_entry
    from .own_definitions import OwnDefinitions
    from .place import ProjectPlace, locate_project
    from .state_file import find_state_file
    from .store import TrustStore

__all__ = [
    "FolderTrust",
    "OwnDefinitions",
    "ProjectPlace",
    "TrustReason",
    "TrustStatus",
    "TrustStore",
    "TrustedFolder",
    "check_entry",
    "find_state_file",
    "locate_project",
]

__getattr__ = export_lazily(
    __name__,
    {
        "entry": ["TrustedFolder"],
        "folder": ["FolderTrust", "TrustReason", "TrustStatus", "check_entry"],
        "own_definitions": ["OwnDefinitions"],
        "place": ["ProjectPlace", "locate_project"],
        "state_file": ["find_state_file"],
        "store": ["TrustStore"],
    },
)
