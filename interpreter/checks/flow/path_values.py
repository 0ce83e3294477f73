"""Values along a path: what each edge says of values that other edges read, too."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.decisions import describe_values
from aurora.interpreter.checks.entering import UndecidedError, evaluate_tree
from aurora.interpreter.checks.expressions.domains import OTHER_OBJECT
from aurora.interpreter.checks.visits import is_never_begun
from aurora.interpreter.run.rules import decides_by_answer

from .operands import STEPS, Key, PathOperand, collect_conditions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.view import Transition, WorkflowView

    Test = tuple[ExpressionSite, bool]

_MAX_COUNT = 8
"""The most visits of a phase that are told apart."""
_MAX_STEPS = 100
_MAX_CASES = 2_000
"""The most combinations of the values that one edge depends on; one with more counts as possible."""
_MAX_ROWS = 1_000
"""The most combinations of the values of several edges; with more, a path counts as possible."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The last visit of a phase on a path, and the number of visits."""

    status: str
    count: int


Visits = dict[str, Visit]
_NO_VISIT = Visit("", 0)
_STATUSES = {"on_error": "error", "overflow": "error", "decline": "declined", "skip": "skipped"}
_KINDS_OF_VISITS = frozenset({"answer", "result", "visit", "now"})
_DOUBTFUL = frozenset({"before", "now", "run", "visit"})
"""Kinds of values that no sample stands for."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Values that an edge allows together.

    Attributes:
        keys: the values that other edges depend on, too.
        rows: the combinations that it allows, as numbers of their samples.
        is_exact: whether nothing else decides whether a run takes the edge.
    """

    keys: tuple[Key, ...]
    rows: frozenset[tuple[int, ...]]
    is_exact: bool = True

    def keep(self, places: Sequence[int]) -> Relation:
        """Return what is said of the values at these places."""
        rows = frozenset(tuple(row[at] for at in places) for row in self.rows)
        return Relation(tuple(self.keys[at] for at in places), rows, self.is_exact)


Facts = frozenset[Relation]
"""What the edges of a path say together."""


@dataclass(frozen=True, eq=False, slots=True)
class _Cases:
    """The values with which a run takes an edge, and the operands that the visits before do not decide."""

    open: tuple[PathOperand, ...]
    all: Relation


class PathValues:
    """The values that decide the edges of a workflow."""

    def __init__(self, view: WorkflowView) -> None:
        self._view = view
        self._conditions = collect_conditions(view)
        self._cases: dict[tuple[Any, ...], _Cases] = {}
        self._shared: dict[_Cases, Relation] = {}
        self._live: dict[str | None, tuple[frozenset[Key], frozenset[str]]] = {}

    def relate(self, edge: Transition, visits: Visits) -> Relation | None:
        """Relate the values that an edge depends on; None where no run takes it after these visits."""
        return self._share(self._solve(edge.source, self._list_tests(edge), visits))

    def relate_entry(self, phase: str, visits: Visits) -> Relation | None:
        """Relate the values on which it depends that a phase is not skipped."""
        return self._share(self._solve(phase, self._list_skip_tests(phase, runs=True), visits))

    def record_visit(self, edge: Transition, visits: Visits) -> Visits:
        """Record the visit that an edge ends, as far as a condition may read it."""
        source, counted = edge.source, self._conditions.counted
        status, before = _STATUSES.get(edge.kind, "complete"), visits.get(source, _NO_VISIT).count
        count = min(before + (status != "skipped"), _MAX_COUNT if source in counted else 1)
        recorded = {**visits, source: Visit(status, count)}
        if STEPS in counted:
            recorded[STEPS] = self._count_steps(source, visits.get(STEPS, _NO_VISIT))
        return recorded

    def reduce(self, facts: Facts, left: str, target: str | None) -> Facts:
        """Reduce facts to values that conditions still read, and that belong to no phase that is left anew."""
        live, _ = self._list_live(target)
        kept = set()
        for one in facts:
            stays = [at for at, key in enumerate(one.keys) if key in live and not _is_of(key, left)]
            if stays:
                kept.add(one if len(stays) == len(one.keys) else one.keep(stays))
        return frozenset(kept)

    def list_live_visits(self, target: str | None) -> frozenset[str]:
        """List the phases whose last visit a condition reads from this phase on."""
        return self._list_live(target)[1]

    def describe(self, edges: Sequence[Transition]) -> list[str]:
        """Describe the values with which a run takes all these edges, by edge; empty where none are found."""
        visits: Visits = {}
        visited: Counter[str] = Counter()
        rows: list[dict[Any, int]] = [{}]
        asked: list[dict[Any, PathOperand]] = []
        for edge in edges:
            visited[edge.source] += 1
            found = self._solve(edge.source, self._list_tests(edge), visits)
            # A phase that is visited twice has two values of one name; the number of visits keeps them apart.
            names = {key: _number(key, visited) for key in found.all.keys}
            rows = _join_rows(rows, [dict(zip(names.values(), row, strict=True)) for row in sorted(found.all.rows)])
            asked.append({names[one.key]: one for one in found.open if not one.is_argument})
            visits = self.record_visit(edge, visits)
        return [self._describe_row(rows[0], named) if rows else "" for named in asked]

    def _describe_row(self, row: Mapping[Any, int], named: Mapping[Any, PathOperand]) -> str:
        return describe_values([(one.path, self._conditions.samples[one.key][row[at]]) for at, one in named.items()])

    def _list_tests(self, edge: Transition) -> list[Test]:
        """List the conditions that decide an edge, each with the value that it has then."""
        index = edge.rule if edge.rule is not None else -1
        rules = [site for site in self._conditions.sites[edge.source] if site.kind == "when" and site.index <= index]
        tests = self._list_skip_tests(edge.source, runs=edge.kind != "skip")
        return [*tests, *((site, site.index == index) for site in rules)]

    def _list_skip_tests(self, phase: str, *, runs: bool) -> list[Test]:
        return [(site, runs) for site in self._conditions.sites[phase] if site.kind == "skip"]

    def _count_steps(self, phase: str, before: Visit) -> Visit:
        """Count the steps of a run after a visit, where their number is known."""
        spec = self._view.phases[phase]
        if spec.for_each or spec.workflow or spec.branches or before.count > _MAX_STEPS:
            return Visit("unknown", 0)
        return Visit(before.status, before.count + 1 + decides_by_answer(spec))

    def _list_live(self, target: str | None) -> tuple[frozenset[Key], frozenset[str]]:
        """List the values, and the phases whose last visit, a condition reads from this phase on."""
        if target not in self._live:
            sites = self._conditions.sites
            ahead = [name for name in sites if target is not None and self._is_ahead(target, name)]
            read = [one for name in ahead for site in sites[name] for one in self._conditions.operands[site]]
            roots = [root for one in read for root in one.roots]
            visits = frozenset(root[1] for root in roots if root[0] in _KINDS_OF_VISITS)
            self._live[target] = frozenset(one.key for one in read), visits
        return self._live[target]

    def _is_ahead(self, phase: str, other: str) -> bool:
        is_reachable = phase == other or not is_never_begun(self._view, phase, other)
        return bool(self._conditions.sites[other]) and is_reachable

    def _solve(self, phase: str, tests: list[Test], visits: Visits) -> _Cases:
        """Find the values of all operands with which conditions give these values after these visits."""
        operands = {one.local: one for site, _ in tests for one in self._conditions.operands[site]}
        given = {local: _find_known(one.key, phase, visits) for local, one in operands.items()}
        # Many paths come by the same edge with the same knowledge, and each has the same cases.
        memo = (phase, tuple((id(site), holds) for site, holds in tests), repr(given))
        if memo not in self._cases:
            fixed = {local: known[0] for local, known in given.items() if known}
            open_ = [one for local, one in operands.items() if not given[local]]
            self._cases[memo] = _Cases(tuple(open_), self._enumerate(tests, open_, fixed))
        return self._cases[memo]

    def _enumerate(self, tests: list[Test], operands: list[PathOperand], fixed: Mapping[str, Any]) -> Relation:
        """Try the samples of all values that decide an edge."""
        samples, entangled = self._conditions.samples, self._conditions.entangled
        keys = tuple(dict.fromkeys(one.key for one in operands))
        is_exact = all(one.key not in entangled and one.key[0] not in _DOUBTFUL for one in operands)
        is_exact &= all(map(self._conditions.operands.get, [site for site, _ in tests]))
        ranges = [range(len(samples[key])) for key in keys]
        if prod(map(len, ranges)) > _MAX_CASES:
            # Too many to try: one row without values says that the edge is possible, and nothing more.
            return Relation((), frozenset({()}), is_exact=False)
        rows = set()
        for case in product(*ranges):
            at = dict(zip(keys, case, strict=True))
            values = {**fixed, **{one.local: samples[one.key][at[one.key]] for one in operands}}
            if all(self._may_give(site, values, holds=holds) for site, holds in tests):
                rows.add(case)
        return Relation(keys, frozenset(rows), is_exact)

    def _may_give(self, site: ExpressionSite, values: Mapping[str, Any], *, holds: bool) -> bool:
        """Return whether a condition gives this value; a faulty one may give any."""
        if site.tree is None or not self._conditions.operands[site]:
            return True
        try:
            return evaluate_tree(site.tree, values) is holds
        except UndecidedError:
            return False

    def _share(self, found: _Cases) -> Relation | None:
        """Keep of the values of an edge those that others depend on; None where there are none."""
        if found not in self._shared:
            private = self._conditions.private
            self._shared[found] = found.all.keep([at for at, key in enumerate(found.all.keys) if key not in private])
        return self._shared[found] if found.all.rows else None


@lru_cache(maxsize=1)
def collect_path_values(view: WorkflowView) -> PathValues:
    """Collect the values that decide the edges of a workflow; cached, because each path needs them."""
    return PathValues(view)


def join_facts(facts: Facts, new: Relation) -> Facts | None:
    """Add what an edge says to what is known; None where both cannot be."""
    if not new.keys:
        return facts
    rows = [dict(zip(new.keys, row, strict=True)) for row in new.rows]
    for one in _find_linked(facts, new.keys):
        rows = _join_rows(rows, [dict(zip(one.keys, row, strict=True)) for row in one.rows])
        if len(rows) >= _MAX_ROWS:
            break
    return facts | {new} if rows else None


def _find_linked(facts: Facts, keys: Iterable[Key]) -> list[Relation]:
    """Find the facts about these values, and about others that those facts name."""
    linked: list[Relation] = []
    known, rest = set(keys), set(facts)
    # Only facts that share a value, directly or by way of others, can contradict the new one.
    while found := [one for one in rest if not known.isdisjoint(one.keys)]:
        linked += found
        rest.difference_update(found)
        known.update(key for one in found for key in one.keys)
    return linked


def _join_rows(rows: list[dict[Any, int]], others: list[dict[Any, int]]) -> list[dict[Any, int]]:
    """Join the rows that agree, up to a number."""
    joined: list[dict[Any, int]] = []
    for row in rows:
        joined += [{**row, **other} for other in others if _agree(row, other)]
        if len(joined) >= _MAX_ROWS:
            break
    return joined


def _agree(row: Mapping[Any, int], other: Mapping[Any, int]) -> bool:
    return all(row.get(key, value) == value for key, value in other.items())


def _number(key: Key, visited: Mapping[str, int]) -> tuple[Key, int]:
    """Name a value by the number of visits of the phases that it belongs to, too."""
    return key, sum(count for phase, count in visited.items() if _is_of(key, phase))


def _find_known(key: Key, phase: str, visits: Visits) -> list[Any]:
    """Return the value as the one item of a list where the visits before say it, else nothing."""
    if key[0] not in _KINDS_OF_VISITS:
        return []
    last = visits.get(key[1], _NO_VISIT)
    if key[0] in ("answer", "result"):
        return [None] if key[1] != phase and last.status != "complete" else []
    if key[0] == "now" and last.status != "unknown":
        # The step that its answer decides counts as this visit already.
        last = Visit("complete", last.count + 1)
    given = _list_given(last)
    name = key[2] if key[2:] else ""
    return [given[name]] if name in given else []


def _list_given(last: Visit) -> dict[str, Any]:
    """List what is known of the last visit of a phase; of the steps of a run, their number."""
    given = {"": OTHER_OBJECT if last.status else None, "status": last.status or None}
    number = {"visits": last.count} if last.status != "unknown" else {}
    return {**given, **number, **({"error": None} if last.status != "error" else {})}


def _is_of(key: Key, phase: str) -> bool:
    """Return whether a value, or a part of what it is made of, belongs to a phase."""
    if key and key[0] in ("answer", "result", "own"):
        return bool(key[1] == phase)
    return any(isinstance(part, tuple) and _is_of(part, phase) for part in key)
