"""Scripted model in the place of a host's own: it shows that a comparison works, and answers nothing by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hosts.model import Script, ScriptedModel

from .folders import WITH

if TYPE_CHECKING:
    from hosts.dialects import Move, Turn

    from .questions import Question

_IN_RESULT = re.compile(r'"path": ?"([^"]+)", ?"lines": ?"(\d+)')
_IN_PROMPT = re.compile(r"^code:\S+ ([^\s:]+):(\d+)", re.MULTILINE)


class PointingModel(ScriptedModel):
    """A model that follows the workflow, and names the first place that it was shown."""

    def conclude(self, words: str) -> str:
        """Write the answer."""
        for seen in (one.seen for one in self.sightings if one.seen):
            for pattern, text in ((_IN_RESULT, seen.text), *((_IN_PROMPT, prompt) for prompt in seen.prompts)):
                if hit := pattern.search(text):
                    return f"{words}\nPLACE: {hit[1]}:{hit[2]}"
        return words


class IgnorantModel(ScriptedModel):
    """A model that calls no tool."""

    def move(self, turn: Turn, size: int) -> Move:
        """Decide the next move."""
        del turn, size
        return "I do not know."


def make_model(arm: str, question: Question) -> ScriptedModel:
    """Make the model of a session."""
    script = Script(question.ask)
    return PointingModel(script) if arm == WITH else IgnorantModel(script)
