from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.catalog.files import MANY_OBJECTS, pause_collector

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    before = gc.isenabled()
    gc.enable()
    yield
    if not before:
        gc.disable()


def test_the_collector_runs_again_after_a_failure() -> None:
    states: list[bool] = []

    def fail() -> None:
        with pause_collector():
            states.append(gc.isenabled())
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()

    assert states == [False]
    assert gc.isenabled()


def test_the_last_of_several_threads_ends_the_pause() -> None:
    begun, ending = threading.Event(), threading.Event()

    def pause() -> None:
        with pause_collector():
            begun.set()
            ending.wait(10)

    other = threading.Thread(target=pause)
    with pause_collector():
        other.start()
        assert begun.wait(10)
    assert not gc.isenabled()
    ending.set()
    other.join(10)
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with pause_collector():
        pass
    assert not gc.isenabled()


def test_the_objects_of_a_large_workflow_are_not_looked_through_afterwards() -> None:
    before = gc.get_freeze_count()
    try:
        with pause_collector():
            kept = [[number] for number in range(2 * MANY_OBJECTS)]
        assert gc.get_freeze_count() >= before + len(kept)
        assert gc.get_count()[0] < MANY_OBJECTS
    finally:
        gc.unfreeze()


def test_the_objects_of_a_small_workflow_are_collected_like_others() -> None:
    gc.collect()
    before = gc.get_freeze_count()
    with pause_collector():
        kept = [[number] for number in range(MANY_OBJECTS // 10)]
    assert gc.get_freeze_count() == before
    assert kept
