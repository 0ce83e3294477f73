"""Assignment of pieces of work to the parts of a question."""

from __future__ import annotations

from aurora.tools.reasoning.decomposition.missing import find_unmatched


def find(*rows: tuple[float, ...], owners: tuple[int, ...] = (0, 1)) -> list[int]:
    return find_unmatched(rows, owners, about_from=0.25, bound_from=0.4)


def test_a_part_is_unmatched_when_all_work_is_bound_to_another() -> None:
    assert find((0.8, 0.6), (0.1, 0.2)) == [1]


def test_work_like_no_part_may_do_the_one_that_is_left() -> None:
    assert find((0.8, 0.3), (0.1, 0.2)) == []


def test_a_second_piece_of_a_subgoal_may_do_the_part_that_is_left() -> None:
    assert find((0.8, 0.1), (0.0, 0.0), owners=(0, 0)) == []


def test_a_part_with_work_of_its_own_is_matched() -> None:
    assert find((0.8, 0.1), (0.1, 0.2)) == []
