"""What a run has said so far, carried from step to step, is what looking through all its steps would give."""

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
    """The plain statement: every step with the answer that the next one brought, the later ones over the earlier."""
    given: dict[str, Any] = {}
    phases: dict[str, Any] = {}
    answers = [following.brought for _, following in pairwise(steps)] + [brought]
    for step, answer in zip(steps, answers, strict=False):
        given.update(step.given)
        phases[step.phase] = step.to_scope(answer)
    return given, phases, {phase: sum(step.phase == phase for step in steps) for phase in phases}


@settings(max_examples=50, deadline=None)
@given(STEPS, ANSWERS, st.data())
def test_a_run_that_is_asked_as_it_grows_says_what_one_that_is_asked_at_its_end_does(
    steps: list[Step], brought: tuple[Any, ...], data: st.DataObject
) -> None:
    run = Run("r", "w", "1", "d")
    for step in steps:
        if data.draw(st.booleans()):
            seen = run.collect_history(step.brought)
            assert tuple(seen) == looked_through(list(run.steps), step.brought)
            for part in seen:
                part.clear()  # what was handed out is the asker's own
        run = run.with_step(step)
    assert tuple(run.collect_history(brought)) == looked_through(steps, brought)
    if steps:
        assert tuple(run.rewind_before(len(steps)).collect_history(brought)) == looked_through(steps[:-1], brought)
    assert run == Run("r", "w", "1", "d", steps=tuple(steps))
