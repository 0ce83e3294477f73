"""Verdicts on the labelled decompositions; `labelled/labels.md` describes them."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[4] / "bench" / "decompositions.py"


def load_bench() -> Any:
    """The benchmark as a module; it reads the labels and verifies them."""
    spec = spec_from_file_location("decompositions_of_a_test", SCRIPT)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "count", "least"),
    [("tuning", 160, 0.95), ("held_out", 160, 0.93), ("fresh_tuning", 100, 0.88), ("fresh_held_back", 100, 0.88)],
)
def test_good_decompositions_pass_and_others_do_not(name: str, count: int, least: float) -> None:
    bench = load_bench()
    verdicts = bench.verify_set(name)
    assert len(verdicts) == count
    accuracy = bench.compute_balanced_accuracy(verdicts)
    good = [one for one in verdicts if one.labelled.is_good]
    assert sum(one.is_right for one in good) >= 0.95 * len(good)
    assert accuracy >= least, f"{bench.format_confusion(verdicts)}\n{bench.format_mistakes(verdicts)}"


def test_every_rejected_decomposition_has_a_fault_with_a_remedy() -> None:
    for verdict in load_bench().verify_set("tuning"):
        if verdict.verdict != "PASS":
            assert verdict.feedback.startswith("- ")
            assert ": " in verdict.feedback
