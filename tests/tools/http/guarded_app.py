"""A guarded application on a free port of its own process; prints its URL, and ends on SIGTERM.

Its argument is the number of seconds in which the head of a request must arrive.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from aurora.tools import http

LIMITER = http.RateLimiter(per_second=0.5, burst=3)


def say(line: str) -> None:
    """Print a line for the test that reads it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the path; `/slow` takes a second, `/bug` fails, `/limited` has a rate."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        say("closed")
        return
    body = (await receive())["body"] if scope["method"] == "POST" else b""
    if scope["path"] == "/bug":
        raise ValueError("a secret")
    if scope["path"] == "/limited" and (refusal := LIMITER.check("one client")) is not None:
        await http.send_refusal(send, refusal)
        return
    if scope["path"] == "/slow":
        say("slow")
        await asyncio.sleep(1)
    await http.send_response(send, 200, scope["path"].encode() + body, "text/plain")


def main() -> None:
    """Serve until SIGTERM."""
    listening = http.bind_socket(http.parse_listen_address("127.0.0.1:0"))
    address = http.ListenAddress(*listening.getsockname()[:2])
    identity = http.ServerIdentity.from_address(address, "https://aurora.example.org")
    settings = http.GuardSettings(identity, http.BodyLimit(1000, 1.0), open_paths=frozenset({"/healthz"}))
    guarded = http.RequestGuard(answer, settings)
    http.run_server(
        guarded, listening, http.ServerOptions(head_seconds=float(sys.argv[1])), announce=lambda: say(address.url)
    )
    say("ended")


if __name__ == "__main__":
    sys.exit(main())
