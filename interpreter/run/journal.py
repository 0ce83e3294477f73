"""Records of a run: frozen values that the journal stores as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Edge:
    """The transition that a step decided.

    Attributes:
        token: what `next_action` shows: a phase, an alias, or `end`.
        target: the phase that the token names, or None at the end.
        rule: the index of the rule in its phase, from 0; None when `on_error` led here.
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
    """One phase call of a run.

    Attributes:
        seq: its number in the run, from 1.
        key: the idempotency key of the call.
        given: the inputs that the caller passed.
        inputs: the inputs that the phase ran with.
        brought: the answer to the previous step, as a one-element tuple; empty if none was due.
        result: the tool's result; None without a tool.
        asks: the number of answers to the prompt: None without a prompt, 0 for a single answer, n for one per item.
        status: `complete` or `error`.
        edge: the transition; None after a failure without `on_error`.
        response: the response, which a repeated call returns again.
        at: seconds since 1970.
        fingerprint: the hash of the phase when it ran (`Definition.fingerprint_phase`).
        tool: the hash of its tool and settings (`fingerprint_tool`); empty without one, and in older records.
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

    @property
    def awaits_answer(self) -> bool:
        """True when the host must answer this step's prompt."""
        return self.asks is not None

    def to_json(self) -> dict[str, Any]:
        """Convert to the JSON of the journal, without copying the values."""
        values = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return {**values, "edge": asdict(self.edge) if self.edge else None}

    def to_scope(self, answer: tuple[Any, ...]) -> dict[str, Any]:
        """Convert to the scope of expressions, with the answer to this step."""
        return {
            "inputs": dict(self.inputs),
            "result": self.result,
            "answer": answer[0] if answer else None,
            "status": self.status,
            "error": self.response.get("error"),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Step:
        """Create the step from the journal's JSON."""
        edge = data["edge"]
        return cls(
            **{
                **data,
                "edge": Edge(**edge) if edge else None,
                "brought": tuple(data["brought"]),
                "decision": tuple(data["decision"]),
            }
        )


class RunHistory(NamedTuple):
    """Inputs and results of the steps, as expressions see them.

    Attributes:
        inputs: the inputs that callers passed so far, by name.
        phases: the last visit of each phase.
        visits: the number of visits of each phase.
    """

    inputs: dict[str, Any]
    phases: dict[str, dict[str, Any]]
    visits: dict[str, int]

    def add_step(self, step: Step, answer: tuple[Any, ...]) -> RunHistory:
        """Return the history with one more step and the answer to it."""
        return RunHistory(
            {**self.inputs, **step.given},
            self.phases | {step.phase: step.to_scope(answer)},
            self.visits | {step.phase: self.visits.get(step.phase, 0) + 1},
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a workflow.

    Attributes:
        run: its id; empty for a call that is not stored.
        workflow, version, digest: the definition that it started with.
        forked_from: the run and step that it forked from, `run:step`; empty for other runs.
        settled_history: the history of all steps but the last, cached so that a long run is not read again for each
            step.
    """

    run: str
    workflow: str
    version: str
    digest: str
    forked_from: str = ""
    steps: tuple[Step, ...] = ()
    settled_history: RunHistory | None = field(default=None, repr=False, compare=False)

    @property
    def last_step(self) -> Step | None:
        """The newest step."""
        return self.steps[-1] if self.steps else None

    @property
    def expected_phase(self) -> str | None:
        """The phase that may come next; None at the end, or before the first step."""
        return self.last_step.edge.target if self.last_step and self.last_step.edge else None

    def with_step(self, step: Step) -> Run:
        """Return the run with one more step."""
        settled = None if self.settled_history is None else self.collect_history(step.brought)
        return replace(self, steps=(*self.steps, step), settled_history=settled)

    def rewind_before(self, seq: int) -> Run:
        """Return the run as it was before step `seq`."""
        return replace(self, steps=self.steps[: seq - 1], settled_history=None)

    def collect_history(self, brought: tuple[Any, ...] = ()) -> RunHistory:
        """Collect the inputs and results of all steps.

        Args:
            brought: the new answer to the last step, as a one-element tuple.
        """
        if self.last_step is None:
            return RunHistory({}, {}, {})
        settled = self.settled_history
        if settled is None:
            settled = RunHistory({}, {}, {})
            for step, following in pairwise(self.steps):
                settled.inputs.update(step.given)
                settled.phases[step.phase] = step.to_scope(following.brought)
                settled.visits[step.phase] = settled.visits.get(step.phase, 0) + 1
            object.__setattr__(self, "settled_history", settled)  # a cache in a frozen value
        return settled.add_step(self.last_step, brought)

    def count_taken(self, phase: str, rule: int) -> int:
        """Count how often the run took this edge."""
        return sum(
            1
            for step in self.steps
            if step.phase == phase and step.edge and step.edge.rule == rule and not step.edge.spent
        )

    def to_head(self) -> dict[str, Any]:
        """Convert to the journal's JSON of a run without its steps."""
        last = self.last_step
        return {
            "run": self.run,
            "workflow": self.workflow,
            "version": self.version,
            "digest": self.digest,
            "forked_from": self.forked_from,
            "status": _derive_status(last),
            "phase": last.phase if last else None,
            "next": last.edge.token if last and last.edge else None,
        }

    @classmethod
    def from_head(cls, head: Mapping[str, Any], steps: tuple[Step, ...]) -> Run:
        """Create the run from the journal's JSON and its steps."""
        fields = ("run", "workflow", "version", "digest", "forked_from")
        return cls(**{name: head[name] for name in fields}, steps=steps)


def _derive_status(last: Step | None) -> str:
    if last is None:
        return "begun"
    if last.edge is None:
        return "failed"
    return "ended" if last.edge.target is None else "open"
