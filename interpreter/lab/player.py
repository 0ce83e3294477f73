"""Player of runs: the real engine, step by step, with prepared answers and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.interpreter.run.call import Call, PersonReply
from aurora.interpreter.run.engine import Engine
from aurora.interpreter.run.next_call import ADDRESS_ARGUMENTS, build_first_call
from aurora.interpreter.run.step import Edge, Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Workflow
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.ports import Toolbox, ToolCall, ToolFacts

SIMULATED_FAILURE = Fault(Code.UPSTREAM_ERROR, "simulated failure of the tool")
"""The failure of a tool on an error route; no caller can correct it."""


@dataclass(frozen=True, slots=True)
class StepChoice:
    """The values that host and tool bring to one step.

    Attributes:
        answer: the answer to the previous prompt, as a one-element tuple; empty when none is due.
        inputs: the inputs that the host passes by name.
        result: the result of the tool.
        fault: the failure instead of a result.
        real: whether the real tool runs instead.
        declines: whether the person declines to answer.
    """

    answer: tuple[Any, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    fault: Fault | None = None
    real: bool = False
    declines: bool = False


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a simulated run.

    Attributes:
        run: its history; None before the first step.
        response: the last response; before the first step, one that names the first call.
        pending_prompt: when no run is kept, the phase whose prompt waits for an answer, and the number of answers.
    """

    run: Run | None
    response: Mapping[str, Any]
    pending_prompt: tuple[str, int] | None = None

    @property
    def depth(self) -> int:
        """The number of steps."""
        return len(self.run.steps) if self.run else 0

    @property
    def is_answering(self) -> bool:
        """True when the next call only brings an answer, with which the last phase decides."""
        last = self.run.last_step if self.run else None
        return last is not None and last.holds

    @property
    def is_waiting(self) -> bool:
        """True when the person must answer."""
        last = self.run.last_step if self.run else None
        return last is not None and self.is_answering and last.status == "waiting"

    @property
    def new_steps(self) -> tuple[Step, ...]:
        """The steps that the last call made; without a run, one that is read from the response."""
        if self.is_refused or not self.response["metadata"].get("step"):
            return ()
        if self.run is None:
            return (_read_step(self.response),)
        first = self.run.steps[-1].first_of_call
        return self.run.steps[first - 1 :]

    @property
    def next_phase(self) -> str | None:
        """The next phase, by the name that the rule uses; None at the end."""
        call = self.response.get("next_call")
        return call["arguments"]["phase"] if call else None

    @property
    def needs(self) -> Mapping[str, Any]:
        """The schema of each argument that the host must bring to the next step."""
        call = self.response.get("next_call")
        return call["needs"] if call else {}

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The inputs that the next call passes on when no run is kept."""
        call = self.response.get("next_call")
        given = call["arguments"] if call else {}
        return {name: value for name, value in given.items() if name not in ADDRESS_ARGUMENTS}

    @property
    def rounds(self) -> str | None:
        """The `run` of the next call where none is kept, and a loop was taken."""
        call = self.response.get("next_call")
        return call["arguments"].get("run") if call else None

    @property
    def is_refused(self) -> bool:
        """True when the last call was refused."""
        return self.response.get("status") == "error" and not self.response["metadata"].get("step")

    @property
    def is_failed_end(self) -> bool:
        """True when the run came to its end, and the output of the workflow does not fit there."""
        error = self.response.get("error") or {}
        return self.next_phase is None and "output" in error.get("details", {})


def find_deciding_phase(workflow: Workflow, moment: RunState) -> str:
    """Find the phase whose rules the next call evaluates; it may wait for its answer."""
    names = workflow.map_phase_names()
    coming = str(moment.next_phase)
    last = moment.run.last_step if moment.run else None
    if coming in names or last is None:
        return names[coming]
    return last.phase if last.holds else str(moment.run.expected_phase if moment.run else "")


class StepRunner:
    """The runner of simulated steps; a run can go on from any of its states.

    Args:
        definition: the workflow.
        tools: the real tools, for the choices that use them.
        keeps: whether runs are kept; else every call passes on what the next one needs.
        known: the workflows that phases run, for those that are walked.
        walked: the phases whose workflow is walked, by their full names; any other gets a result like a tool.
    """

    def __init__(
        self,
        definition: Definition,
        tools: Toolbox | None = None,
        *,
        keeps: bool = True,
        known: KnownWorkflows | None = None,
        walked: frozenset[str] = frozenset(),
    ) -> None:
        self.definition = definition
        self.catalog = SingleWorkflowCatalog(definition, known if walked else None)
        self._tools = FakeTools(real=tools)
        self._journal = InMemoryJournal()
        name = definition.workflow.name
        journal = self._journal if keeps else None
        self._engine = Engine(
            self.catalog, self._tools, journal, FixedClock(), default=name, simulates=True, walked=walked
        )
        self.steps = 0

    def start(self) -> RunState:
        """Return the state before the first step."""
        return RunState(
            None, {"status": "complete", "next_call": build_first_call(self.definition).to_json(), "metadata": {}}
        )

    def take_step(self, moment: RunState, choice: StepChoice) -> RunState:
        """Return the state after the next step; the given state does not change."""
        self._tools.result, self._tools.fault, self._tools.uses_real = choice.result, choice.fault, choice.real
        self.steps += 1
        run = moment.run
        # A run goes on from any of its states, so the journal has just the one that this call continues.
        self._journal.runs = {run.run: run} if run else {}
        response = self._engine.step(
            Call(
                phase=str(moment.next_phase),
                run=run.run if run else moment.rounds,
                step=len(run.steps) + 1 if run else None,
                answer=choice.answer,
                inputs=choice.inputs,
                person=PersonReply(not choice.declines, "simulation") if moment.is_waiting else None,
                is_detailed=True,
            )
        )
        if response["run"] is not None:
            return RunState(self._journal.runs.get(response["run"], run), response)
        refused = not response["metadata"].get("step")
        return RunState(None, response, moment.pending_prompt if refused else _read_pending_prompt(response))


def _read_step(response: Mapping[str, Any]) -> Step:
    """Read a step from the response of a run that is not kept."""
    metadata = response["metadata"]
    edge = Edge(response["next_action"], None, None, early_exit=bool(response.get("early_exit")))
    return Step(
        seq=metadata["step"],
        phase=response["phase"],
        key="",
        given={},
        inputs={},
        brought=(),
        result=response["result"],
        asks=None,
        status=response["status"],
        edge=edge,
        decision=tuple(metadata["decision"]),
        error=response.get("error"),
    )


def _read_pending_prompt(response: Mapping[str, Any]) -> tuple[str, int] | None:
    """Read the phase and number of answers requested; 0 for a single one."""
    prompts = response.get("prompt_template")
    if prompts is None:
        return None
    return response["phase"], len(prompts) if isinstance(prompts, list) else 0


@dataclass(slots=True)
class FakeTools:
    """A toolbox whose tools return the prepared result; implements `Toolbox`.

    Attributes:
        result: the result of the next call.
        fault: the failure instead of a result.
        uses_real: whether the real tool runs.
        real: the real tools, if any.
    """

    result: Any = None
    fault: Fault | None = None
    uses_real: bool = False
    real: Toolbox | None = None

    def names(self, *, in_job: bool) -> Sequence[str]:
        """Return no names: the fake accepts every tool."""
        del in_job
        return ()

    def facts(self, name: str) -> ToolFacts | None:
        """Return None: the fake knows nothing of a tool."""
        del name
        return None

    def stamp_facts(self, name: str) -> str:
        """Return nothing: as `facts`."""
        del name
        return ""

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Return the prepared result, or call the real tool."""
        if self.uses_real and self.real is not None:
            return self.real.call(call)
        if self.fault is not None:
            raise self.fault
        if not isinstance(self.result, dict):
            raise Fault(Code.INTERNAL_ERROR, f'the result of "{call.name}" is not an object')
        return dict(self.result)


@dataclass(slots=True)
class InMemoryJournal:
    """A journal of runs in memory; implements `Journal`."""

    runs: dict[str, Run] = field(default_factory=dict)

    def load(self, run: str) -> Run | None:
        """Return the run, or None."""
        return self.runs.get(run)

    def begin(self, run: Run) -> None:
        """Store a new run."""
        if run.run in self.runs:
            raise Fault(Code.CONFLICT, f'there is a run "{run.run}" already')
        self.runs[run.run] = run

    def append(self, run: Run, steps: Sequence[Step]) -> None:
        """Append steps to the run."""
        if len(self.runs[run.run].steps) != len(run.steps):
            raise Fault(Code.CONFLICT, f'run "{run.run}" has more steps than expected')
        for step in steps:
            run = run.with_step(step)
        self.runs[run.run] = run


# A simulation must be repeatable, and prompts may read the date.
class FixedClock:
    """A clock that stands still; implements `Clock`."""

    @staticmethod
    def now() -> float:
        """Return the beginning of 1970."""
        return 0.0

    @staticmethod
    def today() -> str:
        """Return the first day of 1970."""
        return "1970-01-01"

    @staticmethod
    def elapsed() -> float:
        """Return zero seconds."""
        return 0.0


@dataclass(frozen=True, slots=True)
class SingleWorkflowCatalog:
    """A catalog of one workflow and of those that its phases run; implements `Workflows`."""

    definition: Definition
    known: KnownWorkflows | None = None

    def load(self, name: str) -> Definition:
        """Return a workflow that a phase runs, and the one of the catalog for any other name."""
        found = self.known.find_definition(name) if self.known is not None else None
        return self.definition if found is None or name == self.definition.workflow.name else found
