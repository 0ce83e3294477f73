"""The claims of `validate`, of the proof and of `simulate`, compared with everything that happens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.problems import select_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.lab.proof import WorkflowProof
    from aurora.interpreter.lab.simulate import Simulation
    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

    from .walk import Walked

HABITS = frozenset({"W314", "W408", "W504", "W603"})
"""Codes of values that nothing reads, and of a consent that decides nothing, which no run shows."""

TOO_CAREFUL = frozenset({115, 283, 554, 647, 649, 759, 1318, 1379, 1463, 1492, 1565, 1568, 1583, 1748, 1879, 1971})
"""Seeds below 2,000 with a gap (W405), a null (W310) or a read before its phase (W502) that no run shows.

Each phase is judged by itself: that two values from before a phase exclude each other is not known. All other claims
of these workflows are compared, too.
"""
GRAPH_CODES = frozenset({"E402", "E406", "E407"})
"""Codes of loops without a `max`, which are wrong whatever values end them."""


def compare_problems(
    definition: Definition, problems: tuple[Problem, ...], walked: Walked, *, too_careful: bool = False
) -> Iterator[str]:
    """Yield each problem that no run shows, and each failure that is no problem."""
    excused = HABITS | ({"W310", "W405", "W502"} if too_careful else set())
    for problem in problems:
        if problem.code not in excused and not _is_true(definition, problem, walked):
            yield f"false: {problem.heading}"
    lines = _map_lines(definition)
    told = {_find_phase(problem, lines) for problem in problems if problem.code not in HABITS}
    for phase, message in sorted(walked.failures):
        if phase.split("/")[0] not in told:
            yield f"not reported: {phase}: {message}"
    if walked.longest is None and not {problem.code for problem in problems} & GRAPH_CODES:
        yield "not reported: an endless run"


def _is_true(definition: Definition, problem: Problem, walked: Walked) -> bool:
    phase = _find_phase(problem, _map_lines(definition))
    if problem.code in GRAPH_CODES:
        return True
    if problem.code == "W502" and definition.workflow.phases[phase].when is not None:
        return True  # its `when` may exclude the runs without the value
    rule = next(
        (key for key, line in _map_rules(definition).items() if line == (problem.path, problem.line)), (phase, -1)
    )
    failures = " ".join(message for at, message in walked.failures if at == phase)
    is_decided = any(at == phase for at, _ in walked.true | walked.false)
    is_null = any(word in failures for word in ("null", "evaluated", "is missing"))
    is_needed = any(at == phase for at, _ in walked.needed) or "is missing" in failures
    name = re.search(r'input "(\w+)"', problem.message)
    claims = {
        "E401": phase not in walked.reached,
        "E404": rule not in walked.won | walked.spent,
        "W309": rule not in (walked.true if "never true" in problem.message else walked.false),
        "W310": not is_decided or is_null or is_needed,
        "W405": not is_decided or "no rule of phase" in failures,
        "W502": phase not in walked.ran or is_needed,
        "W503": name is None or (phase, name[1]) not in walked.empty,
    }
    return claims.get(problem.code, False)


def compare_proof(proof: WorkflowProof, walked: Walked) -> Iterator[str]:
    """Yield each figure that is false."""
    if proof.always_ends and walked.longest is None:
        yield "false: every run ends"
    if walked.longest is not None and (proof.longest_run_calls or walked.longest) < walked.longest:
        yield f"false: at most {proof.longest_run_calls} calls; a run takes {walked.longest}"
    # a phase that is skipped and one that runs may take the same edge; the rules before tell whether one is spent
    edges = {tuple((phase, rule) for phase, rule, _ in path) for path in walked.paths or ()}
    if walked.paths is not None and proof.paths is not None and proof.paths < len(edges):
        yield f"false: {proof.paths} paths; there are {len(edges)}"


def compare_simulation(simulation: Simulation, walked: Walked) -> Iterator[str]:
    """Yield each claim of a simulation that is false: a path that no run takes, or a proof that a run refutes."""
    ended = {path.signature[:-1] for path in simulation.paths if path.status == "ended" and not _has_failure(path)}
    is_brought = any("is missing" in message for _, message in walked.stops)  # a host brings it when it calls again
    if walked.paths is not None and not is_brought:
        for path in sorted(ended - walked.paths, key=str)[:3]:
            yield f"false: the path {path}"
    for one in simulation.unreached:
        if not one.is_proved:
            continue
        rule = (one.phase, (one.rule or 0) - 1)
        is_taken = {"phase": one.phase in walked.ran, "rule": rule in walked.won | walked.spent}
        if is_taken.get(one.kind, rule in walked.spent):
            yield f"false: unreached {one.kind} {one.phase} {one.rule}: {one.reason}"


def _has_failure(path: object) -> bool:
    return any(step.status == "error" for step in path.steps)  # type: ignore[attr-defined]


def has_errors(problems: tuple[Problem, ...]) -> bool:
    """Return whether the workflow cannot run."""
    return bool(select_errors(problems))


Line = tuple[str, int]
"""A file and a line of it."""


def _map_lines(definition: Definition) -> dict[Line, str]:
    """Map the line of each key of a phase to the phase; a patch and its base may both have some."""
    found = {}
    for name in definition.workflow.phases:
        keys = [find_key(definition.root, ("phases", name)), *_list_keys(definition, name)]
        found.update(((key.place.path, key.place.line), name) for key in keys)
    return found


def _list_keys(definition: Definition, phase: str) -> list[Node]:
    return [key for key, _ in find_node(definition.root, ("phases", phase)).items]


def _map_rules(definition: Definition) -> dict[tuple[str, int], Line]:
    found = {}
    for name, phase in definition.workflow.phases.items():
        node = find_node(definition.root, ("phases", name, "next_action"))
        for index in range(len(phase.next_action)):
            place = (node.children[index] if node.kind == "list" else node).place
            found[name, index] = (place.path, place.line)
    return found


def _find_phase(problem: Problem, lines: dict[Line, str]) -> str:
    """Find the phase in whose lines a problem is; empty for one of the head."""
    before = [(line, name) for (path, line), name in lines.items() if path == problem.path and line <= problem.line]
    return max(before)[1] if before else ""
