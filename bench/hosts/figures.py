"""Figures of one walk, and their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.tokens import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from .model import ScriptedModel, Sighting


@dataclass(frozen=True, slots=True)
class Figures:
    """What one walk cost, and how it ended.

    Attributes:
        host: name of the host.
        walk: name of the walk.
        calls: calls of Aurora's tools.
        tokens: of all results, as the host shows them.
        evidence: share of the results' characters that is material from the project.
        turns: requests of the host to its model.
        sent: tokens of these requests.
        again: tokens of them that an earlier request had, too: all but those of the largest.
        truncated: results that the host or Aurora cut.
        refused: mistakes that Aurora answered by an error that says what is wrong and what to do.
        refused_by_host: mistakes that the host found itself, by the input schema.
        mistakes: titles of all other mistakes.
        steps: steps of the run in the journal.
        is_finished: True if the journal has the run's end, and the model has read it.
        last_words: what the model said at the end.
    """

    host: str
    walk: str
    calls: int
    tokens: int
    evidence: float
    turns: int
    sent: int
    again: int
    truncated: int
    refused: int
    refused_by_host: int
    mistakes: tuple[str, ...]
    steps: int
    is_finished: bool
    last_words: str

    @property
    def is_good(self) -> bool:
        """True for a finished walk that cut nothing and explained every mistake."""
        return self.is_finished and not self.truncated and not self.mistakes


def count_figures(host: str, walk: str, model: ScriptedModel, run: dict[str, Any]) -> Figures:
    """Count the figures of a finished walk."""
    seen = [sighting.seen for sighting in model.sightings if sighting.seen]
    made = [sighting for sighting in model.sightings if sighting.mistake]
    characters = sum(len(one.text) for one in seen)
    by_host = sum(one.seen is not None and one.seen.is_refused_by_host for one in made)
    refused = sum(_is_explained(one) for one in made) - by_host
    return Figures(
        host=host,
        walk=walk,
        calls=len(model.sightings),
        tokens=characters // CHARACTERS_PER_TOKEN,
        evidence=sum(one.evidence for one in seen) / max(1, characters),
        turns=len(model.sent),
        sent=sum(model.sent) // CHARACTERS_PER_TOKEN,
        again=(sum(model.sent) - max(model.sent, default=0)) // CHARACTERS_PER_TOKEN,
        truncated=sum(one.is_truncated for one in seen),
        refused=refused,
        refused_by_host=by_host,
        mistakes=tuple(one.mistake.title for one in made if one.mistake and not _is_explained(one)),
        steps=int(run.get("total_steps", 0)),
        is_finished=run.get("status") == "ended" and model.last_words == "done",
        last_words=model.last_words,
    )


def _is_explained(sighting: Sighting) -> bool:
    seen = sighting.seen
    if seen is None:
        return False
    asks_again = bool(seen.prompts) and "answer" not in sighting.call.arguments  # `continue` repeats the prompt
    return seen.is_readable_error or seen.is_refused_by_host or asks_again


HEADINGS = (
    "host",
    "walk",
    "calls",
    "steps",
    "tokens",
    "evidence",
    "turns",
    "sent",
    "again",
    "truncated",
    "errors",
    "end",
)


def format_row(figures: Figures) -> tuple[str, ...]:
    """Format the figures as a row of the table."""
    total = figures.refused + figures.refused_by_host + len(figures.mistakes)
    explained = str(figures.refused) + (f"+{figures.refused_by_host}" if figures.refused_by_host else "")
    end = "finished" if figures.is_finished else f"NOT FINISHED: {figures.last_words or 'the model was not asked'}"
    if figures.mistakes:
        end += f"; not explained: {', '.join(figures.mistakes)}"
    return (
        figures.host,
        figures.walk,
        str(figures.calls),
        str(figures.steps),
        f"{figures.tokens:,}",
        f"{figures.evidence:.0%}",
        str(figures.turns),
        f"{figures.sent:,}",
        f"{figures.again:,}",
        str(figures.truncated),
        f"{explained}/{total}" if total else "-",
        end,
    )
