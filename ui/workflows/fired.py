"""Rules that fired in recorded runs.

A run is read once, and again only after it has changed.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter import diagram
from aurora.interpreter.language import END

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.memory import RunRow
    from aurora.memory.records import Journal
    from aurora.tools.core import Project

_MAX_RUNS = 100
"""Newest runs that are read."""
_MAX_KEPT = 1_000


class _Taken(NamedTuple):
    """Transition of a step."""

    phase: str
    fingerprint: str
    rule: int | None
    spent: bool
    token: str


@dataclass(frozen=True, slots=True)
class FiredRules:
    """Counts of the newest runs.

    Attributes:
        runs: the number of the runs.
        reached: by phase, the runs that came there in its present form.
        fired: by phase and number of the rule from 1, how often it fired.
        spent: the same, how often its `max` was used up.
        visits: phases and ways, to be drawn.
    """

    runs: int
    reached: Mapping[str, int]
    fired: Mapping[tuple[str, int], int]
    spent: Mapping[tuple[str, int], int]
    visits: diagram.Visits


class _Kept:
    """Cache of the transitions of runs; safe for use from several threads."""

    def __init__(self) -> None:
        self._runs: OrderedDict[tuple[str, str, str], Sequence[_Taken]] = OrderedDict()
        self._lock = Lock()

    def read(self, root: str, journal: Journal, row: RunRow) -> Sequence[_Taken]:
        """Read the transitions of a run."""
        key = (root, row.run, row.updated_at)
        with self._lock:
            known = self._runs.get(key)
        if known is None:
            known = _read_run(journal, row)
            with self._lock:
                self._runs[key] = known
                while len(self._runs) > _MAX_KEPT:
                    self._runs.popitem(last=False)
        return known


_kept = _Kept()


def _read_run(journal: Journal, row: RunRow) -> Sequence[_Taken]:
    found = []
    for step in journal.steps(row.run):
        edge = step.document.get("edge")
        fingerprint = str(step.document.get("fingerprint", ""))
        if not edge:
            found.append(_Taken(step.phase, fingerprint, None, spent=False, token=""))
            continue
        found.append(_Taken(step.phase, fingerprint, edge.get("rule"), bool(edge.get("spent")), str(edge["token"])))
    return tuple(found)


def read_fired(project: Project, definition: Definition) -> FiredRules:
    """Read which rules of a workflow fired in its newest runs, as far as its phases were not edited since."""
    journal = project.memory.journal
    rows = journal.runs(_MAX_RUNS, 0, definition.workflow.name)
    names = {**definition.workflow.map_phase_names(), END: END}
    reached: Counter[str] = Counter()
    fired: Counter[tuple[str, int]] = Counter()
    spent: Counter[tuple[str, int]] = Counter()
    phases: Counter[str] = Counter()
    ways: Counter[tuple[str, str]] = Counter()
    is_current = cache(lambda phase, fingerprint: _is_current(definition, phase, fingerprint))
    for row in rows:
        read = _kept.read(str(project.root), journal, row)
        taken = [one for one in read if is_current(one.phase, one.fingerprint)]
        reached.update({one.phase for one in taken})
        phases.update(one.phase for one in taken)
        for one in taken:
            if one.rule is not None:
                (spent if one.spent else fired)[one.phase, one.rule + 1] += 1
            target = names.get(one.token)
            ways.update([(one.phase, target)] if target is not None else [])
    visits = diagram.Visits(phases, ways, {}, "")
    return FiredRules(len(rows), reached, fired, spent, visits)


def _is_current(definition: Definition, phase: str, fingerprint: str) -> bool:
    """Return True if a phase has not been edited since a step of it."""
    return phase in definition.workflow.phases and definition.has_fingerprint(phase, fingerprint)
