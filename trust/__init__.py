"""Trust of a project's folder, which the person gives and the user's state folder keeps."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .account_key import explain_missing_key, is_signed, read_stamp, sign_words
    from .folder import MAX_CONTENT_BYTES, FolderTrust, OwnDefinitions, TrustReason, TrustStatus, check_entry
    from .state import (
        PRIVATE_FILE,
        PrivateCache,
        PrivateFileError,
        PrivateList,
        find_cache_folder,
        find_config_file,
        find_state_file,
        lock_exclusively,
        read_private_file,
    )
    from .store import FileHashes, ShownContents, hash_bytes

__all__ = [
    "MAX_CONTENT_BYTES",
    "PRIVATE_FILE",
    "FileHashes",
    "FolderTrust",
    "OwnDefinitions",
    "PrivateCache",
    "PrivateFileError",
    "PrivateList",
    "ShownContents",
    "TrustReason",
    "TrustStatus",
    "check_entry",
    "explain_missing_key",
    "find_cache_folder",
    "find_config_file",
    "find_state_file",
    "hash_bytes",
    "is_signed",
    "lock_exclusively",
    "read_private_file",
    "read_stamp",
    "sign_words",
]

__getattr__ = export_lazily(
    __name__,
    {
        "account_key": ["explain_missing_key", "is_signed", "read_stamp", "sign_words"],
        "folder": ["MAX_CONTENT_BYTES", "FolderTrust", "OwnDefinitions", "TrustReason", "TrustStatus", "check_entry"],
        "state": [
            "PRIVATE_FILE",
            "PrivateCache",
            "PrivateFileError",
            "PrivateList",
            "find_cache_folder",
            "find_config_file",
            "find_state_file",
            "lock_exclusively",
            "read_private_file",
        ],
        "store": ["FileHashes", "ShownContents", "hash_bytes"],
    },
)
