"""Start of short processes: a server that answers from a cache while it loads, and the hook of a host.

This package imports the standard library only.
"""

from aurora import export_lazily

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from .begin import ServerStart, begin_start, get_start
    from .cache import MAX_FILE_BYTES, MAX_STAMPS, CachedAnswers, StartCache, encode_cache, read_cache
    from .calls import Opening
    from .dialogue import DISCOVER, INITIALIZE, LISTS, TOOLS_LIST, Dialogue, RequestName, normalize_meta, strip_meta
    from .hook import FILE_USE, HOOK_SECONDS, SESSION_START, USER_PROMPT, begin_hook
    from .hook_places import (
        MAX_MESSAGE_BYTES,
        NOTE_END,
        SOCKET_END,
        find_hook_folder,
        is_private_folder,
        name_project,
    )
    from .key import StartKey
    from .line import Line
    from .session import EarlySession, Handover
    from .stamps import Stamps, identify_path, stamp_modules, stamp_path

__all__ = [
    "DISCOVER",
    "FILE_USE",
    "HOOK_SECONDS",
    "INITIALIZE",
    "LISTS",
    "MAX_FILE_BYTES",
    "MAX_MESSAGE_BYTES",
    "MAX_STAMPS",
    "NOTE_END",
    "SESSION_START",
    "SOCKET_END",
    "TOOLS_LIST",
    "USER_PROMPT",
    "CachedAnswers",
    "Dialogue",
    "EarlySession",
    "Handover",
    "Line",
    "Opening",
    "RequestName",
    "ServerStart",
    "Stamps",
    "StartCache",
    "StartKey",
    "begin_hook",
    "begin_start",
    "encode_cache",
    "find_hook_folder",
    "get_start",
    "identify_path",
    "is_private_folder",
    "name_project",
    "normalize_meta",
    "read_cache",
    "stamp_modules",
    "stamp_path",
    "strip_meta",
]

__getattr__ = export_lazily(
    __name__,
    {
        "begin": ["ServerStart", "begin_start", "get_start"],
        "cache": ["MAX_FILE_BYTES", "MAX_STAMPS", "CachedAnswers", "StartCache", "encode_cache", "read_cache"],
        "calls": ["Opening"],
        "dialogue": [
            *("DISCOVER", "INITIALIZE", "LISTS", "TOOLS_LIST"),
            *("Dialogue", "RequestName", "normalize_meta", "strip_meta"),
        ],
        "hook": ["FILE_USE", "HOOK_SECONDS", "SESSION_START", "USER_PROMPT", "begin_hook"],
        "hook_places": [
            "MAX_MESSAGE_BYTES",
            "NOTE_END",
            "SOCKET_END",
            "find_hook_folder",
            "is_private_folder",
            "name_project",
        ],
        "key": ["StartKey"],
        "line": ["Line"],
        "session": ["EarlySession", "Handover"],
        "stamps": ["Stamps", "identify_path", "stamp_modules", "stamp_path"],
    },
)
