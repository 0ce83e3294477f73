"""The cached history of a run equals the history computed from all its steps."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.interpreter.run.journal import Run, Step

ANSWERS = st.sampled_from([(), ("yes",), ({"note": "no"},)])
STEPS = st.lists(
    st.builds(
        lambda phase, given, brought, result: Step(0, phase, "", given, given, brought, result, None, "complete", None),
        st.sampled_from("abc"),
        st.dictionaries(st.sampled_from("xyz"), st.integers(), max_size=2),
        ANSWERS,
        st.integers(),
    ),
    max_size=8,
)


def looked_through(steps: list[Step], brought: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    """Compute the history plainly from every step and the answer of the next one."""
    given: dict[str, Any] = {}
    phases: dict[str, Any] = {}
    answers = [following.brought for _, following in pairwise(steps)] + [brought]
    for step, answer in zip(steps, answers, strict=False):
        given.update(step.given)
        phases[step.phase] = step.to_scope(answer)
    return given, phases, {phase: sum(step.phase == phase for step in steps) for phase in phases}


@settings(max_examples=50, deadline=None)
@given(STEPS, ANSWERS, st.data())
def test_the_history_of_a_growing_run_equals_that_of_the_finished_run(
    steps: list[Step], brought: tuple[Any, ...], data: st.DataObject
) -> None:
    run = Run("r", "w", "1", "d")
    for step in steps:
        if data.draw(st.booleans()):
            seen = run.collect_history(step.brought)
            assert tuple(seen) == looked_through(list(run.steps), step.brought)
            for part in seen:
                part.clear()  # a returned value belongs to the caller
        run = run.with_step(step)
    assert tuple(run.collect_history(brought)) == looked_through(steps, brought)
    if steps:
        assert tuple(run.rewind_before(len(steps)).collect_history(brought)) == looked_through(steps[:-1], brought)
    assert run == Run("r", "w", "1", "d", steps=tuple(steps))
