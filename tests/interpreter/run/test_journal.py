"""The cached history of a run equals the history computed from all its steps."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.run.journal import Run
from aurora.interpreter.run.step import Step

ANSWERS = st.sampled_from([(), ("yes",), ({"note": "no"},)])
STEPS = st.lists(
    st.builds(
        lambda phase, given, brought, result: Step(0, phase, "", given, given, brought, result, 0, "complete", None),
        st.sampled_from("abc"),
        st.dictionaries(st.sampled_from("xyz"), st.integers(), max_size=2),
        ANSWERS,
        st.integers(),
    ),
    max_size=8,
)


def look_through(steps: list[Step], brought: tuple[Any, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Compute the history plainly from every step and the answer of the next one."""
    given: dict[str, Any] = {}
    phases: dict[str, Any] = {}
    answers = [*(following.brought for _, following in pairwise(steps)), brought]
    for step, answer in zip(steps, answers, strict=False):
        given.update(step.given)
        before = phases.get(step.phase, {"results": [], "answers": [], "visits": 0})
        phases[step.phase] = {
            "inputs": step.inputs,
            "result": step.result,
            "results": [*before["results"], step.result],
            "answer": answer[0] if answer else None,
            "answers": [*before["answers"], *answer],
            "status": "complete",
            "error": None,
            "visits": before["visits"] + 1,
        }
    return given, phases


def read(run: Run, brought: tuple[Any, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    seen = run.collect_history(brought)
    return seen.inputs, seen.phases


@settings(max_examples=50)
@given(STEPS, ANSWERS, st.data())
def test_the_history_of_a_growing_run_equals_that_of_the_finished_run(
    steps: list[Step], brought: tuple[Any, ...], data: st.DataObject
) -> None:
    run = Run("r", "w", "1", "d")
    for step in steps:
        if data.draw(st.booleans()):
            assert read(run, step.brought) == look_through(list(run.steps), step.brought)
        if data.draw(st.booleans()):  # another way to go on from here changes nothing for this one
            run.with_step(step).collect_history()
        run = run.with_step(step)
    assert read(run, brought) == look_through(steps, brought)
    if steps:
        assert read(run.rewind_before(len(steps)), brought) == look_through(steps[:-1], brought)
    assert run == Run("r", "w", "1", "d", steps=tuple(steps))
