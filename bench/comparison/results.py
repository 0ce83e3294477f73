"""Results in a file of JSON lines, to which each session adds one, and from which a comparison continues."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ANSWERED, TIMEOUT = "answered", "timeout"


@dataclass(frozen=True, slots=True)
class Result:
    """One session.

    Attributes:
        host: name of the host.
        model: "own" for the host's own, "scripted" for the scripted one.
        sources: digest of the sources.
        arm: "with" or "without".
        ask: the question.
        ended: "answered", "timeout", or what went wrong.
        answer: what the host said.
        turns, sent, received, calls: as in a `Report`; None is not known.
        seconds: from start to end, by the clock.
    """

    host: str
    model: str
    sources: str
    arm: str
    ask: str
    ended: str
    answer: str
    turns: int | None
    sent: int | None
    received: int | None
    calls: int | None
    seconds: float

    @property
    def counts(self) -> bool:
        """True for an answer, and for none in time, which is a wrong one; a failure to run the host is tried again."""
        return self.ended in {ANSWERED, TIMEOUT}


def read_results(path: Path) -> tuple[Result, ...]:
    """Read all results; a last line that was not written to its end is left out.

    Raises:
        ValueError: another line is not a result, with its number.
    """
    if not path.exists():
        return ()
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]  # the last is empty, or was cut off
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Result(**json.loads(line)))
        except (ValueError, TypeError) as error:
            message = f"{path}:{number}: not a result of a session ({error}); delete the line, or name another file"
            raise ValueError(message) from None
    return tuple(found)


def append_result(path: Path, result: Result) -> None:
    """Append a result, in the place of a last line that was cut off."""
    with path.open("ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(asdict(result), ensure_ascii=False).encode() + b"\n")


def select_results(results: Iterable[Result], host: str, model: str, sources: str) -> dict[tuple[str, str], Result]:
    """Select what counts in one comparison, by question and arm; of several the last."""
    same = (one for one in results if (one.host, one.model, one.sources) == (host, model, sources))
    return {(one.ask, one.arm): one for one in same if one.counts}
