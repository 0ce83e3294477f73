"""Scripted models that call every tool wrongly, and check that each error reaches them.

Hosts that validate results by the output schema hide the message of an error that does not fit it.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.lab.generate import generate_least_value

from .failing_server import CODES
from .mistakes import Mistake
from .model import ScriptedModel
from .reading import read_result

if TYPE_CHECKING:
    from .dialects import Move, Turn
    from .model import Sighting

    PlannedCall = tuple[str, dict[str, Any], Mistake | None]

_HIDDEN = re.compile(r"does not match|output ?schema|structured ?content", re.IGNORECASE)
"""Words of a host that shows its own complaint in the place of Aurora's message."""
_UNKNOWN_NAMES = {"id": "code:000000000000", "ids": ["code:000000000000"], "run": "nosuchrun", "path": "no/such/file"}
_MAX_NAMED = 5


@dataclass(slots=True)
class PlannedModel(ScriptedModel, ABC):
    """Model that makes a list of calls, which it plans when it sees the tools."""

    _planned: list[PlannedCall] | None = field(default=None)

    def move(self, turn: Turn, size: int) -> Move:
        """Make the next planned call, once the host offers the tools."""
        if not turn.tools:
            return "Aurora"
        self.sent.append(size)
        self.schemas.update({name: schema for name, schema in turn.tools.items() if "aurora" in name})
        if not self.schemas:
            return self._search(turn)
        if self._planned is None:
            self._planned = self.plan_calls()
        elif turn.results:
            self.sightings[-1].seen = read_result(turn.results[-1])
        return self._call(*self._planned.pop(0)) if self._planned else self._stop(self.describe_end())

    @abstractmethod
    def plan_calls(self) -> list[PlannedCall]:
        """Plan the calls by the schemas that the host offers."""

    @abstractmethod
    def describe_end(self) -> str:
        """Return `done`, or what is wrong with the results."""


@dataclass(slots=True)
class EveryCodeModel(PlannedModel):
    """Model that calls each tool once for each error code of a server that always fails."""

    def plan_calls(self) -> list[PlannedCall]:
        """Plan a valid call of each tool for each code; no tool comes twice in a row, which looks like a loop."""
        return [
            (name, dict(generate_least_value(schema)), Mistake(f"{code} of {name}", name, lambda right: right))
            for code in CODES
            for name, schema in sorted(self.schemas.items())
        ]

    def describe_end(self) -> str:
        """Return `done` when each result has its own code, message and remedy."""
        wrong = [one.mistake.title for one in self.sightings if one.mistake and not _shows_failure(one, one.mistake)]
        named = ", ".join(wrong[:_MAX_NAMED])
        return f"{len(wrong)} of {len(self.sightings)} errors were not shown: {named}" if wrong else "done"


@dataclass(slots=True)
class EveryToolModel(PlannedModel):
    """Model that calls each tool with an unknown argument, and with names of things that do not exist."""

    def plan_calls(self) -> list[PlannedCall]:
        """Plan two calls of each tool; the second may succeed, where a tool needs nothing that exists."""
        planned: list[PlannedCall] = []
        for name, schema in sorted(self.schemas.items()):
            unknown = {"no_such_argument": 1}
            planned.append((name, unknown, Mistake(f"an unknown argument of {name}", name, lambda right: right)))
            least = generate_least_value(schema)
            planned.append((name, {key: _UNKNOWN_NAMES.get(key, value) for key, value in dict(least).items()}, None))
        return planned

    def describe_end(self) -> str:
        """Return `done` when each call has a whole result, and no message is hidden."""
        if lost := [one.call.tool for one in self.sightings if one.seen is None]:
            return f"calls of {', '.join(lost)} had no result"
        if cut := [one.call.tool for one in self.sightings if is_cut(one)]:
            return f"results of {', '.join(cut)} were cut by the host"
        unread = [one for one in self.sightings if one.seen and not one.seen.body]
        hidden = [one.call.tool for one in unread if one.seen and _HIDDEN.search(one.seen.text)]
        return f"messages of {', '.join(hidden)} were hidden by the host" if hidden else "done"


def is_cut(sighting: Sighting) -> bool:
    """Return True if the result begins with a JSON object that has no end."""
    text = sighting.seen.text if sighting.seen else ""
    place = text.find("{")
    try:
        json.JSONDecoder().raw_decode(text, max(0, place))
    except json.JSONDecodeError:
        return place >= 0
    return False


def _shows_failure(sighting: Sighting, failure: Mistake) -> bool:
    code = failure.title.partition(" ")[0]
    error = sighting.seen.error if sighting.seen else {}
    return error.get("code") == code and f"on purpose with {code}" in error.get("message", "") and bool(error["help"])
