"""Dialogue with a host: the era of the protocol, and the names under which answers are kept."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # `typing` takes longer to import than this package
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

INITIALIZE = "initialize"
TOOLS_LIST = "tools/list"
DISCOVER = "server/discover"
LISTS = (TOOLS_LIST, "prompts/list", "resources/list", "resources/templates/list")
CACHED_METHODS = frozenset({INITIALIZE, DISCOVER, "ping", *LISTS})
"""Methods whose answers depend on the start alone, and on the protocol that the client speaks."""

_META = "_meta"
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
_TRACE_KEYS = ("traceparent", "tracestate", "baggage")
_CLIENT_TEXTS = ("name", "title", "version")
_MAX_NAME = 8_192
"""Characters of a name; a client that declares more is answered by the server itself."""
_STATELESS = "stateless"


class RequestName:
    """Name under which an answer is kept.

    Attributes:
        scope: the opening of the session; `stateless` in the era in which each request carries it.
        name: the method and the parameters that matter.
        method: the method.
    """

    __slots__ = ("method", "name", "scope")

    def __init__(self, scope: str, name: str, method: str) -> None:
        self.scope = scope
        self.name = name
        self.method = method


class Dialogue:
    """Dialogue with one host, from its first request on, which decides the era of the protocol."""

    def __init__(self) -> None:
        self._scope: str | None = None
        self._is_opened = False

    def name_request(self, method: str, params: Mapping[str, Any] | None) -> RequestName | None:
        """Return the name of the next request; None for one whose answer is not kept.

        Every request of the host must be passed, in order.
        """
        try:
            text = _normalize_params(method, params or {}) if method in CACHED_METHODS else None
        except (ValueError, TypeError, RecursionError):
            text = None
        is_opening = not self._is_opened
        is_stateless = _has_envelope(params)
        if is_opening:
            self._is_opened = True
            self._scope = _choose_scope(method, text, is_stateless=is_stateless)
        elif method == INITIALIZE:
            self._scope = None  # a second handshake: the server decides
        if self._scope is None or text is None or is_stateless != (self._scope == _STATELESS):
            return None
        return RequestName(self._scope, f"{method} {text}", method)


def _choose_scope(method: str, text: str | None, *, is_stateless: bool) -> str | None:
    """Return the scope of a dialogue by its first request; None where no answer is kept."""
    if method == INITIALIZE:
        return None if text is None or is_stateless else text
    return _STATELESS if is_stateless else None


def _has_envelope(params: Mapping[str, Any] | None) -> bool:
    """Return True for a request of the era without a handshake."""
    meta = params.get(_META) if params else None
    return isinstance(meta, dict) and _VERSION_KEY in meta


def _normalize_params(method: str, params: Mapping[str, Any]) -> str:
    """Return the parameters without what no answer depends on, as canonical JSON.

    Raises:
        ValueError, TypeError: they have a form that only the server judges.
    """
    known = dict(params)
    if _META in known:
        known[_META] = normalize_meta(known[_META])
        if not known[_META]:
            del known[_META]
    if method == INITIALIZE:
        known["clientInfo"] = _blank_client(known.get("clientInfo"))
    text = json.dumps(known, separators=(",", ":"), sort_keys=True, allow_nan=False)
    if len(text) > _MAX_NAME:
        raise ValueError("the parameters are too long")
    return text


def strip_meta(meta: Any) -> dict[str, Any]:
    """Return the metadata of a request without its progress token and trace.

    Raises:
        TypeError: they have a form that only the server judges.
    """
    if not isinstance(meta, dict):
        raise TypeError("the metadata is not an object")
    known = dict(meta)
    if type(known.pop("progressToken", 0)) not in {int, str}:
        raise TypeError("the progress token is not a text or a whole number")
    for name in _TRACE_KEYS:
        if not isinstance(known.pop(name, ""), str):
            raise TypeError("a trace is not a text")
    return known


def normalize_meta(meta: Any) -> dict[str, Any]:
    """Return the metadata of a request without what no answer depends on.

    Raises:
        ValueError, TypeError: they have a form that only the server judges.
    """
    known = strip_meta(meta)
    if _CLIENT_KEY in known:
        known[_CLIENT_KEY] = _blank_client(known[_CLIENT_KEY])
    return known


def _blank_client(client: Any) -> dict[str, Any]:
    """Return the client's description without its texts: a new version of a host gets the same answers."""
    if not isinstance(client, dict):
        raise TypeError("the client is not an object")
    blanked = dict(client)
    for name in _CLIENT_TEXTS:
        if isinstance(blanked.get(name), str):
            blanked[name].encode()  # a lone surrogate is an error
            blanked[name] = ""
    return blanked
