"""Scopes of expressions and prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.journal import Run
    from aurora.interpreter.run.ports import Clock, Surroundings


class RunFacts(NamedTuple):
    """Facts for `run` that do not come from the run's steps.

    Attributes:
        folder: the folder for files of the run; empty where no expression and no prompt names it.
        date: today, as `2026-01-31`.
        branch: the branch that is checked out; empty without one, and where nothing names it.
        aurora: the version of Aurora.
    """

    folder: str = ""
    date: str = ""
    branch: str = ""
    aurora: str = ""


def collect_facts(definition: Definition, run: Run, clock: Clock, surroundings: Surroundings | None) -> RunFacts:
    """Collect the facts that the workflow reads.

    A folder is made, and a branch read, only for a workflow that names it.
    """
    if surroundings is None:
        return RunFacts(date=clock.today())
    named = definition.run_names
    return RunFacts(
        folder=surroundings.make_folder(run.run) if "folder" in named and run.run else "",
        date=clock.today(),
        branch=surroundings.get_branch() if "branch" in named else "",
        aurora=surroundings.get_version(),
    )


def build_recall_scope(
    run: Run, definition: Definition | None, brought: tuple[Any, ...] = (), facts: RunFacts | None = None
) -> dict[str, Any]:
    """Build the scope of an input's `from`: the `inputs` so far, `phases`, `run` and `vars`.

    Args:
        run: the run so far.
        definition: its workflow; a phase of it that has not run has 0 visits. None when it cannot be read.
        brought: the new answer to its last step, as a one-element tuple.
        facts: the facts for `run`.
    """
    seen = run.collect_history(brought)
    phases: Iterable[str] = definition.workflow.phases if definition else ()
    return {
        "inputs": seen.inputs,
        "phases": seen.phases,
        "run": {
            "id": run.run,
            "step": len(run.steps),
            "visits": {**dict.fromkeys(phases, 0), **seen.visits},
            **(facts or RunFacts())._asdict(),
        },
        "vars": definition.workflow.vars if definition else {},
    }


def find_last_visits(run: Run, phases: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Find the last visits of these phases."""
    known = run.collect_history().phases
    return {phase: known[phase] for phase in phases if phase in known}


def build_decision_scope(
    inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any], answered: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Build the scope of `when` and `for_each.in`.

    Args:
        inputs: the inputs of the phase.
        result: the result of its tool.
        recalled: the scope of `from`.
        answered: `answer` and `answers`, where the answer to the phase decides.
    """
    fields = result if isinstance(result, dict) else {}
    known = {name: recalled[name] for name in ("phases", "run", "vars")}
    return {**fields, **(answered or {}), "inputs": dict(inputs), **known}


def build_prompt_scope(inputs: Mapping[str, Any], result: Any, recalled: Mapping[str, Any]) -> dict[str, Any]:
    """Build the scope of a prompt."""
    return {**inputs, "inputs": dict(inputs), "result": result, "run": recalled["run"], "vars": recalled["vars"]}
