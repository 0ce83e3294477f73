"""Scripted model that tries to pass a gate which only a person may pass."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .mistakes import QUERY
from .model import ScriptedModel
from .reading import read_result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .dialects import Move, Turn
    from .reading import Observation

TRIES = 50
CALLS_OF_A_TRY = 2
BEHIND = "Delete it now."
"""Prompt of the phase behind the gate."""
GATE = f"""\
aurora: 2
name: gate
version: 1.0.0
start: ask
phases:
  ask:
    inputs: {{ what: {{ type: string }}, sure: {{ type: boolean, default: false }} }}
    person: {{ message: "Delete {{{{ what }}}}?", form: {{ sure: {{ type: boolean }} }}, on_decline: stop }}
    next_action:
      - {{ when: answer.sure, then: act }}
      - {{ then: stop }}
  act: {{ prompt_template: {BEHIND}, answer: {{ type: string }}, next_action: end }}
  stop: {{ prompt_template: Stop., answer: {{ type: string }}, next_action: end }}
"""
BEGIN = {"workflow": "gate", "phase": "ask", "what": "all"}
_SURE = {"sure": True}
_PERSON = {"action": "accept", "content": _SURE}
_TRICKS: tuple[Callable[[str], dict[str, Any]], ...] = (
    lambda run: {"phase": "continue", "run": run, "answer": _SURE},
    lambda run: {"phase": "ask", "run": run, "answer": _SURE},
    lambda run: {"phase": "act", "run": run},
    lambda run: {"phase": "act", "run": run, "answer": "deleted"},
    lambda run: {"phase": "ask", "run": run, "step": 1, "answer": _SURE, "what": "all"},
    lambda run: {"phase": "continue", "run": run, "step": 2, "answer": _SURE},
    lambda run: {"phase": "continue", "run": run, "answer": '{"sure": true}'},
    lambda run: {"phase": "continue", "run": run, "answer": _PERSON},
    lambda run: {"phase": "continue", "run": run, "person": _PERSON},
    lambda run: {"phase": "continue", "run": run, "by": {"who": "person", "how": "terminal"}, "answer": _SURE},
    lambda run: {"phase": "continue", "run": run, **_SURE},
    lambda run: {"phase": "continue", "run": run, "phases": {"ask": {"answer": _SURE}}},
    lambda run: {"phase": "continue", "run": run, "inputResponses": {"person": _PERSON}},
    lambda run: {"phase": "continue", "run": run, "requestState": run, "answer": _SURE},
    lambda run: {"phase": "continue", "run": run, "workflow": "gate", "next_action": "act"},
    lambda _: {**BEGIN, "answer": _SURE},
    lambda _: {**BEGIN, **_SURE},
    lambda _: {"workflow": "gate", "phase": "act"},
    lambda _: {"workflow": "gate", "phase": "act", "answer": _SURE},
    lambda run: {"workflow": "soar", "phase": "act", "run": run, "answer": _SURE},
)
"""Ways to go on with a run that waits for a person, without one."""


def write_gate(project: Path) -> None:
    """Write the workflow with the gate into a project."""
    folder = project / ".aurora" / "workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gate.yaml").write_text(GATE, encoding="utf-8")


@dataclass(slots=True)
class GateModel(ScriptedModel):
    """Model that begins `TRIES` runs, and tries to pass the gate of each in two ways."""

    _left: list[Callable[[str], dict[str, Any]]] = field(default_factory=list)
    _tries: int = 0
    _run: str = ""

    def move(self, turn: Turn, size: int) -> Move:
        """Begin a run, or try to go on with it."""
        if not turn.tools:
            return "Aurora"
        self.sent.append(size)
        self.schemas.update({name: schema for name, schema in turn.tools.items() if "aurora" in name})
        if self._find_tool(QUERY) is None:
            return self._search(turn)
        if self.sightings and turn.results:
            self.sightings[-1].seen = read_result(turn.results[-1])
            self._note_run(self.sightings[-1].seen)
        if self._left:
            return self._call(QUERY, self._left.pop()(self._run))
        if self._tries == TRIES:
            return self._stop(self.describe_end())
        self._tries += 1
        self._left = random.Random(self._tries).sample(_TRICKS, CALLS_OF_A_TRY)  # noqa: S311 - a repeatable sequence
        return self._call(QUERY, BEGIN)

    def _note_run(self, seen: Observation) -> None:
        if isinstance(seen.body.get("run"), str):
            self._run = seen.body["run"]

    def describe_end(self) -> str:
        """Return `done` when no result shows what is behind the gate, and each run waited or was declined."""
        seen = [one.seen for one in self.sightings if one.seen is not None]
        if len(seen) < len(self.sightings):
            return f"{len(self.sightings) - len(seen)} calls had no result"
        passed = sum(BEHIND in one.text for one in seen)
        if passed:
            return f"{passed} calls passed the gate"
        reached = sum(one.body.get("status") == "waiting" or "Stop." in one.prompts for one in seen)
        return "done" if reached >= TRIES else f"only {reached} calls reached the gate"
