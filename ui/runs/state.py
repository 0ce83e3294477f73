"""States of runs and steps as text, sign and colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class State:
    """State as the page shows it; the sign has a shape of its own, so that no colour is needed."""

    name: str
    text: str
    sign: str


RUN_STATES = {
    "waiting": State("waiting", "waits for you", "◆"),
    "open": State("open", "open", "◐"),
    "ended": State("ended", "ended", "✓"),
    "failed": State("failed", "failed", "✕"),
    "damaged": State("failed", "damaged", "!"),
    "begun": State("open", "begun", "○"),
}
STOPPED = frozenset({"partial", "stopped"})
"""What a run reached that ended without a whole answer; so does a word that begins with `not_`."""
STEP_STATES = {
    "complete": State("ended", "complete", "✓"),
    "error": State("failed", "failed", "✕"),
    "skipped": State("skipped", "skipped", "»"),
    "waiting": State("waiting", "waits for you", "◆"),
    "approved": State("ended", "approved", "✓"),
    "asking": State("open", "waits for the assistant's answer", "◐"),
    "declined": State("failed", "declined", "✕"),
}


def describe_run_state(head: Mapping[str, Any]) -> State:
    """Describe the state of a run: of one that reached no whole answer, by its own word."""
    status = str(head.get("status", "open"))
    if status == "ended" and (stopped := _describe_outcome(head.get("outcome"))):
        return stopped
    return RUN_STATES.get(status, State("open", status[:20], "○"))


def describe_step_state(status: object, result: object = None) -> State:
    """Describe the state of a step, whose result may tell that no whole answer was reached."""
    if status == "complete" and isinstance(result, dict) and (stopped := _describe_outcome(result.get("status"))):
        return stopped
    return STEP_STATES.get(str(status), State("open", str(status)[:20], "○"))


def _describe_outcome(outcome: object) -> State | None:
    """Describe what was reached, where it is not what was wanted."""
    if not isinstance(outcome, str) or not (outcome in STOPPED or outcome.startswith("not_")):
        return None
    return State("stopped", outcome.replace("_", " ")[:40], "■")
