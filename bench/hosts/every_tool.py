"""Scripted model that calls every tool wrongly, and checks that each error reaches it.

Hosts that validate results by the output schema hide the message of an error that does not fit it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.simulation.values import generate_least_value

from .mistakes import Mistake
from .model import ScriptedModel
from .reading import read_result

if TYPE_CHECKING:
    from .dialects import Move, Turn

_HIDDEN = re.compile(r"does not match|output ?schema|structured ?content", re.IGNORECASE)
"""Words of a host that shows its own complaint in the place of Aurora's message."""
_UNKNOWN_NAMES = {"id": "code:000000000000", "ids": ["code:000000000000"], "run": "nosuchrun", "path": "no/such/file"}


@dataclass(slots=True)
class EveryToolModel(ScriptedModel):
    """Model that calls each tool with an unknown argument, and with names of things that do not exist."""

    _planned: list[tuple[str, dict[str, Any], Mistake | None]] | None = field(default=None)

    def move(self, turn: Turn, size: int) -> Move:
        """Make the next planned call, once the host offers the tools."""
        if not turn.tools:
            return "Aurora"
        self.sent.append(size)
        self.schemas.update({name: schema for name, schema in turn.tools.items() if "aurora" in name})
        if not self.schemas:
            return self._search(turn)
        if self._planned is None:
            self._planned = _plan_calls(self.schemas)
        elif turn.results:
            self.sightings[-1].seen = read_result(turn.results[-1])
        if not self._planned:
            return self._stop(self._describe_end())
        return self._call(*self._planned.pop(0))

    def _describe_end(self) -> str:
        hidden = [one.call.name for one in self.sightings if one.seen and _HIDDEN.search(one.seen.text)]
        return f"messages of {', '.join(hidden)} were hidden by the host" if hidden else "done"


def _plan_calls(schemas: dict[str, Any]) -> list[tuple[str, dict[str, Any], Mistake | None]]:
    """Plan two calls of each tool; the second may succeed, where a tool needs nothing that exists."""
    planned: list[tuple[str, dict[str, Any], Mistake | None]] = []
    for name, schema in sorted(schemas.items()):
        unknown = {"no_such_argument": 1}
        planned.append((name, unknown, Mistake(f"an unknown argument of {name}", name, lambda right: right)))
        least = generate_least_value(schema)
        planned.append((name, {key: _UNKNOWN_NAMES.get(key, value) for key, value in dict(least).items()}, None))
    return planned
