"""History of a run: inputs, results and answers of its steps, as expressions read them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .step import Step


_UNVISITED: Mapping[str, Any] = {
    "inputs": None,
    "result": None,
    "results": [],
    "answer": None,
    "answers": [],
    "status": None,
    "error": None,
    "visits": 0,
}
"""What is read of a phase whose last visit was skipped, but for `status` and `visits`."""


@dataclass(slots=True)
class RunHistory:
    """History that grows step by step; what it gave out before does not change.

    Attributes:
        inputs: the inputs that callers passed so far, by name.
        phases: the last visit of each phase, with the results and answers of all visits.
        visits: the number of visits of each phase.
        newest: the newest step of each phase that is not only an answer.
        taken: how often the run took each rule of a phase before its limit, by phase and index of the rule.
        length: the number of steps it has.
    """

    inputs: dict[str, Any]
    phases: dict[str, dict[str, Any]] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    newest: dict[str, Step] = field(default_factory=dict)
    taken: dict[tuple[str, int], int] = field(default_factory=dict)
    length: int = 0
    _asking: Step | None = None
    _before_skip: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def start(cls, seed: Mapping[str, Any]) -> RunHistory:
        """Return the history before the first step."""
        return cls(dict(seed))

    def add_step(self, step: Step) -> None:
        """Add a step, and the answer to the step before that it brings."""
        self.length += 1
        if "/" in step.phase:
            return  # of the workflow of a phase, which has a history of its own
        if step.edge is not None and step.edge.rule is not None and not step.edge.spent:
            rule = (step.phase, step.edge.rule)
            self.taken = {**self.taken, rule: self.taken.get(rule, 0) + 1}
        if step.brought:
            self.phases = self._add_answer(step.brought[0])
        if step.kind == "answer" and step.status in ("declined", "error"):
            failed = {"status": step.status, "error": step.error or None}
            self.phases = {**self.phases, step.phase: {**self.phases[step.phase], **failed}}
        if step.kind == "phase":
            self.newest = {**self.newest, step.phase: step}
            self._add_visit(step)
        if step.kind == "phase" or step.awaits_answer:
            self._asking = step

    def with_answer(self, brought: tuple[Any, ...]) -> RunHistory:
        """Return the history with a new answer to the last step."""
        phases = self._add_answer(brought[0])
        return replace(self, phases=phases)

    def copy(self) -> RunHistory:
        """Return a history that grows by itself; the values are shared, because no change alters them."""
        return replace(self)

    def _add_visit(self, step: Step) -> None:
        count = self.visits.get(step.phase, 0)
        if step.status == "skipped":
            self._keep_lists(step.phase)
            self.phases = {**self.phases, step.phase: {**_UNVISITED, "status": "skipped", "visits": count}}
            return
        before, count = self._find_lists(step.phase), count + 1
        self.inputs = {**self.inputs, **step.given}
        self.visits = {**self.visits, step.phase: count}
        entry = {
            "inputs": dict(step.inputs),
            "result": step.result,
            "results": [*before["results"], step.result],
            "answer": step.settled[0] if step.settled else None,
            "answers": [] if step.asks or step.settled else before["answers"],
            "status": step.status,
            "error": step.error or step.response.get("error"),
            "visits": count,
        }
        self.phases = {**self.phases, step.phase: entry}

    def _find_lists(self, phase: str) -> Mapping[str, Any]:
        """Find the record with the results and answers of the visits of a phase before this one."""
        entry = self.phases.get(phase, _UNVISITED)
        return self._before_skip.get(phase, _UNVISITED) if entry["status"] == "skipped" else entry

    def _keep_lists(self, phase: str) -> None:
        """Keep the results and answers of a phase that is skipped, for the visit after that."""
        self._before_skip = {**self._before_skip, phase: self._find_lists(phase)}

    def _add_answer(self, answer: Any) -> dict[str, dict[str, Any]]:
        """Return the phases with an answer, or with the next part of one."""
        step = self._asking
        if step is None or step.phase not in self.phases:
            return self.phases
        entry = {**self.phases[step.phase], "status": "complete"}
        if step.asks:
            answers = [*(entry["answer"] or ()), *answer]
            entry = {**entry, "answer": answers, "answers": answers}
        elif step.branches:
            whole = {**(entry["answer"] or {}), **answer}
            former = entry["answers"][:-1] if entry["answer"] else entry["answers"]
            entry = {**entry, "answer": whole, "answers": [*former, whole]}
        else:
            entry = {**entry, "answer": answer, "answers": [*entry["answers"], answer]}
        return {**self.phases, step.phase: entry}
