"""Authentication: tokens of Aurora's own, and JSON Web Tokens of an identity provider."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .authenticator import Authenticator
    from .grant import LOCAL_GRANT, Grant
    from .json_web_token import JwtVerifier
    from .key import load_signing_key
    from .key_set import KeySet
    from .store import TokenStore, find_token_file
    from .token import Token, create_token

__all__ = [
    "LOCAL_GRANT",
    "Authenticator",
    "Grant",
    "JwtVerifier",
    "KeySet",
    "Token",
    "TokenStore",
    "create_token",
    "find_token_file",
    "load_signing_key",
]

__getattr__ = export_lazily(
    __name__,
    {
        "authenticator": ["Authenticator"],
        "grant": ["LOCAL_GRANT", "Grant"],
        "json_web_token": ["JwtVerifier"],
        "key": ["load_signing_key"],
        "key_set": ["KeySet"],
        "store": ["TokenStore", "find_token_file"],
        "token": ["Token", "create_token"],
    },
)
