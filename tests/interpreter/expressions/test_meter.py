"""Work of evaluations and validations is counted where a meter is active."""

from __future__ import annotations

import pytest

from aurora.interpreter.expressions.jmespath import evaluate_expression
from aurora.interpreter.expressions.meter import WorkLimitError, WorkMeter, charge_work, stop_metering
from aurora.interpreter.schema.validate import find_faults


def test_work_without_a_meter_has_no_limit() -> None:
    charge_work(10**12)


def test_an_evaluation_beyond_the_limit_is_stopped() -> None:
    with WorkMeter(200).activate(), pytest.raises(WorkLimitError):
        evaluate_expression("a[].b", {"a": [{"b": 1}] * 1000})


def test_a_validation_beyond_the_limit_is_stopped() -> None:
    with WorkMeter(200).activate(), pytest.raises(WorkLimitError):
        find_faults([f"{number:0100}" for number in range(100)], {"type": "array", "items": {"type": "string"}})


def test_work_counts_for_the_meter_around_it_too() -> None:
    outer, inner = WorkMeter(100), WorkMeter(1000)
    with outer.activate(), inner.activate():
        charge_work(60)
        with pytest.raises(WorkLimitError):
            charge_work(60)
        assert inner.is_used_up


def test_the_work_of_a_part_ends_and_that_around_it_goes_on() -> None:
    outer, inner = WorkMeter(1000), WorkMeter(100)
    with outer.activate():
        with inner.activate(), pytest.raises(WorkLimitError):
            charge_work(100)
        charge_work(100)
        assert not outer.is_used_up


def test_a_used_up_meter_goes_on_with_what_is_granted() -> None:
    meter = WorkMeter(10)
    with meter.activate():
        with pytest.raises(WorkLimitError):
            charge_work(1000)
        meter.grant(50)
        charge_work(20)
        assert not meter.is_used_up


def test_work_with_limits_of_its_own_is_not_counted() -> None:
    with WorkMeter(10).activate(), stop_metering():
        charge_work(1000)
