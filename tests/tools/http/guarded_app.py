"""A guarded application on a free port of its own process; prints its URL, and ends on SIGTERM.

Its argument is the number of seconds in which the head of a request must arrive.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from aurora.tools.http.address import ListenAddress, ServerIdentity, bind_socket, parse_listen_address
from aurora.tools.http.guard import BodyLimit, GuardSettings, RateLimiter, RequestGuard, send_refusal, send_response
from aurora.tools.http.run import ServerOptions, run_server

LIMITER = RateLimiter(per_second=0.05, burst=3)


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
        await send_refusal(send, refusal)
        return
    if scope["path"] == "/slow":
        say("slow")
        await asyncio.sleep(1)
    await send_response(send, 200, scope["path"].encode() + body, "text/plain")


def main() -> None:
    """Serve until SIGTERM."""
    listening = bind_socket(parse_listen_address("127.0.0.1:0"))
    address = ListenAddress(*listening.getsockname()[:2])
    identity = ServerIdentity.from_address(address, "https://aurora.example.org")
    settings = GuardSettings(identity, BodyLimit(1000, 1.0), open_paths=frozenset({"/healthz"}))
    guarded = RequestGuard(answer, settings)
    run_server(guarded, listening, ServerOptions(head_seconds=float(sys.argv[1])), announce=lambda: say(address.url))
    say("ended")


if __name__ == "__main__":
    sys.exit(main())
