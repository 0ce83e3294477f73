"""Worker process for templates whose work has no linear bound: its limits and messages.

The process is started by `process.py`. It imports the standard library and the template library only, and ends when its
input does. A request is a tuple in the format of `marshal`, which only Aurora itself writes; a response is JSON.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import struct
import sys
import time
from typing import IO, TYPE_CHECKING, Any

from .engine import TemplateFailureError, list_variables, load_library, render_text

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_MEMORY = 512 * 1024 * 1024
"""Bytes of address space of the worker; Linux enforces it."""
MAX_CPU_SECONDS = 3
"""Processor time of one request, in case that the process that waits for it is gone."""
MAX_RESPONSE = 4_000_000
"""Characters of a rendered text; more than `MAX_PRINTED`, because literal text in a loop counts too."""

MEMORY_MESSAGE = f"it needs more than {MAX_MEMORY // 2**20} MB of memory"

READY = b"ready"
RENDER, CHECK = "render", "check"

_HEADER = struct.Struct(">I")


def run_worker() -> None:
    """Answer requests until the input ends."""
    requests, responses = sys.stdin.buffer, sys.stdout.buffer
    load_library()
    _limit_process()
    write_message(responses, READY)
    while (request := read_message(requests)) is not None:
        _limit_processor_time()
        response = _answer_request(marshal.loads(request))  # noqa: S302 - the parent is this program
        write_message(responses, json.dumps(response).encode("ascii"))


def write_message(pipe: IO[bytes], message: bytes) -> None:
    """Write one message, its length first."""
    pipe.write(_HEADER.pack(len(message)) + message)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> bytes | None:
    """Read one message; None when the other end is closed."""
    head = pipe.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return None
    (length,) = _HEADER.unpack(head)
    message = pipe.read(length)
    return message if len(message) == length else None


def _answer_request(request: tuple[str, str, str, int, Mapping[str, Any]]) -> dict[str, Any]:
    kind, template, name, fuel, scope = request
    try:
        if kind == CHECK:
            return {"names": sorted(list_variables(template))}
        text = render_text(template, scope, name, fuel)
    except TemplateFailureError as failure:
        return {"detail": failure.detail, "line": failure.line, "span": failure.span}
    except MemoryError:
        return {"detail": MEMORY_MESSAGE, "line": None, "span": None}
    if len(text) > MAX_RESPONSE:
        return {"detail": f"it prints more than {MAX_RESPONSE:,} characters", "line": None, "span": None}
    return {"text": text}


def _limit_process() -> None:
    """Limit memory and files; Windows has only the time limit of the parent."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    for kind, limit in (
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        _, most = resource.getrlimit(kind)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses a limit of the address space
            resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def _limit_processor_time() -> None:
    """Let the next request take `MAX_CPU_SECONDS`; the limit counts from the start of the process."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + MAX_CPU_SECONDS, most))
