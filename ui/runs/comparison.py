"""Comparison of two runs: their phases side by side, and what differs in each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.tools import runs
from aurora.ui.web import describe_duration

from .listing import describe_tokens, find_question
from .state import State, describe_run_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project

_MAX_STEPS = 100
"""Steps of each run that are compared."""
_MAX_TEXT, _SHORT_TEXT = 400, 40
_MAX_TEXTS = 10_000
"""Characters of all values that differ; from then on only the beginning of each is shown."""


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """Head of one of the runs."""

    run: str
    question: str
    workflow: str
    state: State
    steps: int
    tokens: str
    spent: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Value that differs between two steps."""

    name: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """Pair of steps, or a step that only one of the runs has; 0 stands for none."""

    phase: str
    one: int
    other: int
    one_next: str
    other_next: str
    differences: Sequence[Difference]

    @property
    def same(self) -> bool:
        """True when the runs do not differ here."""
        return bool(self.one and self.other) and not self.differences and self.one_next == self.other_next


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, and their steps side by side."""

    one: ComparedRun
    other: ComparedRun
    steps: Sequence[ComparedStep]
    parting: int
    """The place of the first pair that differs, from 1; 0 when they are the same."""
    left_out: bool


def compare_runs(project: Project, one: str, other: str) -> Comparison:
    """Compare two runs.

    Raises:
        Fault: INVALID_INPUT without two runs, NOT_FOUND for an unknown one.
    """
    if not one or not other:
        raise Fault(Code.INVALID_INPUT, "two runs are needed", help="Choose two in the list of runs.")
    first, second = _read_run(project, one), _read_run(project, other)
    steps = _fit_texts(_pair_steps(first[1][:_MAX_STEPS], second[1][:_MAX_STEPS]))
    parting = next((place for place, step in enumerate(steps, 1) if not step.same), 0)
    left_out = max(len(first[1]), len(second[1])) > _MAX_STEPS
    return Comparison(_describe(*first), _describe(*second), steps, parting, left_out)


def _fit_texts(steps: Iterable[ComparedStep]) -> list[ComparedStep]:
    """Cut the values of later steps, so that the page stays small; the page of each step has them whole."""
    room, fitting = _MAX_TEXTS, []
    for step in steps:
        found = step.differences
        if room < 0:
            found = [replace(each, one=_cut(each.one), other=_cut(each.other)) for each in found]
        room -= sum(len(each.one) + len(each.other) for each in found)
        fitting.append(replace(step, differences=found))
    return fitting


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT_TEXT else f"{text[: _SHORT_TEXT - 1]}…"


def _read_run(project: Project, run: str) -> tuple[RunRow, Sequence[StepRow]]:
    row = project.memory.journal.head(run[:80])
    if row is None:
        raise Fault(Code.NOT_FOUND, f'there is no run "{run[:80]}"', help="Choose two in the list of runs.")
    return row, project.memory.journal.steps(row.run)


def _describe(row: RunRow, steps: Sequence[StepRow]) -> ComparedRun:
    head = row.document
    ats = [at for step in steps if isinstance(at := step.document.get("at"), int | float)]
    return ComparedRun(
        row.run,
        find_question(steps[0] if steps else None),
        f"{head.get('workflow', row.workflow)}@{head.get('version', '?')}",
        describe_run_state(head),
        row.steps,
        describe_tokens(head.get("tokens"), head.get("budget")),
        describe_duration(ats[-1] - ats[0]) if len(ats) > 1 else "",
    )


def _pair_steps(one: Sequence[StepRow], other: Sequence[StepRow]) -> Iterator[ComparedStep]:
    """Pair the steps of the same phases, in order."""
    keys = [[f"{step.phase} {step.document.get('kind', 'phase')}" for step in steps] for steps in (one, other)]
    for tag, first, first_end, second, second_end in SequenceMatcher(
        None, keys[0], keys[1], autojunk=False
    ).get_opcodes():
        if tag == "equal":
            for at, to in zip(range(first, first_end), range(second, second_end), strict=True):
                yield _compare_steps(one, at, other, to)
            continue
        for at in range(first, first_end):
            yield ComparedStep(one[at].phase, one[at].seq, 0, _read_next(one[at]), "", ())
        for to in range(second, second_end):
            yield ComparedStep(other[to].phase, 0, other[to].seq, "", _read_next(other[to]), ())


def _compare_steps(one: Sequence[StepRow], at: int, other: Sequence[StepRow], to: int) -> ComparedStep:
    first, second = runs.describe_step(one, at, _keep), runs.describe_step(other, to, _keep)
    differences = []
    for name in ("status", "inputs", "result", "answer"):
        before, after = getattr(first, name), getattr(second, name)
        if isinstance(before, dict) and isinstance(after, dict):
            differences += [
                Difference(f"{name}.{key}", _show(before.get(key)), _show(after.get(key)))
                for key in sorted({*before, *after})
                if before.get(key) != after.get(key)
            ]
        elif before != after:
            differences.append(Difference(name, _show(before), _show(after)))
    return ComparedStep(
        first.phase, first.seq, second.seq, _read_next(one[at]), _read_next(other[to]), differences[:20]
    )


def _keep(value: Any) -> Any:
    return value


def _show(value: Any) -> str:
    return "none" if value is None else runs.format_value(value, _MAX_TEXT)


def _read_next(step: StepRow) -> str:
    return str((step.document.get("edge") or {}).get("token", ""))
