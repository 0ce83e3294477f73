"""Trust of a project's folder, which the person gives and the user's state folder keeps."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .account_key import explain_missing_key, is_signed, sign_words
    from .entry import TrustedFolder
    from .folder import MAX_CONTENT_BYTES, FolderTrust, TrustReason, TrustStatus, TrustStore, check_entry
    from .identity import read_stamp
    from .lock import PRIVATE_FILE, lock_exclusively
    from .own_definitions import OwnDefinitions
    from .place import ProjectPlace, locate_project
    from .private_cache import PrivateCache
    from .private_file import PrivateFileError, read_private_file
    from .shown import FileHashes, ShownContents, hash_bytes
    from .state_file import find_cache_folder, find_config_file, find_home, find_state_file

__all__ = [
    "MAX_CONTENT_BYTES",
    "PRIVATE_FILE",
    "FileHashes",
    "FolderTrust",
    "OwnDefinitions",
    "PrivateCache",
    "PrivateFileError",
    "ProjectPlace",
    "ShownContents",
    "TrustReason",
    "TrustStatus",
    "TrustStore",
    "TrustedFolder",
    "check_entry",
    "explain_missing_key",
    "find_cache_folder",
    "find_config_file",
    "find_home",
    "find_state_file",
    "hash_bytes",
    "is_signed",
    "locate_project",
    "lock_exclusively",
    "read_private_file",
    "read_stamp",
    "sign_words",
]

__getattr__ = export_lazily(
    __name__,
    {
        "account_key": ["explain_missing_key", "is_signed", "sign_words"],
        "entry": ["TrustedFolder"],
        "folder": ["MAX_CONTENT_BYTES", "FolderTrust", "TrustReason", "TrustStatus", "TrustStore", "check_entry"],
        "identity": ["read_stamp"],
        "lock": ["PRIVATE_FILE", "lock_exclusively"],
        "own_definitions": ["OwnDefinitions"],
        "place": ["ProjectPlace", "locate_project"],
        "private_cache": ["PrivateCache"],
        "private_file": ["PrivateFileError", "read_private_file"],
        "shown": ["FileHashes", "ShownContents", "hash_bytes"],
        "state_file": ["find_cache_folder", "find_config_file", "find_home", "find_state_file"],
    },
)
