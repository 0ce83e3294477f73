"""Start of the server: answer the host from a cache while the server itself loads.

This package imports the standard library only.
"""

from aurora import export_lazily

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from .begin import ServerStart, begin_start, get_start
    from .cache import MAX_FILE_BYTES, MAX_STAMPS, CachedAnswers, StartCache, encode_cache, read_cache
    from .dialogue import DISCOVER, INITIALIZE, LISTS, TOOLS_LIST, Dialogue, RequestName, strip_meta
    from .key import StartKey
    from .session import EarlySession, Handover
    from .stamps import Stamps, identify_path, stamp_path

__all__ = [
    "DISCOVER",
    "INITIALIZE",
    "LISTS",
    "MAX_FILE_BYTES",
    "MAX_STAMPS",
    "TOOLS_LIST",
    "CachedAnswers",
    "Dialogue",
    "EarlySession",
    "Handover",
    "RequestName",
    "ServerStart",
    "Stamps",
    "StartCache",
    "StartKey",
    "begin_start",
    "encode_cache",
    "get_start",
    "identify_path",
    "read_cache",
    "stamp_path",
    "strip_meta",
]

__getattr__ = export_lazily(
    __name__,
    {
        "begin": ["ServerStart", "begin_start", "get_start"],
        "cache": ["MAX_FILE_BYTES", "MAX_STAMPS", "CachedAnswers", "StartCache", "encode_cache", "read_cache"],
        "dialogue": ["DISCOVER", "INITIALIZE", "LISTS", "TOOLS_LIST", "Dialogue", "RequestName", "strip_meta"],
        "key": ["StartKey"],
        "session": ["EarlySession", "Handover"],
        "stamps": ["Stamps", "identify_path", "stamp_path"],
    },
)
