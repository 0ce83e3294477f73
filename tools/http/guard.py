"""Guard of an ASGI application: what a request must be, and how others are refused."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from aurora.errors import Code, Fault, show_hidden_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .address import ServerIdentity


_INVALID_REQUEST = -32600
"""Error number of JSON-RPC for a request that is refused as a whole."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusal of a request before its application sees it.

    Attributes:
        status: the HTTP status.
        fault: the code, the message and the remedy.
        headers: headers of the response, such as Retry-After.
    """

    status: int
    fault: Fault
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def make(
        cls, status: int, code: Code, message: str, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> Refusal:
        """Return a refusal with a new fault."""
        return cls(status, Fault(code, message, help=remedy), headers or {})

    def to_json(self) -> bytes:
        """Return the body: an error of JSON-RPC without an id, as MCP says, with Aurora's error as its data."""
        data = {"status": "error", "error": self.fault.to_json()}
        error = {"code": _INVALID_REQUEST, "message": self.fault.message, "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}, separators=(",", ":")).encode()


async def send_plain_refusal(send: Send, refusal: Refusal) -> None:
    """Send the refusal as plain text for a person, and let no cache keep it."""
    text = f"{refusal.fault.message}\n{refusal.fault.help}\n".encode()
    headers = {"cache-control": "no-store", **refusal.headers}
    await send_response(send, refusal.status, text, "text/plain; charset=utf-8", headers)


async def send_refusal(send: Send, refusal: Refusal) -> None:
    """Send the refusal as JSON, and let no cache keep it."""
    headers = {"cache-control": "no-store", **refusal.headers}
    await send_response(send, refusal.status, refusal.to_json(), headers=headers)


async def send_response(
    send: Send,
    status: int,
    body: bytes = b"",
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a whole response.

    Args:
        send: of the ASGI application.
        status: the HTTP status.
        body: its bytes; with none, no content type is sent.
        content_type: the media type of the body.
        headers: more headers.
    """
    named = {"content-length": str(len(body)), **({"content-type": content_type} if body else {}), **(headers or {})}
    lines = [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body, "more_body": False})


log = logging.getLogger("aurora.http")


MAX_HEAD_BYTES = 32 * 1024
"""Size limit of a request's address and headers."""


_CLOSE = {"connection": "close"}

JSON_TYPES = frozenset({"application/json"})


BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})


SECURITY_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers of each response that does not set them itself."""


_CREDENTIAL_NAMES = frozenset({"access_token", "token", "authorization", "bearer", "api_key", "apikey"})
"""Names in a query that would carry a token into logs, histories and Referer headers."""


class BodyLimit(NamedTuple):
    """Limit of a body.

    Attributes:
        max_bytes: its size limit in bytes.
        seconds: the time until all of it has arrived.
    """

    max_bytes: int = 4 * 1024 * 1024
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """Settings of a guard.

    Attributes:
        identity: the allowed values of Host and Origin.
        body: the limit of a body.
        content_types: the media types that a body may have.
        open_paths: paths that any Host may ask for: a load balancer asks by address. They must reveal nothing.
        credential_names: names that a query may not have.
        headers: headers of each response that does not set them itself.
    """

    identity: ServerIdentity
    body: BodyLimit = field(default_factory=BodyLimit)
    content_types: frozenset[str] = JSON_TYPES
    open_paths: frozenset[str] = frozenset()
    credential_names: frozenset[str] = _CREDENTIAL_NAMES
    headers: Mapping[str, str] = field(default_factory=lambda: dict(SECURITY_HEADERS))


class RequestGuard:
    """ASGI application that refuses what another one should not see: 421, 403, 400, 415, 413, 408.

    An error of the other application becomes 500 with Aurora's code, and its traceback goes to the log `aurora.http`.

    Args:
        app: the other application.
        settings: what is allowed.
        refuse: sends a refusal; JSON by default.
        authorize: returns a refusal, or None to admit a request. It is asked after the other checks of the head, and
            before the body is read.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: GuardSettings,
        refuse: Callable[[Send, Refusal], Awaitable[None]] = send_refusal,
        authorize: Callable[[Scope], Awaitable[Refusal | None]] | None = None,
    ) -> None:
        self._app = app
        self._settings = settings
        self._refuse = refuse
        self._authorize = authorize
        self._headers = [(name.encode(), value.encode()) for name, value in settings.headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        response = _ResponseSender(send, self._headers)
        try:
            await self._handle(scope, receive, response)
        except Exception as error:
            # Without the message of the error, which may quote a request.
            log.exception("the request failed (%s)", type(error).__name__)
            # A status is out already; a second response on the same connection would belong to the next request.
            if response.has_started:
                raise
            await self._refuse(response, _make_bug_refusal(error))

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._check_head(scope)
        if refusal is None and self._authorize is not None:
            refusal = await self._authorize(scope)
        if refusal is not None:
            await self._refuse(send, refusal)
            return
        # Without a body there is nothing to wait for, and a stream needs to see that its client leaves.
        if scope["method"] not in BODY_METHODS:
            await self._app(scope, receive, send)
            return
        body = await read_body(scope, receive, self._settings.body)
        if isinstance(body, Refusal):
            await self._refuse(send, body)
        elif body is not None:
            await self._app(scope, replay_body(body, receive), send)

    def _check_head(self, scope: Scope) -> Refusal | None:
        if scope["type"] != "http":
            return Refusal.make(400, Code.INVALID_INPUT, "this server answers HTTP requests only")
        # Framing first, also for open paths: what is smuggled in one request is read as somebody's next one.
        if (refusal := check_framing(scope)) is not None or scope["path"] in self._settings.open_paths:
            return refusal
        return (
            check_host(scope, self._settings.identity)
            or check_origin(scope, self._settings.identity)
            or self._check_query(scope)
            or self._check_content_type(scope)
        )

    def _check_query(self, scope: Scope) -> Refusal | None:
        names = {name.lower() for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)}
        if not names & self._settings.credential_names:
            return None
        return Refusal.make(
            400,
            Code.INVALID_INPUT,
            "the address of the request has a token in it",
            "Send it in the header Authorization, as `Bearer TOKEN`, and replace this token: addresses are logged.",
        )

    def _check_content_type(self, scope: Scope) -> Refusal | None:
        if scope["method"] not in BODY_METHODS:
            return None
        given = [value.decode("latin-1") for value in list_headers(scope, b"content-type")]
        # A browser lets a page of any site send a form or plain text without asking the server first, but not JSON.
        media_type = given[0].partition(";")[0].strip().lower() if len(given) == 1 else ""
        if media_type in self._settings.content_types:
            return None
        expected = " or ".join(sorted(self._settings.content_types))
        shown = f'"{show_hidden_line(given[0][:80])}"' if given else "missing"
        message = f"the content type of the request is {shown}, not {expected}"
        return Refusal.make(415, Code.INVALID_INPUT, message, f"Send the header Content-Type: {expected}.", _CLOSE)


class _ResponseSender:
    """`send` that adds headers, and knows if the response has begun."""

    def __init__(self, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._headers = headers
        self.has_started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_started = True
            own = list(message.get("headers", ()))
            names = {name.lower() for name, _ in own}
            message = {**message, "headers": own + [line for line in self._headers if line[0] not in names]}
        await self._send(message)


def list_headers(scope: Scope, name: bytes) -> list[bytes]:
    """Return all values of a header, whose name is in lower case."""
    return [value for found, value in scope["headers"] if found == name]


def check_framing(scope: Scope) -> Refusal | None:
    """Refuse a head of more than 32 kB with 431, and a body with two lengths with 400.

    A proxy in between may believe the other length: request smuggling.
    """
    lines = sum(len(name) + len(value) + len(b": \r\n") for name, value in scope["headers"])
    if lines + len(scope["raw_path"]) > MAX_HEAD_BYTES:
        message = f"the headers of the request have more than {MAX_HEAD_BYTES:,} bytes"
        return Refusal.make(431, Code.INVALID_INPUT, message, "Send fewer or shorter headers.", _CLOSE)
    if not (list_headers(scope, b"content-length") and list_headers(scope, b"transfer-encoding")):
        return None
    message = "the request has both Content-Length and Transfer-Encoding"
    return Refusal.make(400, Code.INVALID_INPUT, message, "Send one of them.", _CLOSE)


def check_host(scope: Scope, identity: ServerIdentity) -> Refusal | None:
    """Refuse with 421 a Host that is not one of the server's names, is missing, or comes twice."""
    given = [value.decode("latin-1").lower() for value in list_headers(scope, b"host")]
    if len(given) == 1 and given[0] in identity.hosts:
        return None
    shown = f'the host "{show_hidden_line(given[0][:80])}"' if len(given) == 1 else "a request without one Host header"
    return Refusal.make(
        421,
        Code.FORBIDDEN,
        f"this server does not answer for {shown}",
        f"Use the address {identity.url}, or configure the one that clients use as the public URL.",
        _CLOSE,
    )


def check_origin(scope: Scope, identity: ServerIdentity) -> Refusal | None:
    """Refuse with 403 a page of another site; a program that is not a browser sends no Origin."""
    given = [value.decode("latin-1") for value in list_headers(scope, b"origin")]
    if not given or (len(given) == 1 and given[0].lower() in identity.origins):
        return None
    return Refusal.make(
        403,
        Code.FORBIDDEN,
        f'pages of "{show_hidden_line(given[0][:80])}" may not call this server',
        f"Open {identity.url} itself, or call it from a program that is not a browser.",
        _CLOSE,
    )


def _make_bug_refusal(error: Exception) -> Refusal:
    return Refusal.make(
        500,
        Code.INTERNAL_ERROR,
        f"the request failed inside Aurora ({type(error).__name__})",
        "This is a bug in Aurora. The log of the server has the traceback; report it.",
    )


_MAX_DROPPED_BYTES = 64 * 1024 * 1024

_DROP_SECONDS = 5.0
"""Bounds of what is read of a refused body and dropped.

A connection that is closed with unread bytes is reset, and the client then never sees why it was refused.
"""


async def read_body(scope: Scope, receive: Receive, limit: BodyLimit) -> bytes | Refusal | None:
    """Read the whole body; None when the client has gone."""
    declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    # The digits are counted first: Python takes quadratic time to read a number of very many.
    if not declared.isdigit() or len(declared) > len(str(limit.max_bytes)) or int(declared) > limit.max_bytes:
        if not any(name == b"expect" for name, _ in scope["headers"]):  # who asks first, has sent nothing yet
            await _drop_body(receive)
        return _make_size_refusal(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(limit.seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > limit.max_bytes:
                    break
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        late = f"the body of the request did not arrive within {limit.seconds:g} s"
        return Refusal.make(408, Code.TIMEOUT, late, "Send the request again.", _CLOSE)
    body.clear()
    await _drop_body(receive)
    return _make_size_refusal(limit)


async def _drop_body(receive: Receive) -> None:
    """Read the rest of a body and drop it, up to a bound of bytes and seconds."""
    dropped = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DROP_SECONDS):
            while dropped <= _MAX_DROPPED_BYTES:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                dropped += len(message.get("body", b""))


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, and then what the client does."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        # After the body the application may ask again, to see that the client has gone.
        return waiting.pop() if waiting else await receive()

    return receive_again


def _make_size_refusal(limit: BodyLimit) -> Refusal:
    return Refusal.make(
        413,
        Code.INVALID_INPUT,
        f"the request is larger than {limit.max_bytes:,} bytes",
        "Send less in one request.",
        _CLOSE,
    )


MAX_KEYS = 10_000
"""Keys that are remembered; beyond them the one that was used longest ago is forgotten."""


class _Bucket(NamedTuple):
    """Level of a bucket at a time."""

    level: float
    at: float


class RateLimiter:
    """Limiter with one token bucket per key, for use in one thread.

    Args:
        per_second: the rate at which a bucket fills.
        burst: the size of a bucket, that is, the requests that may come at once.
        clock: returns seconds.
    """

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, key: str) -> float:
        """Take one request out of the bucket of this key.

        Returns:
            0.0 if it is admitted, else the seconds until the next one is.
        """
        now = self._clock()
        # Taken out and put in again, so that the first key is the one that was used longest ago.
        before = self._buckets.pop(key, _Bucket(self._burst, now))
        level = min(self._burst, before.level + (now - before.at) * self._per_second)
        is_admitted = level >= 1.0
        self._buckets[key] = _Bucket(level - 1.0 if is_admitted else level, now)
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        return 0.0 if is_admitted else (1.0 - level) / self._per_second

    def check(self, key: str) -> Refusal | None:
        """Take one request out of the bucket of this key; return a refusal with 429 if it is empty."""
        wait = math.ceil(self.take(key))
        if not wait:
            return None
        return Refusal.make(
            429,
            Code.RATE_LIMITED,
            f"more than {self._per_second:g} requests a second, after {self._burst:g} at once",
            f"Send the request again in {wait} s.",
            {"retry-after": str(wait)},
        )


def find_cookie(scope: Scope, name: str) -> str | None:
    """Find the value of a cookie.

    Of several with this name it is the first, which browsers send for the closest path.

    Aurora sets plain values, so a value in quotes stays as it is. `http.cookies` and Starlette remove the escapes of
    such a value in quadratic time (CVE-2024-7592), which lets anyone without a session keep the server busy.

    Args:
        scope: of the ASGI request.
        name: the exact name.

    Returns:
        None without such a cookie.
    """
    for header in list_headers(scope, b"cookie"):
        for pair in header.decode("latin-1").split(";"):
            found, equals, value = pair.strip(" \t").partition("=")
            if equals and found == name:
                return value
    return None
