"""Settings of tools that fit their schemas, and contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from aurora.interpreter import Problem


@pytest.fixture
def check(tmp_path: Path) -> Iterator[Callable[[str], tuple[Problem, ...]]]:
    """The problems of a patch of SOAR with these settings of the assessment."""
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    with Workspace(tmp_path) as workspace:

        def find(settings: str) -> tuple[Problem, ...]:
            text = f"extends: soar\nname: mine\nphases:\n  assess:\n    params: {{ {settings} }}\n"
            problems: tuple[Problem, ...] = workspace.workflows.check_text(text, folder / "mine.yaml")
            return problems

        yield find


@pytest.mark.parametrize(
    ("settings", "column", "said"),
    [
        ("simple_below: 40", 43, 'simple_below" of "complexity.assess": must be less than "complex_from", which is 23'),
        ("complex_from: 5", 43, 'complex_from" of "complexity.assess": must be more than "simple_below", which is 12'),
        ("critical_from: 23", 44, 'critical_from" of "complexity.assess": must be more than "complex_from"'),
        ("complex_from: 50", 43, 'complex_from" of "complexity.assess": must be less than "critical_from"'),
    ],
)
def test_thresholds_that_do_not_increase_are_reported_where_they_are_written(
    check: Callable[[str], tuple[Problem, ...]], settings: str, column: int, said: str
) -> None:
    (problem,) = check(f"thresholds: {{ {settings} }}")
    assert (problem.code, problem.path.endswith("mine.yaml"), problem.line, problem.column) == ("E253", True, 5, column)
    assert said in problem.message
    assert problem.help == "these settings must increase: simple_below < complex_from < critical_from"


def test_thresholds_that_increase_are_no_problem(check: Callable[[str], tuple[Problem, ...]]) -> None:
    assert check("thresholds: { simple_below: 20, complex_from: 20.5 }") == ()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("thresholds: 3", "must be a mapping, not a whole number"),
        ("thresholds: { simple_below: x }", "must be a number, not a text"),
        ("read_chars: [300]", "must be a whole number, not a list"),
    ],
)
def test_a_setting_of_a_wrong_type_is_reported_in_the_words_of_a_person_who_writes_yaml(
    check: Callable[[str], tuple[Problem, ...]], settings: str, said: str
) -> None:
    (problem,) = check(settings)
    assert problem.code == "E253"
    assert problem.message.endswith(said)
