"""States of runs and steps as text, sign and colour."""

from __future__ import annotations

from dataclasses import dataclass


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
STEP_STATES = {
    "complete": State("ended", "complete", "✓"),
    "error": State("failed", "failed", "✕"),
    "skipped": State("skipped", "skipped", "»"),
    "waiting": State("waiting", "asked the person", "◆"),
    "declined": State("failed", "declined", "✕"),
}


def describe_run_state(status: object) -> State:
    """Describe the state of a run."""
    return RUN_STATES.get(str(status), State("open", str(status)[:20], "○"))


def describe_step_state(status: object) -> State:
    """Describe the state of a step."""
    return STEP_STATES.get(str(status), State("open", str(status)[:20], "○"))
