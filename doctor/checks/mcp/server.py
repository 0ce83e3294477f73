"""Does the server that the assistants name really start, in both eras of the protocol, with just the three tools?"""

from __future__ import annotations

import shlex
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aurora.doctor.finding import failure, passed, warning
from aurora.hosts import OFFERED, Started, started

from .entries import entries, own
from .removed_tools import REMOVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.doctor.context import Subject
    from aurora.doctor.finding import Finding
    from aurora.hosts.probe_server import Era

_SILENT = {"READ_ONLY": "1", "AURORA_WATCH": "0", "AURORA_LOG": "error"}
"""The server is looked at, and shall leave no trace in the project."""


_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which assistants start the server: its words, what they add to the environment, and who they are."""

    argv: tuple[str, ...]
    environ: tuple[tuple[str, str], ...]
    titles: tuple[str, ...]


def ways(subject: Subject) -> tuple[Way, ...]:
    """Every way once; this installation's own when no assistant names any."""
    found: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], list[str]] = {}
    for entry in entries(subject):
        environ = tuple(sorted((name, value) for name, value in entry.environ.items() if "${" not in value))
        titles = found.setdefault((entry.state.argv, environ), [])
        if entry.host.title not in titles:
            titles.append(entry.host.title)
    if not found:
        return (Way(own(subject), (), ()),)
    return tuple(Way(argv, environ, tuple(titles)) for (argv, environ), titles in found.items())


def handshake(subject: Subject) -> Iterator[Finding]:
    """Whether it starts, shakes hands and offers the three tools."""
    for way, answer in _asked(subject, "handshake"):
        words = shlex.join(way.argv)
        for_whom = f", for {', '.join(way.titles)}" if way.titles else ""
        if answer.problem:
            said = f"`{words}`: {answer.problem}{for_whom}"
            yield failure("mcp.server.fails", said, f"Run `{words}` in a shell to see why.", _INSTALL)
        else:
            yield from _compared(way, answer, f"`{words}`", for_whom, subject)


def stateless(subject: Subject) -> Iterator[Finding]:
    """Whether it answers a host that does not shake hands, as those of 2026-07-28 and later do."""
    for way, answer in _asked(subject, "stateless"):
        words = shlex.join(way.argv)
        if answer.problem or set(OFFERED) - set(answer.tools):
            said = answer.problem or f"it lists {', '.join(answer.tools) or 'nothing'}"
            said = f"`{words}` does not answer without a handshake: {said}"
            yield failure("mcp.stateless.fails", said, _INSTALL)
        else:
            yield passed(f"`{words}` answers with and without a handshake")


def _asked(subject: Subject, era: Era) -> Iterator[tuple[Way, Started]]:
    """The answer to each way, all started at once."""
    found = ways(subject)
    with ThreadPoolExecutor(len(found), thread_name_prefix="server") as pool:
        yield from zip(found, pool.map(partial(_start, subject, era), found), strict=True)


def _start(subject: Subject, era: Era, way: Way) -> Started:
    environ = {**subject.environ, **dict(way.environ), **_SILENT}
    return started(way.argv, subject.root, subject.patience, era=era, environ=environ)


def _compared(way: Way, answer: Started, words: str, for_whom: str, subject: Subject) -> Iterator[Finding]:
    absent = [name for name in OFFERED if name not in answer.tools]
    removed = [name for name in answer.tools if name in REMOVED]
    more = [name for name in answer.tools if name not in OFFERED]
    if absent or removed:
        kind, said = "mcp.server.removed", f"still offers {_listed(removed)}"
        if absent:
            kind, said = "mcp.server.lacks", f"does not offer {_listed(absent)}"
        yield failure(kind, f"{words} {said}; another edition of Aurora is started{for_whom}", _INSTALL)
    elif more and not _asked_for_more(way, subject):
        said = f"{words} offers more than the three: {_listed(more[:_MOST_NAMED])}{for_whom}"
        yield warning("mcp.server.more", said, _INSTALL)
    elif more:
        yield passed(f"{words} starts and offers the three tools, and {len(more)} that it is asked for{for_whom}")
    else:
        yield passed(f"{words} starts and offers exactly {_listed(OFFERED)}{for_whom}")


def _asked_for_more(way: Way, subject: Subject) -> bool:
    return "--toolsets" in way.argv or bool({**subject.environ, **dict(way.environ)}.get("AURORA_TOOLSETS"))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


_INSTALL = "Install Aurora anew: `uv tool install --reinstall .` in a clone of it, or `pip install .`."
