"""Scripted model: it follows `next_call`, and sees only what a host shows it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.lab.generate import generate_least_value

from .answers import write_answer
from .dialects import ToolCall
from .mistakes import MISTAKES, QUERY, Mistake
from .reading import Observation, read_result

if TYPE_CHECKING:
    from .dialects import Move, Turn

MAX_CALLS = 80
MAX_SEARCHES = 30
SECONDS_BETWEEN_SEARCHES = 0.5
"""A host may still be starting the server; a real model takes longer for each turn."""


@dataclass(frozen=True, slots=True)
class Script:
    """What the model does in one walk.

    Attributes:
        query: the person's question.
        workflow: the workflow to begin; empty leaves it to Aurora.
        sends_text: True sends each object and array as JSON text, as some models do.
        makes_mistakes: True makes every mistake once.
    """

    query: str
    workflow: str = ""
    sends_text: bool = False
    makes_mistakes: bool = False


@dataclass(slots=True)
class Sighting:
    """One call, and what came of it."""

    call: ToolCall
    mistake: Mistake | None = None
    seen: Observation | None = None


@dataclass(slots=True)
class ScriptedModel:
    """The model of one walk, and its record.

    Attributes:
        script: what it does.
        sightings: its calls of Aurora's tools, in order.
        sent: characters of each request that offers tools, in order.
        schemas: the schema of each of Aurora's tools, as the host offers it.
        last_words: the text that ended the walk; empty before.
    """

    script: Script
    sightings: list[Sighting] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    schemas: dict[str, Any] = field(default_factory=dict)
    last_words: str = ""
    _searches: int = 0
    _pending: dict[str, Any] = field(default_factory=dict)
    _prompts: list[str] = field(default_factory=list)
    _mistakes: list[Mistake] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Plan the mistakes."""
        self._mistakes = list(MISTAKES) if self.script.makes_mistakes else []

    def move(self, turn: Turn, size: int) -> Move:
        """Decide the next move.

        Args:
            turn: the request of the host.
            size: characters of the request.
        """
        if not turn.tools:
            return "Aurora"  # a host asks for a title of the conversation
        self.sent.append(size)
        self.schemas.update({name: schema for name, schema in turn.tools.items() if "aurora" in name})
        if self._find_tool(QUERY) is None:
            return self._search(turn)
        if not self.sightings:
            begin = {"query": self.script.query, **({"workflow": self.script.workflow} if self.script.workflow else {})}
            return self._call(QUERY, begin)
        if not turn.results or len(self.sightings) > MAX_CALLS:
            return self._stop("there is no result" if not turn.results else "there are too many calls")
        seen = read_result(turn.results[-1])
        self.sightings[-1].seen = seen
        return self._follow(seen)

    def _follow(self, seen: Observation) -> Move:
        """Make the call that the response asks for, or a mistake in its place."""
        self._prompts = seen.prompts or self._prompts
        if "next_call" in seen.body:
            following = seen.body["next_call"]
            if following is None or seen.body["status"] == "waiting":
                return self._stop("the run waits for the person" if following else "done")
            self._pending = {**following["arguments"], **self._fill(following.get("needs") or {})}
        elif self.sightings[-1].mistake is None:
            return self._stop(f"this cannot be read: {seen.text[:300]}")
        return self._call_next()

    def _call_next(self) -> Move:
        for mistake in self._mistakes:
            if mistake.needs_answer <= ("answer" in self._pending):
                self._mistakes.remove(mistake)
                return self._call(mistake.tool, mistake.spoil(self._pending), mistake)
        return self._call(QUERY, self._pending)

    def _fill(self, needs: dict[str, Any]) -> dict[str, Any]:
        filled: dict[str, Any] = {}
        for name, schema in needs.items():
            if name == "answer":
                filled[name] = write_answer(schema, self._prompts)
            else:
                filled[name] = self.script.query if name == "query" else generate_least_value(schema)
        return filled

    def _call(self, tool: str, arguments: dict[str, Any], mistake: Mistake | None = None) -> Move:
        name = self._find_tool(tool)
        if name is None:
            return self._stop(f"the host does not offer {tool}")
        sent = {key: self._write_value(value) for key, value in arguments.items()}
        self.sightings.append(Sighting(ToolCall(name, sent), mistake))
        return self.sightings[-1].call

    def _write_value(self, value: Any) -> Any:
        return json.dumps(value) if self.script.sends_text and isinstance(value, dict | list) else value

    def _find_tool(self, name: str) -> str | None:
        return next((full for full in self.schemas if full.endswith(name)), None)

    def _search(self, turn: Turn) -> Move:
        self._searches += 1
        if not turn.search or self._searches > MAX_SEARCHES:
            return self._stop(f"there is no tool of Aurora among {', '.join(turn.tools)}"[:300])
        time.sleep(SECONDS_BETWEEN_SEARCHES if self._searches > 1 else 0)
        words = {"query": "aurora", "limit": 5, "max_results": 5}
        accepted = turn.tools[turn.search].get("properties", words)
        return ToolCall(turn.search, {name: value for name, value in words.items() if name in accepted})

    def _stop(self, words: str) -> str:
        self.last_words = words
        return self.conclude(words)

    def conclude(self, words: str) -> str:
        """Write the text that ends the walk for the person."""
        return words
