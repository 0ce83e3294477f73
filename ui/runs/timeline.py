"""Timeline of a run: each step with the time that the assistant and Aurora took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.ui.web import describe_duration

from .state import State, describe_step_state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory import StepRow

_SHOWN = 100
"""Steps of one page of a timeline."""
_THOUGHT = 0.5
"""Seconds between two steps from which on the time is shown."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Step in the timeline.

    Attributes:
        seq: its number.
        phase: its phase.
        kind: what it records besides a phase, as `answer`.
        state: its state.
        waited: the time before it, in which the assistant or the person thought; empty for none.
        took: the time that the phase took.
        asks: `prompt`, `person`, or empty.
    """

    seq: int
    phase: str
    kind: str
    state: State
    waited: str
    took: str
    asks: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Page of a timeline, with the steps before and after it.

    Attributes:
        entries: its steps.
        earlier: the number of steps before them.
        later: the number of steps after them.
        worked: the time that all steps of the run took together.
        whole: the time from the beginning of the first to the end of the last.
    """

    entries: Sequence[TimelineEntry]
    earlier: int
    later: int
    worked: str
    whole: str


def build_timeline(steps: Sequence[StepRow], chosen: int) -> Timeline:
    """Build the part of the timeline around a step, or the last part without one."""
    at = (chosen or len(steps)) - 1
    first = max(min(at - _SHOWN // 2, len(steps) - _SHOWN), 0)
    last = min(first + _SHOWN, len(steps))
    entries = [_build_entry(steps, n) for n in range(first, last)]
    worked = sum(_read_duration(step.document) or 0.0 for step in steps)
    whole = _read_seconds(steps[-1]) - _read_seconds(steps[0]) if steps else 0.0
    whole += (_read_duration(steps[0].document) or 0.0) if steps else 0.0
    return Timeline(
        entries,
        first,
        len(steps) - last,
        describe_duration(worked) if worked > 0 else "",
        describe_duration(whole) if whole > worked + _THOUGHT else "",
    )


def _build_entry(steps: Sequence[StepRow], at: int) -> TimelineEntry:
    step, before = steps[at], steps[at - 1] if at else None
    kept: Mapping[str, Any] = step.document
    took = _read_duration(kept)
    waited = _read_seconds(step) - _read_seconds(before) - (took or 0.0) if before else 0.0
    asks = "" if kept.get("asks") is None else "person" if kept.get("status") == "waiting" else "prompt"
    return TimelineEntry(
        seq=step.seq,
        phase=step.phase,
        kind="" if kept.get("kind") in (None, "phase") else str(kept["kind"]),
        state=describe_step_state(_read_state(steps, at), kept.get("result")),
        waited=describe_duration(waited) if waited > _THOUGHT else "",
        took="" if took is None else describe_duration(took),
        asks=asks,
    )


def _read_state(steps: Sequence[StepRow], at: int) -> str:
    """Read the state of a step; of one that asks, whether it was answered, and how."""
    kept: Mapping[str, Any] = steps[at].document
    status = str(kept.get("status", ""))
    if at == len(steps) - 1:
        return "asking" if status == "complete" and kept.get("holds") else status
    answer: Mapping[str, Any] = steps[at + 1].document
    if status != "waiting" or answer.get("kind") != "answer":
        return status
    return "declined" if answer.get("status") == "declined" else "approved"


def _read_duration(kept: Mapping[str, Any]) -> float | None:
    """Read the seconds that a step took; None when its record does not say so."""
    duration = ((kept.get("response") or {}).get("metadata") or {}).get("duration_ms")
    return duration / 1000 if isinstance(duration, int | float) else None


def _read_seconds(step: StepRow) -> float:
    at = step.document.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
