"""Position of a call in a run: it starts, continues, replays or forks."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.interpreter.language.model import CONTINUE, END
from aurora.interpreter.problems import did_you_mean, list_names

from .frames import find_frame
from .inputs import accepts_null, build_answer_schema, validate_value
from .journal import Run, read_rounds
from .resume import compute_digest, find_beginning, find_first_edited
from .step import SEPARATOR

if TYPE_CHECKING:
    from aurora.interpreter.language.definition import Definition

    from .call import Call
    from .frames import LoadDefinition
    from .resume import EditedStep
    from .step import Step

_ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No characters that people confuse when they copy an id."""


@dataclass(frozen=True, slots=True)
class RunPosition:
    """The run before the step, and how the call continues it.

    Attributes:
        phase: the phase's own name.
        run: the run before the step.
        is_stored: True if the journal already contains that run.
        replayed_step: the step of an earlier, equal call, whose response is returned again.
        replaced_step: the step of the old run that a fork replaces; its recorded inputs and answer are the defaults.
    """

    phase: str
    run: Run
    is_stored: bool
    replayed_step: Step | None = None
    replaced_step: Step | None = None


def _make_fork_id(run: Run, seq: int, key: str, digest: str) -> str:
    """Derive the id of a fork from the call; a repeated call finds the same fork."""
    # Derived and not drawn: a host that loses a response sends the call again, and must find the fork that it has
    # begun.
    seed = f"{run.run}:{seq}:{key}:{digest}".encode()
    number = int.from_bytes(hashlib.sha256(seed).digest()[:8])
    return "".join(_ID_ALPHABET[number // len(_ID_ALPHABET) ** place % len(_ID_ALPHABET)] for place in range(8))


def generate_run_id() -> str:
    """Generate a run id of eight letters and digits, 40 random bits."""
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(8))


def resolve_phase(definition: Definition, name: str) -> str:
    """Resolve a name or an alias to its phase; `continue` stays.

    Raises:
        Fault: NOT_FOUND, with the known names.
    """
    names = definition.workflow.map_phase_names()
    if name in names or name == CONTINUE:
        return names.get(name, name)
    shown = name[:80]
    raise Fault(
        Code.NOT_FOUND,
        f'workflow "{definition.workflow.name}" has no phase "{shown}"',
        help=did_you_mean(name[:80], names) or f"there are {list_names(definition.workflow.phases)}",
        details={"phase": shown, "phases": list(definition.workflow.phases)},
    )


def locate_call(
    call: Call, definition: Definition, run: Run | None, load: LoadDefinition, *, kept: bool
) -> RunPosition:
    """Locate the call in `run`, or at the start of a new run when it names none.

    Args:
        call: the call.
        definition: the workflow of the run.
        run: the run; None for a call that starts one.
        load: returns a workflow by its name.
        kept: whether runs are stored.

    Raises:
        Fault: NOT_FOUND for an unknown phase; CONFLICT out of turn or after the definition changed; INVALID_INPUT for
            an answer without a run.
    """
    # The digest covers prompts, schemas and inner workflows, too: an edit of any of them changes what the steps
    # meant.
    digest = compute_digest(definition, load)
    if run is None:
        return _locate_start(call, definition, digest, kept=kept)
    edited = find_first_edited(run, definition, load) if run.digest != digest else None
    # A run whose taken phases were edited goes on only from there: later steps were made by other rules.
    if edited is not None and call.phase not in definition.workflow.map_phase_names():
        raise _make_edited_fault(call, run, edited, definition)
    phase = resolve_phase(definition, call.phase)
    if run.digest != digest:
        flow = definition.workflow
        run = replace(run, version=flow.version, digest=digest, budget=flow.budget.tokens if flow.budget else None)
        if edited is not None:
            return _locate_after_edit(call, phase, run, edited, definition)
    return _locate_in_run(call, phase, run, brings=_brings_answer(call, run, definition, load))


def _locate_in_run(call: Call, phase: str, run: Run, *, brings: bool) -> RunPosition:
    """Locate the call in a run that was not edited; `brings` says whether it brings an answer."""
    asked = _count_answered(run, phase) if call.step is None else 0  # a long run is not read for each of its steps
    is_sure = not asked
    if phase == CONTINUE and _asks_for_state(call, run, brings=brings and (call.has_answer or is_sure)):
        return RunPosition(phase, run, is_stored=True, replayed_step=run.steps[run.steps[-1].first_of_call - 1])
    if call.step is not None:
        return _locate_by_step(call, phase, run)
    # Without a step, an answer may be a late one to an earlier question: 100 answers once went to the wrong items so.
    if brings and not is_sure and call.person is None and _is_expected(run, phase):
        return _repeat_answer(call, phase, run, asked + 1)
    return _locate_by_turn(call, phase, run)


def _brings_answer(call: Call, run: Run, definition: Definition, load: LoadDefinition) -> bool:
    """Return whether the call brings an answer; null is one only where the last prompt allows it."""
    # JSON has no "left out": a host that fills every property sends null, which is an answer only where null is
    # allowed.
    if call.has_answer or not call.answer or run.last_step is None or not run.last_step.awaits_answer:
        return call.has_answer
    frame = find_frame(run, definition, load)
    return frame.run.last_step is not None and accepts_null(build_answer_schema(frame.definition, frame.run.last_step))


def _locate_start(call: Call, definition: Definition, digest: str, *, kept: bool) -> RunPosition:
    phase = resolve_phase(definition, call.phase)
    if phase == CONTINUE:
        start = definition.workflow.start
        message = "`continue` goes on with a run, and this call has no run"
        raise Fault(Code.INVALID_INPUT, message, help=f'pass the run, or begin one with phase "{start}"')
    if call.has_answer:
        raise Fault(
            Code.INVALID_INPUT,
            "an answer belongs to a run, and this call has no run",
            help=f'pass the run too, or hand the inputs of "{phase}" over by name',
        )
    if call.step not in (None, 1):
        raise Fault(Code.INVALID_INPUT, f"step {call.step} belongs to a run, and this call has no run")
    flow = definition.workflow
    budget = flow.budget.tokens if flow.budget else None
    rounds = read_rounds(call.run, digest) if call.run is not None else {}
    run = Run(generate_run_id() if kept else "", flow.name, flow.version, digest, budget=budget, rounds=rounds)
    return RunPosition(phase, run, is_stored=False)


def _locate_by_turn(call: Call, phase: str, run: Run) -> RunPosition:
    key = call.idempotency_key(phase)
    last = run.last_step
    first = run.steps[last.first_of_call - 1] if last is not None else None
    # The same call again is a repetition, also one whose phase has run silently with others: it returns the response.
    if first is not None and first.key == key and call.person is None:
        return RunPosition(phase, run, is_stored=True, replayed_step=first)
    if _is_expected(run, phase):
        return RunPosition(phase, run, is_stored=True)
    return _locate_again(call, phase, run, key)


def _asks_for_state(call: Call, run: Run, *, brings: bool) -> bool:
    """Return True if a call of `continue` can only show where the run is.

    That is one to a question that only the person answers, or answered since; and one without an answer, where an
    answer is due, where nothing comes next, or whose step another call has made.
    """
    last = run.last_step
    if last is None or call.person is not None:
        return False
    due = len(run.steps) + 1
    number = call.step or due
    if 1 < number <= due and run.steps[number - 2].status == "waiting" and run.steps[number - 2].holds:
        return True
    if call.has_answer or call.inputs:
        return False
    if number == due:
        return not run.is_open or (last.awaits_answer and not brings)
    return number < due and run.steps[number - 1].key != call.idempotency_key(CONTINUE)


def _count_answered(run: Run, phase: str) -> int:
    """Count the questions that calls of this phase, or of any for `continue`, have answered."""
    return sum(bool(step.key and step.brought) and phase in (CONTINUE, step.phase) for step in run.steps)


def _repeat_answer(call: Call, phase: str, run: Run, asked: int) -> RunPosition:
    """Locate an answer without a step that may belong to an earlier question.

    Only a repeated one is taken.

    Raises:
        Fault: CONFLICT for any other.
    """
    key = call.idempotency_key(phase)
    for step in reversed(run.steps):
        if step.key == key and step.brought and step.status != "error":
            return RunPosition(phase, run, is_stored=True, replayed_step=step)
    raise Fault(
        Code.CONFLICT,
        f'run "{run.run}" has asked {asked} questions, and this answer has no step that says which of them it answers',
        help="call `continue` without an answer for the present question; send the answer to it with the step of its "
        "next_call",
        details={"asked": asked, "step": len(run.steps) + 1},
    )


def _locate_again(call: Call, phase: str, run: Run, key: str) -> RunPosition:
    """Locate a call of a phase that the run has taken: it repeats a call, or starts a fork."""
    before = [step for step in run.steps if step.phase == phase or (phase == CONTINUE and step.key)]
    for step in reversed(before):
        if step.key == key and step.status != "error":
            return RunPosition(phase, run, is_stored=True, replayed_step=step)
    # Going back with other inputs is a fork, and the old run stays as it was: a record is never rewritten.
    begun = [step for step in before if step.kind != "answer"]
    if begun and phase != CONTINUE:
        return _fork_run(call, phase, run, find_beginning(run, begun[-1]).seq)
    raise _make_out_of_turn_fault(call, run)


def _is_expected(run: Run, phase: str) -> bool:
    """Return True if a call of this phase goes on with the run."""
    return run.is_open if phase == CONTINUE else run.expected_phase == phase


def _locate_by_step(call: Call, phase: str, run: Run) -> RunPosition:
    number = int(call.step or 0)
    if number == len(run.steps) + 1 and _is_expected(run, phase):
        return RunPosition(phase, run, is_stored=True)
    if 1 <= number <= len(run.steps) and (phase == CONTINUE or run.steps[number - 1].phase == phase):
        step = run.steps[number - 1]
        if phase == CONTINUE and not step.key:
            raise _make_out_of_turn_fault(call, run)
        if (joined := _join_series(call, phase, run, number)) is not None:
            return joined
        # A failure in the middle of a run has had its consequences; only a new branch may try it differently.
        is_last = step.seq == run.steps[-1].first_of_call  # an earlier failure can be tried again, in a fork
        is_same = step.key == call.idempotency_key(phase) and call.person is None
        if is_same and (is_last or step.status != "error"):
            return RunPosition(phase, run, is_stored=True, replayed_step=step)
        return _fork_run(call, phase, run, number if phase == CONTINUE else find_beginning(run, step).seq)
    raise _make_out_of_turn_fault(call, run)


def _join_series(call: Call, phase: str, run: Run, number: int) -> RunPosition | None:
    """Locate the answers to some branches beside those that other calls brought to the same question.

    Several agents may answer the branches of one question at once, each with the step that the question named.

    Returns:
        None for any other call, and for an answer to a branch that has another one.
    """
    first = run.steps[number - 1]
    if phase != CONTINUE or first.kind != "answer" or not run.steps[number - 2].branches:
        return None
    key = call.idempotency_key(phase)
    series = list(takewhile(lambda step: step.kind == "answer" and step.phase == first.phase, run.steps[number - 1 :]))
    for step in series:
        if step.key == key:
            return RunPosition(phase, run, is_stored=True, replayed_step=step)
    answer, faults = validate_value(call.answer[0], {"type": "object"}, "$.answer") if call.answer else (None, [])
    if series[-1] is run.last_step and not faults and set(answer or ()) <= set(series[-1].branches):
        return RunPosition(phase, run, is_stored=True)
    return None


def _locate_after_edit(call: Call, phase: str, run: Run, edited: EditedStep, definition: Definition) -> RunPosition:
    """Continue an edited run from the first edited phase, or from one before it."""
    beginning = edited.beginning
    if phase == beginning.phase and call.step in (None, beginning.seq):
        return _fork_run(call, phase, run, beginning.seq)
    before = run.rewind_before(beginning.seq)
    if any(step.phase == phase for step in before.steps):
        return _locate_in_run(call, phase, before, brings=call.has_answer)
    raise _make_edited_fault(call, run, edited, definition)


def _make_edited_fault(call: Call, run: Run, edited: EditedStep, definition: Definition) -> Fault:
    """Return the conflict of a run whose phase was edited, with the phase to go back to."""
    step, beginning = edited.step, edited.beginning
    if beginning.phase not in definition.workflow.phases:
        message = f'phase "{beginning.phase}" of workflow "{run.workflow}", which run "{run.run}" has taken, is gone'
        return Fault(Code.CONFLICT, message, help="start a new run")
    led = " and the answer that led to it" if beginning.brought else ""
    kept = "; the answer of this call was not taken: send it when its question comes again" if call.has_answer else ""
    return Fault(
        Code.CONFLICT,
        f'phase "{step.phase}" of workflow "{run.workflow}" was edited after run "{run.run}" had taken it '
        f"(step {step.seq}); the steps after it are no longer valid",
        help=f'go back to step {beginning.seq}, phase "{beginning.phase}"; its recorded inputs{led} are used again '
        f"unless you replace them, and what it asks is asked again{kept}",
        details={"go_back_to": beginning.phase, "step": beginning.seq},
    )


def _fork_run(call: Call, phase: str, run: Run, seq: int) -> RunPosition:
    """Start a new run with the steps before `seq`; the old run does not change."""
    name = _make_fork_id(run, seq, call.idempotency_key(phase), run.digest)
    left = replace(run.rewind_before(seq), run=name, forked_from=f"{run.run}:{seq}")
    return RunPosition(phase, left, is_stored=False, replaced_step=run.steps[seq - 1])


def _make_out_of_turn_fault(call: Call, run: Run) -> Fault:
    token = run.last_step.edge.token if run.last_step and run.last_step.edge else None
    place = f" at step {call.step}" if call.step is not None else ""
    visited = list(dict.fromkeys(step.phase for step in run.steps if SEPARATOR not in step.phase))
    if run.is_open and run.expected_phase is None:
        token = CONTINUE
    if token is None or token == END:
        state = "has failed" if token is None else "has ended"
        following = f"it {state}, so nothing comes after it"
    else:
        following = f'the next phase is "{token}"' if token != CONTINUE else _describe_open_step(run)
    return Fault(
        Code.CONFLICT,
        _describe_wrong_step(call, run)
        or f'phase "{call.phase[:80]}" is out of turn in run "{run.run}"{place}; {following}',
        help=f"{_describe_expected(token)}; going back to {list_names(visited)} with other inputs starts a fork",
        details={"expected": token, "step": len(run.steps) + 1, "may_go_back_to": visited},
    )


def _describe_wrong_step(call: Call, run: Run) -> str:
    """Return what is wrong with the step of a call whose phase is due; empty for any other call."""
    next_step = len(run.steps) + 1
    if call.step in (None, next_step) or not _is_expected(run, call.phase):
        return ""
    return f'step {call.step} is not due in run "{run.run}"; the next step is {next_step}'


def _describe_expected(token: str | None) -> str:
    if token == CONTINUE:
        return f"pass `{CONTINUE}` as the phase"
    return f'continue with phase "{token}"' if token not in (None, END) else "start a new run"


def _describe_open_step(run: Run) -> str:
    """Return what a run waits for whose next call is `continue`, which is not a phase."""
    last = run.last_step
    if last is not None and last.status == "waiting":
        return f'phase "{last.phase}" waits for the person'
    if last is not None and last.awaits_answer:
        return f'phase "{last.phase}" waits for its answer'
    return f"the next call is `{CONTINUE}`"
