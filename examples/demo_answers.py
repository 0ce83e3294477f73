"""The recorded answers of the demo's assistant, with the ids of this tree's chunks put in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from pathlib import Path

    Call = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]

_PLACEHOLDER = re.compile(r"^\{chunk (\S+)(?: (\S+))?\}$")
_SHOWN = re.compile(r"^((?:code|know):\w+) (\S+):[\d-]+ (\S*) [\d.]+", re.MULTILINE)
"""First line of a chunk in a prompt."""
_TASK = re.compile(r"Task (\S+?)(?::| \(critical\):)")


@dataclass
class Answers:
    """Recorded answers, and the ids of the chunks in responses by path and symbol."""

    recorded: dict[str, Any]
    shown: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Answers:
        """Read the recording in this file."""
        return cls(YAML(typ="safe").load(path))

    @property
    def question(self) -> str:
        """Question that takes all phases."""
        return str(self.recorded["question"])

    @property
    def simple(self) -> str:
        """Question that is answered early."""
        return str(self.recorded["simple"])

    def note_chunks(self, response: Mapping[str, Any]) -> None:
        """Note the ids of the chunks that a response names."""
        for chunk in _chunks(response.get("result")):
            self.shown.setdefault((chunk.get("path") or "", chunk.get("symbol") or ""), chunk["id"])
        prompts = response.get("prompt_template") or ()
        for prompt in (prompts,) if isinstance(prompts, str) else prompts:
            for identifier, path, symbol in _SHOWN.findall(prompt):
                self.shown.setdefault((path, symbol), identifier)

    async def get_answer(self, response: Mapping[str, Any], call: Call) -> Any:
        """Return the scripted answer to the prompt, or prompts, of this response.

        Args:
            response: has the prompts; each begins with the task that it is for.
            call: calls a tool, to find a chunk that no response has named.
        """
        recorded = self.recorded[response["phase"]]
        if isinstance(response["prompt_template"], list):
            tasks = [_TASK.match(prompt) for prompt in response["prompt_template"]]
            return [await self._filled(recorded[task[1]], call) for task in tasks if task]
        return await self._filled(recorded, call)

    async def _filled(self, answer: Mapping[str, Any], call: Call) -> dict[str, Any]:
        citations = [await self._id(citation, call) for citation in answer.get("citations", ())]
        return {**answer, **({"citations": citations} if citations else {})}

    async def _id(self, citation: str, call: Call) -> str:
        match = _PLACEHOLDER.match(citation)
        if match is None:
            return citation
        path, symbol = match[1], match[2] or ""
        for (seen_path, seen_symbol), identifier in self.shown.items():
            if seen_path == path and symbol in {"", seen_symbol}:
                return identifier
        found = await call("aurora_search", {"query": symbol or path, "path": path, "limit": 5})
        hits = sorted(found["hits"], key=lambda hit: hit.get("symbol", "") != symbol)
        if not hits:
            raise LookupError(f"{citation}: no such chunk in this tree: update examples/demo_answers.yaml")
        return str(hits[0]["id"])


def _chunks(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a result that is a pointer to a chunk."""
    if isinstance(value, dict):
        if isinstance(value.get("id"), str) and "path" in value:
            yield value
        for inner in value.values():
            yield from _chunks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _chunks(inner)
