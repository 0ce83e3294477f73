"""Run: the steps of one workflow, in order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.language.model import CONTINUE

from .step import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.interpreter.language.model import Workflow

    from .step import Step

MAX_OUTCOME = 40
"""Limit in characters for what a run reached, in its head."""


ROUNDS = "rounds:"
"""Beginning of what `run` has in place of an id where no run is stored, and a loop was taken."""


MAX_QUESTION = 200
"""Limit in characters for the question in the head of a run."""


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
        # A rule whose limit is reached takes its `else`: that is not one more round of it.
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
        # A skipped phase has no result of an earlier round: whoever reads it gets the default, not an old answer.
        if step.status == "skipped":
            self._keep_lists(step.phase)
            self.phases = {**self.phases, step.phase: {**_UNVISITED, "status": "skipped", "visits": count}}
            return
        before, count = self._find_lists(step.phase), count + 1
        # New dictionaries instead of changed ones: scopes that were given out before stay what they were.
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


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a workflow.

    Attributes:
        run: its id; empty for a call that is not stored.
        workflow, version, digest: the definition that it started with.
        forked_from: the run and step that it forked from, `run:step`; empty for other runs.
        seed: the inputs that another workflow gives to this one.
        tokens: those of the responses of its steps, each counted once.
        budget: the tokens that its workflow allows; None without a budget.
        origin: the branch and the linked worktree in which it began, as far as it has them.
        settled_history: the history of the first steps, cached so that a long run is not read again for each step.
        rounds: how often calls before took each rule with a `max`, by phase and index of the rule; only without a
            stored run, whose steps say so.
        inner_runs: the walks within its phases, as far as the steps but the last one contain them, for the same reason.
    """

    run: str
    workflow: str
    version: str
    digest: str
    forked_from: str = ""
    steps: tuple[Step, ...] = ()
    seed: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 0
    budget: int | None = None
    origin: Mapping[str, str] = field(default_factory=dict)
    rounds: Mapping[tuple[str, int], int] = field(default_factory=dict)
    settled_history: RunHistory | None = field(default=None, repr=False, compare=False)
    inner_runs: Mapping[str, InnerRun] = field(default_factory=dict, repr=False, compare=False)

    @property
    def last_step(self) -> Step | None:
        """The newest step."""
        return self.steps[-1] if self.steps else None

    @property
    def expected_phase(self) -> str | None:
        """The phase that may come next.

        None at the end, before the first step, and where `continue` brings an answer.
        """
        last = self.last_step
        if last is None or last.edge is None or last.holds or last.is_within:
            return None
        return last.edge.target

    @property
    def is_open(self) -> bool:
        """True while something can come next."""
        last = self.last_step
        return last is not None and (last.holds or last.is_within or self.expected_phase is not None)

    def with_step(self, step: Step) -> Run:
        """Return the run with one more step."""
        return self.with_steps((step,))

    def with_steps(self, steps: Iterable[Step]) -> Run:
        """Return the run with more steps."""
        settled, added = self.settled_history, tuple(steps)
        return replace(
            self,
            steps=(*self.steps, *added),
            tokens=self.tokens + sum(step.tokens for step in added),
            settled_history=settled.copy() if settled else None,
        )

    def rewind_before(self, seq: int) -> Run:
        """Return the run as it was before step `seq`."""
        # The caches belong to steps that are gone now.
        kept = self.steps[: seq - 1]
        tokens = sum(step.tokens for step in kept)
        return replace(self, steps=kept, tokens=tokens, settled_history=None, inner_runs={})

    def find_inner(self, phase: str) -> InnerRun | None:
        """Find the newest walk of the workflow of a phase; None when the run has not entered the phase."""
        last = self.last_step
        if last is None:
            return None
        settled = self._extend_inner(phase, self._find_settled_inner(phase), len(self.steps) - 1)
        # Without it each step of a run of 10,000 would read all before it, and the run take the square of its length.
        if settled is not None:  # of all steps but the last one, which a walk may still replace
            settled.run.collect_history()
            within, _, deeper = last.phase.removeprefix(f"{phase}{SEPARATOR}").partition(SEPARATOR)
            if deeper:
                settled.run.find_inner(within)
            object.__setattr__(self, "inner_runs", {**self.inner_runs, phase: settled})  # a cache in a frozen value
        return self._extend_inner(phase, settled, len(self.steps))

    def _find_settled_inner(self, phase: str) -> InnerRun | None:
        """Find the cached walk, if it is one of this run's first steps."""
        known = self.inner_runs.get(phase)
        if known is None or known.length >= len(self.steps) or self.steps[known.length - 1] is not known.last:
            return None
        return known

    def _extend_inner(self, phase: str, known: InnerRun | None, length: int) -> InnerRun | None:
        """Extend a walk by the steps up to this number; one that begins meanwhile replaces it."""
        prefix, found = f"{phase}{SEPARATOR}", known
        own: list[Step] = []
        for step in self.steps[known.length if known is not None else 0 : length]:
            if step.kind == "enter" and step.phase == phase:
                begun = step if found is None or step.index == 0 else found.begun
                seed = step.given if step.arguments is None else step.arguments
                found, own = InnerRun(begun, step, Run(self.run, "", "", "", seed=seed), length, step), []
            elif step.phase.startswith(prefix):
                # The workflow knows its phases by their own names, as if it ran alone.
                own.append(replace(step, phase=step.phase[len(prefix) :]))
        if found is None:
            return None
        return replace(found, run=found.run.with_steps(own), length=length, last=self.steps[length - 1])

    def collect_history(self, brought: tuple[Any, ...] = ()) -> RunHistory:
        """Collect the inputs and results of all steps.

        Args:
            brought: the new answer to the last step, as a one-element tuple.
        """
        settled = self.settled_history or RunHistory.start(self.seed)
        for step in self.steps[settled.length :]:
            settled.add_step(step)
        object.__setattr__(self, "settled_history", settled)  # a cache in a frozen value
        return settled.with_answer(brought) if brought else settled

    def count_taken(self, phase: str, rule: int) -> int:
        """Count how often the run took this edge."""
        return self.collect_history().taken.get((phase, rule), 0) + self.rounds.get((phase, rule), 0)

    def name_rounds(self, flow: Workflow) -> str:
        """Name the rounds of a run that is not stored, for its next call; empty without any.

        The check at the end belongs to the numbers and the workflow, so that a caller does not change one unnoticed.
        """
        # Without a stored run the next call carries the counts, or its loops would have no bound.
        keys = sorted({*self.collect_history().taken, *self.rounds})
        counted = [
            f"{phase}.{rule + 1}={self.count_taken(phase, rule)}"
            for phase, rule in keys
            if flow.phases[phase].next_action[rule].max is not None
        ]
        return f"{ROUNDS}{(text := ','.join(counted))}:{_check_rounds(text, self.digest)}" if counted else ""

    def find_asking_step(self) -> Step | None:
        """Find the step whose prompts the last step goes on with: the phase of a series of answers."""
        last = self.last_step
        if last is None or last.kind == "phase":
            return last
        return self.collect_history().newest.get(last.phase)

    @property
    def status(self) -> str:
        """Its state: `begun`, `open`, `waiting`, `ended`, or `failed` when no `on_error` took an error."""
        return _derive_status(self.last_step)

    def to_head(self) -> dict[str, Any]:
        """Convert to the journal's JSON of a run without its steps."""
        last = self.last_step
        question = find_question(self.steps[0].given if self.steps else {})
        output = next((step.output for step in self.steps[-1:] if "/" not in step.phase), None)
        return {
            "run": self.run,
            "workflow": self.workflow,
            "version": self.version,
            "digest": self.digest,
            "forked_from": self.forked_from,
            "status": self.status,
            **({"question": question} if question else {}),
            "phase": last.phase if last else None,
            "next": _name_next(last),
            "tokens": self.tokens,
            **({"budget": self.budget} if self.budget is not None else {}),
            **({"origin": dict(self.origin)} if self.origin else {}),
            **({"output": output} if output is not None else {}),
            **({"outcome": outcome} if (outcome := _find_outcome(self.status, last, output)) else {}),
        }

    @classmethod
    def from_head(cls, head: Mapping[str, Any], steps: tuple[Step, ...]) -> Run:
        """Create the run from the journal's JSON and its steps."""
        fields = ("run", "workflow", "version", "digest")
        cost = {"tokens": head.get("tokens", 0), "budget": head.get("budget")}
        return cls(
            **{name: head[name] for name in fields},
            **cost,
            forked_from=head["forked_from"] or "",
            origin=head.get("origin") or {},
            steps=steps,
        )


def _check_rounds(text: str, digest: str) -> str:
    return hashlib.sha256(f"{text} {digest}".encode()).hexdigest()[:12]


def find_question(given: Mapping[str, Any]) -> str:
    """Find the question of a run: the longest text among the inputs that begin it, shortened to one line."""
    texts = [" ".join(value.split()) for value in given.values() if isinstance(value, str)]
    question = max(texts, key=len, default="")
    if len(question) <= MAX_QUESTION:
        return question
    return f"{question[: MAX_QUESTION - 1].rpartition(' ')[0]}…"  # whole words: part of a secret is not recognized


def _derive_status(last: Step | None) -> str:
    if last is None:
        return "begun"
    if last.holds:
        return "waiting" if last.status == "waiting" else "open"
    if last.is_within:
        return "open"
    if last.edge is None:
        return "failed"
    if last.edge.target is not None:
        return "open"
    has_route = any(entry.get("reason") == "on_error" for entry in last.decision)
    # Without `on_error`, a step that failed and yet leads to the end is the last, whose workflow has a wrong output.
    return "failed" if last.status == "error" and not has_route else "ended"


def _find_outcome(status: str, last: Step | None, output: Mapping[str, Any] | None) -> str:
    """Find what an ended run reached: the `status` of its output or last result."""
    if status != "ended" or last is None:
        return ""
    reached = output if output is not None and "status" in output else last.result
    found = reached.get("status") if isinstance(reached, dict) else None
    return found if isinstance(found, str) and len(found) <= MAX_OUTCOME else ""


def _name_next(last: Step | None) -> str | None:
    if last is None:
        return None
    if last.holds or last.is_within:
        return CONTINUE
    return last.edge.token if last.edge else None


@dataclass(frozen=True, slots=True)
class InnerRun:
    """Walk of a phase's workflow, as far as some first steps of a run contain it.

    Attributes:
        begun: the step that began the phase: the walk for its first item, or the only one.
        entered: the step that began the newest walk.
        run: the walk's own steps, by the names of its own phases.
        length: the number of the first steps.
        last: the last of them, by which another run with other steps is recognized.
    """

    begun: Step
    entered: Step
    run: Run
    length: int
    last: Step


def read_rounds(name: str, digest: str) -> dict[tuple[str, int], int]:
    """Read what `Run.name_rounds` has named.

    Args:
        name: the `run` of a call.
        digest: that of the workflow.

    Raises:
        Fault: CONFLICT for rounds of an edited workflow, and for any that were changed.
    """
    text, _, check = name.removeprefix(ROUNDS).partition(":")
    if check != _check_rounds(text, digest):
        message = "the rounds that this call names are not those of a next_call, or the workflow was edited since"
        raise Fault(Code.CONFLICT, message, help="send next_call unchanged, or begin again without `run`")
    parts = [part.replace(".", "=").split("=") for part in text.split(",")]
    return {(phase, int(rule) - 1): int(count) for phase, rule, count in parts}
