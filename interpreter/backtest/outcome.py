"""Results of a backtest: the first divergence of a run, and notes on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.run.step import Step

DivergenceKind = Literal["gone", "answer", "inputs", "result", "fails", "next_action"]
"""The kind of a divergence.

`gone`: the phase no longer exists; `answer`, `inputs`, `result`: a recorded value no longer fits its schema;
`fails`: the prompt, the rules or the error route fail now; `next_action`: the step takes another edge.
"""

NoteKind = Literal["start", "tool", "unknown", "arguments", "prompt", "unasked", "dropped"]
"""The kind of a change that keeps the edge.

`start`: the run began at another phase than the workflow does now; `tool`: another tool, or other settings, made
the result; `unknown`: that may be so, but the recording lacks the data; `arguments`: the tool got other values;
`prompt`: the answer was given to another prompt; `unasked`: the answer is no longer requested; `dropped`: the
caller passed an input that the phase no longer takes.
"""


@dataclass(frozen=True, slots=True)
class TakenEdge:
    """An edge as the run took it.

    Attributes:
        token: a phase, an alias or `end`; empty when there is no target.
        rule: its index in the phase, from 0; None when `on_error` led there.
        when: the rule's condition; empty when it has none.
        spent: its bound was used up, and its `else` was taken.
        early_exit: the response says that the remaining phases are not needed.
    """

    token: str
    rule: int | None = None
    when: str = ""
    spent: bool = False
    early_exit: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first point at which a run differs from its recording.

    Attributes:
        kind: the kind of the divergence.
        step: the number of the step, from 1.
        phase: the phase's id in the edited workflow; in the recording where it is gone.
        loc: the path in the edited document to what decides.
        old, new: the two edges, where they differ.
        values: by path, the values of the parts of the conditions that decided.
        faults: the values that do not fit, as `{path, message}`.
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
    """A change at a step that keeps its edge; `name` is that of an input, if any."""

    kind: NoteKind
    step: int
    phase: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class BacktestResult:
    """The backtest of one run: matching steps, the divergence, and notes."""

    run: str
    matching_steps: int
    steps: int
    divergence: Divergence | None
    notes: tuple[Note, ...]


class DivergedError(Exception):
    """The end of a replay; carries the divergence."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.kind)
        self.divergence = divergence


def read_recorded_edge(step: Step) -> TakenEdge:
    """Read the edge that a recorded step took from its decision."""
    edge = step.edge
    if edge is None:
        return TakenEdge("")
    fired = step.decision[-1] if step.decision and edge.rule is not None else {}
    return TakenEdge(edge.token, edge.rule, str(fired.get("when", "")), edge.spent, edge.early_exit)
