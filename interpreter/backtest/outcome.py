"""What came of stepping a recorded run through another edition of its workflow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.run import Step

DivergenceKind = Literal["gone", "answer", "inputs", "result", "fails", "next_action"]
"""How a run parts from its recording.

`gone`: the phase is no longer there; `answer`, `inputs`, `result`: what was recorded does not fit any more; `fails`:
its prompt, its rules or its error route fail now; `next_action`: another edge is taken.
"""

NoteKind = Literal["start", "tool", "unknown", "arguments", "prompt", "unasked", "dropped"]
"""What changed without parting the ways.

`start`: the run began at another phase than the workflow does now; `tool`: the result was made by another tool, or with
other settings; `unknown`: it may have been, for the recording does not tell; `arguments`: the tool was given other
values; `prompt`: the answer was given to another prompt; `unasked`: an answer is no longer asked for; `dropped`: the
caller passed an input that the phase no longer takes.
"""


@dataclass(frozen=True, slots=True)
class TakenEdge:
    """An edge as it was taken.

    Attributes:
        token: a phase, an alias or `end`; empty when it leads nowhere.
        rule: its index in the phase, from 0; None when `on_error` led there.
        when: the rule's condition; empty when it has none.
        spent: its bound was used up, and its `else` was taken.
        early_exit: the host is told that the rest is not needed.
    """

    token: str
    rule: int | None = None
    when: str = ""
    spent: bool = False
    early_exit: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a run first parts from its recording.

    Attributes:
        kind: how.
        step: the number of the step, from 1.
        phase: the phase as the edited workflow calls it; as the recording does where it is gone.
        loc: where the edited workflow says what decides, as a path in its document.
        old, new: the edges, where these differ.
        values: by path, the values of the parts of the conditions that decided.
        faults: what does not fit, `{path, message}` each.
    """

    kind: DivergenceKind
    step: int
    phase: str
    loc: tuple[str | int, ...] = ()
    old: TakenEdge | None = None
    new: TakenEdge | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Something that changed, at a step that still goes where it went; `name` is an input's, where it is about one."""

    kind: NoteKind
    step: int
    phase: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """One run: how many of its steps go as they went, where it parts, and what changed on the way."""

    run: str
    matching_steps: int
    steps: int
    divergence: Divergence | None
    notes: tuple[Note, ...]


class DivergedError(Exception):
    """Carries the divergence to whoever replays."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.kind)
        self.divergence = divergence


def read_recorded_edge(step: Step) -> TakenEdge:
    """The edge that a recorded step took, as its decision tells it."""
    edge = step.edge
    if edge is None:
        return TakenEdge("")
    fired = step.decision[-1] if step.decision and edge.rule is not None else {}
    return TakenEdge(edge.token, edge.rule, str(fired.get("when", "")), edge.spent, edge.early_exit)
