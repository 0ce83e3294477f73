"""HTTP: guards of an ASGI application, and the server that runs one on a socket."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .address import ListenAddress, bind_socket, is_loopback, parse_listen_address
    from .cookies import find_cookie
    from .guard import BodyLimit, GuardSettings, RequestGuard, replay_body
    from .identity import ServerIdentity
    from .rate import RateLimiter
    from .refusal import Refusal, send_plain_refusal, send_refusal, send_response
    from .run import ServerOptions, run_server

__all__ = [
    "BodyLimit",
    "GuardSettings",
    "ListenAddress",
    "RateLimiter",
    "Refusal",
    "RequestGuard",
    "ServerIdentity",
    "ServerOptions",
    "bind_socket",
    "find_cookie",
    "is_loopback",
    "parse_listen_address",
    "replay_body",
    "run_server",
    "send_plain_refusal",
    "send_refusal",
    "send_response",
]

__getattr__ = export_lazily(
    __name__,
    {
        "address": ["ListenAddress", "bind_socket", "is_loopback", "parse_listen_address"],
        "cookies": ["find_cookie"],
        "guard": ["BodyLimit", "GuardSettings", "RequestGuard", "replay_body"],
        "identity": ["ServerIdentity"],
        "rate": ["RateLimiter"],
        "refusal": ["Refusal", "send_plain_refusal", "send_refusal", "send_response"],
        "run": ["ServerOptions", "run_server"],
    },
)
