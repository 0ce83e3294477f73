"""Lines from standard input as JSON-RPC messages, or as the error that answers a line which is none."""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types as types
from pydantic import ValidationError

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Bytes of one line; what is longer is not kept, only answered."""
_BLOCK_BYTES = 1 << 16
# Strings whole (so that braces inside them do not count), brackets, and nothing else.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_ID = re.compile(r'\s*:\s*(?:(-?\d{1,18})(?![\d.eE])|("(?:[^"\\]++|\\.){0,200}+"))', re.DOTALL)

_ID_KEY = re.compile(r"\s*:")


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """A line that is no message, and the answer to it."""

    answer: types.JSONRPCError


def read_lines(descriptor: int) -> Iterator[tuple[bytes, bool]]:
    """The lines of a file descriptor until it ends: `(line, whole)`, `whole` False for the head of one too long.

    It reads the bare descriptor: a buffered reader holds a lock while it waits, and Python cannot end cleanly then.
    """
    held = bytearray()
    searched = 0
    dropping = False
    while block := _read_block(descriptor):
        held += block
        while (end := held.find(b"\n", searched)) >= 0:
            if not dropping:
                yield bytes(held[:end]), True
            dropping = False
            del held[: end + 1]
            searched = 0
        searched = len(held)
        if dropping:
            held.clear()
            searched = 0
        elif searched > MAX_LINE_BYTES:
            yield bytes(held[:_BLOCK_BYTES]), False
            dropping = True
    if held and not dropping:
        yield bytes(held), True


def parse_message(line: bytes, *, whole: bool = True) -> types.JSONRPCMessage | RejectedLine | None:
    """The message in a line; None for a blank one."""
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None
    if not whole:
        return _reject_line(
            text, types.INVALID_REQUEST, f"the message is larger than {MAX_LINE_BYTES // 1024 // 1024} MiB"
        )
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        if found["type"] == "json_invalid":
            reason = str(found.get("ctx", {}).get("error", found["msg"]))
            return _reject_line(text, types.PARSE_ERROR, f"the message cannot be read as JSON: {reason}")
        return _reject_line(text, types.INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request")
    if isinstance(message, types.JSONRPCNotification) and _match_top_level_id(text, _ID_KEY):
        # With an id that is none the SDK takes a request for a notification, and its sender would wait for ever.
        return _reject_line(text, types.INVALID_REQUEST, "the id of a request is a string or a whole number")
    return message


def extract_id(text: str) -> int | str | None:
    """The `id` at the top of a JSON object, found without recursion, also when the rest is broken."""
    found = _match_top_level_id(text, _ID)
    if found is None:
        return None
    number, quoted = found.groups()
    if number is not None:
        return int(number)
    with contextlib.suppress(ValueError):
        value: str = json.loads(quoted, strict=False)
        value.encode()
        return value
    return None


def _match_top_level_id(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """The key `id` at the top level, where the pattern matches what follows it."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
        elif depth == 1 and mark == '"id"' and (value := pattern.match(text, token.end())):
            return value
    return None


def _reject_line(text: str, code: int, message: str) -> RejectedLine:
    fault = Fault(
        Code.INVALID_INPUT,
        message,
        help="Send one JSON-RPC 2.0 message a line, at most 100 levels deep and with arguments of at most 1 MB.",
    )
    data: dict[str, Any] = {"status": "error", "error": fault.to_json()}
    error = types.ErrorData(code=code, message=message, data=data)
    return RejectedLine(types.JSONRPCError(jsonrpc="2.0", id=extract_id(text), error=error))


def _read_block(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _BLOCK_BYTES)
    except OSError:  # closed under us: the same as its end
        return b""
