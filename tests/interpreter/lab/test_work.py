"""A simulation ends on any workflow: its work has a limit, which is counted and not timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.growth import is_linear

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.interpreter.lab.simulate import Simulation

    Simulate = Callable[[str], Simulation]

FIELDS = 60


def _write_rules(count: int) -> str:
    """Write a phase with so many rules, each of which compares every field of the answer."""
    names = [f"k{number}" for number in range(FIELDS)]
    properties = ", ".join(f"{name}: {{ type: string }}" for name in names)
    conditions = (" && ".join(f"answer.{name} == 'e{rule}'" for name in names) for rule in range(count))
    rules = "".join(f'      - {{ when: "{condition}", then: end }}\n' for condition in conditions)
    answer = f"{{ type: object, required: [{', '.join(names)}], properties: {{ {properties} }} }}"
    return f"  a:\n    prompt_template: Go.\n    answer: {answer}\n    next_action:\n{rules}      - then: end\n"


def test_many_rules_of_many_conditions_do_not_multiply_the_time(simulated: Simulate) -> None:
    assert is_linear(simulated, _write_rules(12), _write_rules(48))


def test_a_simulation_that_reaches_the_limit_of_work_is_not_complete(simulated: Simulate) -> None:
    found = simulated(_write_rules(60))
    assert not found.is_complete
    assert found.unreached


def test_inputs_that_are_read_from_each_other_twice_are_traced_once(simulated: Simulate) -> None:
    """Without that, 40 phases take a million million times as long as 1."""
    phases = ["  a:\n    inputs: { x: { type: boolean }, y: { type: boolean } }\n    next_action: p1\n"]
    for number in range(1, 41):
        before = "a" if number == 1 else f"p{number - 1}"
        given = f"phases.{before}.inputs.x || phases.{before}.inputs.y"
        then = f"p{number + 1}" if number < 40 else "end"
        phases.append(
            f'  p{number}:\n    inputs: {{ x: {{ from: "{given}" }}, y: {{ from: "{given}" }} }}\n'
            f'    next_action: [{{ when: "inputs.x == `true`", then: {then} }}, {{ then: {then} }}]\n'
        )
    found = simulated("".join(phases))
    assert found.paths
