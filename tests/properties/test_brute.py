"""Generated workflows against brute force: every claim of the checker, the proof and the simulation is compared.

The engine takes every run of each workflow, with every value that its schemas allow. `AURORA_BRUTE_SEEDS` is the number
of workflows, and `AURORA_BRUTE_FIRST` the seed of the first; `make brute` takes two thousand.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from brute.claims import TOO_CAREFUL, compare_problems, compare_proof, compare_simulation, has_errors
from brute.made import make_files
from brute.walk import TooManyError, Walker

from aurora.interpreter.lab.simulate import simulate_workflow
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEEDS = int(os.environ.get("AURORA_BRUTE_SEEDS", "20"))
FIRST = int(os.environ.get("AURORA_BRUTE_FIRST", "0"))
MOST_SKIPPED = 0.25
"""The most of a group's workflows that may have too many runs; `pytest -rP` shows the number."""
GROUPS = max(1, min(10, SEEDS // 20))
"""Tests among which the workflows are divided."""


def find_false_claims(workspace: Workspace, folder: Path, seed: int) -> list[str] | None:
    """Find what is claimed of a workflow and is not so; None for one with too many runs."""
    for old in folder.glob("*.yaml"):
        old.unlink()
    files = make_files(seed)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    definition, problems = workspace.workflows.load_with_problems(str(folder / "w.yaml"))
    inner, _ = workspace.workflows.load_with_problems(str(folder / "inner.yaml"))
    assert definition is not None
    assert inner is not None
    try:
        walked = Walker(definition, {"inner": inner}, "".join(files.values())).walk()
    except TooManyError:
        return None
    found = list(compare_problems(definition, problems, walked, too_careful=seed in TOO_CAREFUL))
    if not has_errors(problems):
        proof = workspace.workflows.prove(str(folder / "w.yaml"))
        assert proof is not None
        found += compare_proof(proof, walked)
        workspace.workflows.check_definition(definition)
        found += compare_simulation(simulate_workflow(definition, workspace.tools, every=True), walked)
    return [f"seed {seed}: {one}" for one in found]


@contextmanager
def _open_outputs(workspace: Workspace) -> Iterator[None]:
    """Let a phase name any `output`: the walker makes the results, and no tool gives them."""
    kind = type(workspace.tools)
    find = kind.facts

    def find_open(tools: Any, name: str) -> Any:
        facts = find(tools, name)
        return replace(facts, output={}) if facts is not None else None

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, "facts", find_open)
        yield


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_claim_of_a_generated_workflow_is_false(tmp_path: Path, group: int) -> None:
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    with Workspace(tmp_path) as workspace, _open_outputs(workspace):
        seeds = range(FIRST + group, FIRST + SEEDS, GROUPS)
        found = {seed: find_false_claims(workspace, folder, seed) for seed in seeds}
    skipped = [seed for seed, claims in found.items() if claims is None]
    sys.stdout.write(f"{len(skipped)} of {len(found)} workflows have too many runs: {skipped}\n")
    assert [one for claims in found.values() for one in claims or ()] == []
    assert len(skipped) <= MOST_SKIPPED * len(found)
