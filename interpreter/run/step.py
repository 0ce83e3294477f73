"""Steps of a run: frozen values that the journal stores as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

SEPARATOR = "/"
"""Between the phase that runs a workflow and a phase of that workflow, in the name of a step's phase."""
StepKind = Literal["phase", "answer", "enter"]
"""A phase that ran, an answer that had a call of its own, or the beginning of a walk of another workflow."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The transition that a step decided.

    Attributes:
        token: what `next_action` shows: a phase, an alias, or `end`.
        target: the phase that the token names, or None at the end.
        rule: the index of the rule in its phase, from 0; None when `on_error` or another key than a rule led here.
        spent: True when the rule's `max` was reached and its `else` was taken.
        say, early_exit: those of the rule.
    """

    token: str
    target: str | None
    rule: int | None
    spent: bool = False
    say: str = ""
    early_exit: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One record of a run.

    Attributes:
        seq: its number in the run, from 1.
        phase: the phase; within the workflow of a phase, `phase/phase`.
        key: the idempotency key of the call; empty for the further steps of a call.
        given: the inputs that the caller passed.
        inputs: the inputs that the phase ran with.
        brought: the answer to the previous step, as a one-element tuple; empty if none was due.
        result: the tool's result; None without a tool.
        asks: the number of answers to the prompt: None without a prompt, 0 for a single answer, n for one per item.
        status: `complete`, `error`, or `skipped` because the phase's `when` was false.
        edge: the transition; None after a failure without `on_error`, and as long as an answer decides it.
        response: the response, which a repeated call returns again; only in the first step of a call.
        at: seconds since 1970.
        fingerprint: the hash of the phase when it ran (`Definition.fingerprint_phase`).
        tool: the hash of its tool and settings (`fingerprint_tool`); empty without one, and in older records.
        kind: what the step records.
        call: the number of the first step of its call; 0 in older records, where each step is a call.
        holds: whether `continue` brings the answer, in a step of its own.
        error: the failure, as JSON.
        settled: the answer, as a one-element tuple, when there was nothing to ask.
        items: the items of a `for_each` that takes several responses.
        index: the index of the first item that this step asks about, or of the item that an `enter` is for.
        branches: the branches that it asks about.
        by: who gave the answer, and how, when it was a person.
        output: the output of the workflow that ends with this step.
        arguments: the inputs that an `enter` gives to its workflow; in older records `given` has them.
        defaults: the inputs that have their default; None in older records, which do not say so.
        tokens: the tokens of the response (`count_tokens` of its compact JSON); 0 without one, and in older records.
    """

    seq: int
    phase: str
    key: str
    given: Mapping[str, Any]
    inputs: Mapping[str, Any]
    brought: tuple[Any, ...]
    result: Any
    asks: int | None
    status: str
    edge: Edge | None
    decision: tuple[Mapping[str, Any], ...] = ()
    response: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0
    fingerprint: str = ""
    tool: str = ""
    kind: StepKind = "phase"
    call: int = 0
    holds: bool = False
    error: Mapping[str, Any] | None = None
    settled: tuple[Any, ...] = ()
    items: tuple[Any, ...] | None = None
    index: int = 0
    branches: tuple[str, ...] = ()
    by: Mapping[str, str] | None = None
    output: Mapping[str, Any] | None = None
    arguments: Mapping[str, Any] | None = None
    defaults: tuple[str, ...] | None = None
    tokens: int = 0

    @property
    def awaits_answer(self) -> bool:
        """True when the host, or the person, must answer this step."""
        return self.asks is not None

    @property
    def decides(self) -> bool:
        """True unless it only brings an answer, while the phase has decided before or asks on."""
        return self.kind == "phase" or (self.edge is not None and bool(self.decision))

    @property
    def is_within(self) -> bool:
        """True for a step of the workflow of a phase, and for the step that begins it."""
        return self.kind == "enter" or "/" in self.phase

    @property
    def first_of_call(self) -> int:
        """The number of the first step of the call that made this step."""
        return self.call or self.seq

    def to_inputs(self) -> dict[str, Any]:
        """Return the inputs of the phase that this step begins, as fields."""
        given = self.given if self.arguments is not None else {}  # older records have its arguments there
        return {"given": given, "inputs": self.inputs, "defaults": self.defaults}

    def to_json(self) -> dict[str, Any]:
        """Convert to the JSON of the journal, without copying the values."""
        values = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        kept = {name: value for name, value in values.items() if name not in _UNSET or value != _UNSET[name]}
        return {**kept, "edge": asdict(self.edge) if self.edge else None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Step:
        """Create the step from the journal's JSON."""
        edge = data["edge"]
        values = {**data, "edge": Edge(**edge) if edge else None}
        values |= {name: tuple(data[name]) for name in _TUPLES if data.get(name) is not None}
        return cls(**values)


_TUPLES = ("brought", "decision", "settled", "items", "branches", "defaults")
_OPTIONAL = (
    *("kind", "call", "holds", "error", "settled", "items", "index", "branches", "by", "output", "arguments"),
    *("defaults", "tokens"),
)
_UNSET: Mapping[str, Any] = {spec.name: spec.default for spec in fields(Step) if spec.name in _OPTIONAL}
"""Fields that a step's JSON leaves out at their default, as records of earlier versions do."""
