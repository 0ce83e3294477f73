"""What an expression or a prompt sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .record import Run, Step


def recall(run: Run, brought: tuple[Any, ...] = ()) -> dict[str, Any]:
    """The scope of an input's `from`: `inputs` given in the run so far, `phases`, and `run`.

    Args:
        run: the run as it stands.
        brought: the answer that has just come for its last step, as a one-element tuple.
    """
    given: dict[str, Any] = {}
    phases: dict[str, dict[str, Any]] = {}
    visits: dict[str, int] = {}
    answers = [*(step.brought for step in run.steps[1:]), brought]
    for step, answer in zip(run.steps, answers, strict=True) if run.steps else ():
        given.update(step.given)
        visits[step.phase] = visits.get(step.phase, 0) + 1
        phases[step.phase] = _told(step, answer)
    return {"inputs": given, "phases": phases, "run": {"id": run.run, "step": len(run.steps), "visits": visits}}


def last_visits(run: Run, phases: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Of `phases` in `recall`, only these; cheap in a long run when they came late."""
    wanted = set(phases)
    found: dict[str, dict[str, Any]] = {}
    answer: tuple[Any, ...] = ()
    for step in reversed(run.steps):
        if not wanted:
            break
        if step.phase in wanted:
            wanted.discard(step.phase)
            found[step.phase] = _told(step, answer)
        answer = step.brought
    return found


def _told(step: Step, answer: tuple[Any, ...]) -> dict[str, Any]:
    """A finished step as expressions see it, with the answer that came after it."""
    return {
        "inputs": dict(step.inputs),
        "result": step.result,
        "answer": answer[0] if answer else None,
        "status": step.status,
        "error": step.response.get("error"),
    }


def decide(inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """The scope of `when` and `for_each.in`: the result's fields at the root, `inputs`, `phases` and `run` beside."""
    fields = result if isinstance(result, dict) else {}
    return {**fields, "inputs": dict(inputs), "phases": recalled["phases"], "run": recalled["run"]}


def prompt(inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """The scope of a prompt: the inputs at the root, `result`, `inputs` and `run` beside."""
    return {**inputs, "inputs": dict(inputs), "result": result, "run": recalled["run"]}
