"""Scopes of expressions and prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .journal import Run


def build_recall_scope(run: Run, phases: Iterable[str], brought: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Build the scope of an input's `from`: the `inputs` so far, `phases` and `run`.

    Args:
        run: the run so far.
        phases: the phases of its workflow; one that has not run has 0 visits.
        brought: the new answer to its last step, as a one-element tuple.
    """
    seen = run.collect_history(brought)
    return {
        "inputs": seen.inputs,
        "phases": seen.phases,
        "run": {"id": run.run, "step": len(run.steps), "visits": {**dict.fromkeys(phases, 0), **seen.visits}},
    }


def build_decision_scope(inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """Build the scope of `when` and `for_each.in`."""
    fields = result if isinstance(result, dict) else {}
    return {**fields, "inputs": dict(inputs), "phases": recalled["phases"], "run": recalled["run"]}


def build_prompt_scope(inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """Build the scope of a prompt."""
    return {**inputs, "inputs": dict(inputs), "result": result, "run": recalled["run"]}
