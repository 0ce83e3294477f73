"""Parsing of input lines: JSON-RPC messages, or the error response for an invalid line."""

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
"""Size limit of one line in bytes; a longer one is dropped and answered with an error."""
MAX_VALUES = 100_000
"""Values of one message; its parser takes 0.5 s for a million, and answers nothing meanwhile."""
MAX_STRIPPED_BYTES = 1 << 20
"""Bytes of a line whose values are counted before those of the whole."""
_BLOCK_BYTES = 1 << 16
_HEAD_CHARACTERS = 1 << 18
"""Characters in which the id of a line with too many values is searched."""
# Whole strings (braces inside them do not count), and brackets.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_ID = re.compile(r'\s*:\s*(?:(-?\d{1,18})(?![\d.eE])|("(?:[^"\\]++|\\.){0,200}+"))', re.DOTALL)

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
# The last pair of an object: what its last bracket closes is the object itself.
_LAST_ID = re.compile(r'[,{]\s*("id"\s*:\s*(?:-?\d{1,18}|"(?:[^"\\]|\\.){0,200}+"))\s*\}\s*$', re.DOTALL)
_ID_KEY = re.compile(r"\s*:")
_LINE_HELP = "Send one JSON-RPC 2.0 message a line, at most 100 levels deep and with arguments of at most 1 MB."
_PARAMS_HELP = 'Send params such as {"name": "aurora_search", "arguments": {"query": "words"}}.'
_NAMED_METHODS = frozenset({"tools/call", "prompts/get"})
_JSON_NAMES = {list: "an array", str: "a text", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """Line that is not a message, with the error response to it."""

    answer: types.JSONRPCError


def read_lines(descriptor: int, head: bytes = b"") -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of a file descriptor as `(line, whole)`.

    `whole` is False for the head of a line that is too long.

    Args:
        descriptor: the file descriptor.
        head: bytes that were read from it before.

    It reads the descriptor without a buffered reader, whose lock would keep Python from ending cleanly.
    """
    buffer = bytearray()
    searched = 0
    dropping = False
    while block := head or _read_block(descriptor):
        head = b""
        buffer += block
        while (end := buffer.find(b"\n", searched)) >= 0:
            if not dropping:
                yield bytes(buffer[:end]), True
            dropping = False
            del buffer[: end + 1]
            searched = 0
        searched = len(buffer)
        if dropping:
            buffer.clear()
            searched = 0
        elif searched > MAX_LINE_BYTES:
            yield bytes(buffer[:_BLOCK_BYTES]), False
            dropping = True
    if buffer and not dropping:
        yield bytes(buffer), True


def parse_message(line: bytes, *, whole: bool = True) -> types.JSONRPCMessage | RejectedLine | None:
    """Return the message in a line, or None for a blank line."""
    text = line.decode("utf-8", "replace")
    if not text.strip():
        return None
    if not whole:
        return _reject_line(
            text, types.INVALID_REQUEST, f"the message is larger than {MAX_LINE_BYTES // 1024 // 1024} MiB"
        )
    if _has_too_many_values(line):
        return _reject_values(text)
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        if found["type"] == "json_invalid":
            reason = str(found.get("ctx", {}).get("error", found["msg"]))
            return _reject_line(text, types.PARSE_ERROR, f"the message cannot be read as JSON: {reason}")
        return _reject_line(text, types.INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request")
    return _reject_wrong_form(message, text) or message


def _has_too_many_values(line: bytes) -> bool:
    """Count brackets and commas, those in strings only when the others could be too many."""
    if _count_marks(line) <= MAX_VALUES:
        return False
    parts = (line[:MAX_STRIPPED_BYTES], line)  # the head is enough for a line of values without long texts
    return any(_count_marks(_STRING.sub(b"", part)) > MAX_VALUES for part in parts)


def _count_marks(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _reject_values(text: str) -> RejectedLine:
    """Reject a line with too many values; its id is first or last, where all libraries write it."""
    last = _LAST_ID.search(text, max(0, len(text) - _HEAD_CHARACTERS))
    head = f"{{{last[1]}}}" if last else text[:_HEAD_CHARACTERS]
    return _reject_line(head, types.INVALID_REQUEST, f"the message has more than {MAX_VALUES:,} values")


def _reject_wrong_form(message: types.JSONRPCMessage, text: str) -> RejectedLine | None:
    """Reject a message that the SDK would answer without a reason, or not at all."""
    if isinstance(message, types.JSONRPCNotification) and _match_top_level_id(text, _ID_KEY):
        # The SDK takes a request with an invalid id for a notification, and its sender would wait forever.
        return _reject_line(text, types.INVALID_REQUEST, "the id of a request is a string or a whole number")
    if isinstance(message, types.JSONRPCRequest) and (wrong := _find_wrong_param(message)):
        return _reject_line(text, types.INVALID_PARAMS, wrong, _PARAMS_HELP)
    return None


def _find_wrong_param(message: types.JSONRPCRequest) -> str:
    """Return what is wrong with the form of a call's params; empty if nothing is."""
    if message.method not in _NAMED_METHODS:
        return ""
    params = message.params or {}
    if not isinstance(params.get("name"), str):
        return f'the params of {message.method} have no "name" that is a text'
    given = params.get("arguments")
    if given is None or isinstance(given, dict):
        return ""
    return f'the "arguments" of {message.method} are {_JSON_NAMES.get(type(given), "a number")}, not an object'


def extract_id(text: str) -> int | str | None:
    """Return the top-level `id` of a JSON object, found without recursion, even if the rest is invalid."""
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
    """Find the key `id` at the top level whose value matches the pattern."""
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


def _reject_line(text: str, code: int, message: str, remedy: str = _LINE_HELP) -> RejectedLine:
    fault = Fault(Code.INVALID_INPUT, message, help=remedy)
    data: dict[str, Any] = {"status": "error", "error": fault.to_json()}
    error = types.ErrorData(code=code, message=message, data=data)
    return RejectedLine(types.JSONRPCError(jsonrpc="2.0", id=extract_id(text), error=error))


def _read_block(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _BLOCK_BYTES)
    except OSError:  # closed by another thread: the same as its end
        return b""
