"""Values along a path: what each edge says of values that other edges read, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import (
    OTHER_OBJECT,
    Operand,
    build_domain,
    build_node_key,
    collect_operands,
    collect_phase_sites,
    find_faulty_sites,
    find_root_paths,
    infer_nullness,
    read_membership,
    to_field_path,
)
from aurora.interpreter.checks.expressions.tree import RELATIVE_NODES
from aurora.interpreter.checks.rules.enumerate import describe_values
from aurora.interpreter.checks.rules.evaluate import UndecidedError, evaluate_tree
from aurora.interpreter.checks.visits import is_never_begun
from aurora.interpreter.expressions import ExpressionError, compile_expression
from aurora.interpreter.run.phase import decides_by_answer

from .presence import is_never_null

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions import ExpressionSite, Tree
    from aurora.interpreter.checks.view import Transition, WorkflowView

Key = tuple[Any, ...]
"""A value of a run: (`answer`, PHASE, FIELD…), (`result`, PHASE, FIELD…), (`input`, NAME…), or a function of some."""

STEPS = ""
"""The name under which the steps of a run are counted, as the visits of a phase are."""
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


_STATUSES = {"on_error": "error", "overflow": "error", "decline": "declined", "skip": "skipped"}


@dataclass(frozen=True, slots=True)
class Relation:
    """Values that an edge allows together.

    Attributes:
        keys: the values that other edges depend on, too.
        rows: the combinations that it allows, as numbers of their samples.
        is_exact: whether nothing else decides whether a run takes the edge.
    """

    keys: tuple[Key, ...] = ()
    rows: frozenset[tuple[int, ...]] = frozenset({()})
    is_exact: bool = True


Facts = frozenset[Relation]
"""What the edges of a path say together."""


@dataclass(frozen=True, eq=False, slots=True)
class _Cases:
    """The values with which a run takes an edge.

    Attributes:
        open: the operands that the visits before do not decide.
        keys, cases: their keys, and the combinations of their samples.
        is_exact: whether nothing else decides whether a run takes the edge.
    """

    open: tuple[_Operand, ...]
    keys: tuple[Key, ...]
    cases: tuple[tuple[int, ...], ...]
    is_exact: bool


@dataclass(frozen=True, slots=True)
class _Operand:
    """An operand of a condition: its key in the run, and those of the values that it is made of.

    One that is only the argument of a function matters only where it is null.
    """

    local: str
    key: Key
    roots: tuple[Key, ...]
    path: tuple[str, ...] | None
    is_argument: bool


class PathValues:
    """The values that decide the edges of a workflow, and the samples that its conditions tell apart."""

    def __init__(self, view: WorkflowView) -> None:
        self._view = view
        self._sites: dict[str, list[ExpressionSite]] = {}
        self._operands: dict[ExpressionSite, list[_Operand]] = {}
        self._samples: dict[Key, list[Any]] = {}
        self._known: dict[tuple[Any, ...], _Cases] = {}
        self._projected: dict[_Cases, Relation] = {}
        self._live: dict[str | None, frozenset[Key]] = {}
        self._live_visits: dict[str | None, frozenset[str]] = {}
        self._counted: set[str] = set()
        """The phases of which a condition reads the number of visits."""
        readers = self._collect_operands()
        self._private = {key for key, by in readers.items() if key[0] in ("answer", "result") and by == {key[1]}}
        self._entangled = _find_entangled(self._operands)

    def relate(self, edge: Transition, visits: Visits) -> Relation | None:
        """Relate the values that an edge depends on; None where no run takes it after these visits."""
        return self._project(self._solve(edge.source, self._list_tests(edge), visits))

    def relate_entry(self, phase: str, visits: Visits) -> Relation | None:
        """Relate the values on which it depends that a phase is not skipped."""
        return self._project(self._solve(phase, self._list_entry(phase, runs=True), visits))

    def describe(self, edges: Sequence[Transition]) -> list[str]:
        """Describe the values with which a run takes all these edges, by edge; empty where none are found."""
        visits: Visits = {}
        visited: Counter[str] = Counter()
        rows: list[dict[Any, int]] = [{}]
        asked: list[list[tuple[_Operand, Any]]] = []
        for edge in edges:
            visited[edge.source] += 1
            found = self._solve(edge.source, self._list_tests(edge), visits)
            names = {key: (key, sum(visited[one] for one in visited if _is_of(key, one))) for key in found.keys}
            cases = [dict(zip(names.values(), case, strict=True)) for case in found.cases]
            rows = [{**row, **case} for row in rows for case in cases if _agree(row, case)][:_MAX_ROWS]
            asked.append([(one, names[one.key]) for one in found.open if not one.is_argument])
            visits = self.record_visit(edge, visits)
        chosen = rows[0] if rows else {}
        return [
            describe_values([(one.path, self._samples[one.key][chosen[name]]) for one, name in values]) if rows else ""
            for values in asked
        ]

    def record_visit(self, edge: Transition, visits: Visits) -> Visits:
        """Record the visit that an edge ends, as far as a condition may read it."""
        source, spec = edge.source, self._view.phases[edge.source]
        status = _STATUSES.get(edge.kind, "complete")
        before = visits[source].count if source in visits else 0
        most = _MAX_COUNT if source in self._counted else 1
        recorded = {**visits, source: Visit(status, min(before + (status != "skipped"), most))}
        if STEPS in self._counted:
            steps = visits.get(STEPS, Visit("", 0))
            has_more = spec.for_each or spec.workflow or spec.branches or steps.count > _MAX_STEPS
            count = steps.count + 1 + decides_by_answer(spec)
            recorded[STEPS] = Visit("unknown" if has_more else steps.status, 0 if has_more else count)
        return recorded

    def _list_tests(self, edge: Transition) -> list[tuple[ExpressionSite, bool]]:
        """List the conditions that decide an edge, each with the value that it has then."""
        rules = [site for site in self._sites[edge.source] if site.kind == "when"]
        index = edge.rule if edge.rule is not None else -1
        wanted = [(site, site.index == index) for site in rules if site.index <= index]
        return [*self._list_entry(edge.source, runs=edge.kind != "skip"), *wanted]

    def _list_entry(self, phase: str, *, runs: bool) -> list[tuple[ExpressionSite, bool]]:
        return [(site, runs) for site in self._sites[phase] if site.kind == "skip"]

    def reduce(self, facts: Facts, left: str, target: str | None) -> Facts:
        """Reduce facts to the values that conditions still read: none of a phase that is visited anew, or is past."""
        live = self._list_live(target)
        kept = set()
        for one in facts:
            stays = [at for at, key in enumerate(one.keys) if key in live and not _is_of(key, left)]
            if len(stays) == len(one.keys):
                kept.add(one)
            elif stays:
                rows = frozenset(tuple(row[at] for at in stays) for row in one.rows)
                kept.add(Relation(tuple(one.keys[at] for at in stays), rows))
        return frozenset(kept)

    def list_live_visits(self, target: str | None) -> frozenset[str]:
        """List the phases whose last visit a condition reads from this phase on."""
        self._list_live(target)
        return self._live_visits[target]

    def _list_live(self, target: str | None) -> frozenset[Key]:
        """List the values that a condition reads from this phase on."""
        if target not in self._live:
            on = [] if target is None else [one for one in self._sites if self._is_ahead(target, one)]
            read = [operand for one in on for site in self._sites[one] for operand in self._operands[site]]
            self._live[target] = frozenset(one.key for one in read)
            roots = {root for one in read for root in one.roots if root[0] in _KINDS_OF_VISITS}
            self._live_visits[target] = frozenset(root[1] for root in roots)
        return self._live[target]

    def _is_ahead(self, phase: str, other: str) -> bool:
        return bool(self._sites[other]) and (phase == other or not is_never_begun(self._view, phase, other))

    def _collect_operands(self) -> dict[Key, set[str]]:
        """Collect the operands of all conditions; return the phases that read each."""
        faulty = find_faulty_sites(self._view)
        uses: dict[Key, list[tuple[ExpressionSite, Operand]]] = defaultdict(list)
        for phase in self._view.phases:
            self._sites[phase] = [one for one in collect_phase_sites(self._view, phase) if one.kind in ("when", "skip")]
            for site in self._sites[phase]:
                found: dict[str, Operand] = {}
                direct: set[str] = set()
                if site.tree is not None and site not in faulty:
                    collect_operands(site.tree, found)
                    direct = set(_find_direct(site.tree))
                self._operands[site] = [
                    self._trace_operand(site, one.tree, is_argument=local not in direct) for local, one in found.items()
                ]
                for traced, operand in zip(self._operands[site], found.values(), strict=True):
                    uses[traced.key].append((site, operand))
                    self._note_visits(traced)
        arguments = {one.key for found in self._operands.values() for one in found if one.is_argument}
        direct_keys = {one.key for found in self._operands.values() for one in found if not one.is_argument}
        for key, used in uses.items():
            self._samples[key] = self._build_samples(key, used)
            if key in arguments - direct_keys:
                self._samples[key] = [*self._samples[key][:1], *([None] if None in self._samples[key][1:] else [])]
        return {key: {site.phase for site, _ in used} for key, used in uses.items()}

    def _note_visits(self, operand: _Operand) -> None:
        for root in operand.roots:
            if root[0] in ("visit", "now") and root[2:] == ("visits",):
                self._counted.add(root[1])

    def _build_samples(self, key: Key, used: Sequence[tuple[ExpressionSite, Operand]]) -> list[Any]:
        """Build the samples of a value that all conditions together tell apart."""
        site, operand = used[0]
        literals = [literal for _, one in used for literal in one.literals]
        samples = [one for one in build_domain(site, Operand(operand.tree, literals)) if one is not None]
        if key[0] in ("answer", "result"):
            is_there = is_never_null(self._view, key[1], key[0], key[2:])
        else:
            is_there = infer_nullness(site, operand.tree) == "never"
        return samples if samples and is_there else [*samples, None]

    def _trace_operand(self, site: ExpressionSite, tree: Tree, *, is_argument: bool) -> _Operand:
        roots = tuple(root for path in find_root_paths(tree) for root in self._trace_roots(site, path))
        return _Operand(build_node_key(tree), self._rename(site, tree), roots, to_field_path(tree), is_argument)

    def _rename(self, site: ExpressionSite, tree: Tree) -> Key:
        """Return a key that is equal for the same function of the same values, whichever phase reads them."""
        path = to_field_path(tree)
        if path is not None:
            return self._trace(site, path)
        kind, children = tree["type"], tree["children"]
        if kind in ("literal", "expref") or not children:
            return (kind, repr(tree))
        if kind in RELATIVE_NODES:
            return (kind, self._rename(site, children[0]), repr(children[1:]))
        return (kind, tree.get("value"), *(self._rename(site, child) for child in children))

    def _trace_roots(self, site: ExpressionSite, path: Sequence[str]) -> Iterator[Key]:
        """Trace the values that a path reads, also those that an input is computed from."""
        key = self._trace(site, path)
        yield key
        if key[0] == "own":
            spec = self._view.phases[site.phase].inputs[path[1]]
            try:
                tree = compile_expression(spec.from_ or "null").parsed
            except ExpressionError:
                return
            yield from (_trace_recalled(one) for one in find_root_paths(tree))

    def _trace(self, site: ExpressionSite, path: Sequence[str]) -> Key:
        """Trace the value at a path to the phase, or the caller, that it comes from."""
        phase = site.phase
        match tuple(path):
            case ("answer" | "answers", *rest) if site.kind == "when" and self._view.phases[phase].asks:
                return ("answer", phase, *rest)
            case ("inputs", name, *rest) if site.kind == "when":
                return self._trace_input(phase, name, rest)
            case ("phases" | "run" | "vars" | "inputs", *_):
                return self._trace_own(site, _trace_recalled(path))
            case _:
                return ("result", phase, *path)

    def _trace_own(self, site: ExpressionSite, key: Key) -> Key:
        """Tell the values of the phase's visit before from those of the visit that its answer decides."""
        if key[1:2] not in ((site.phase,), (STEPS,)):
            return key
        is_decided = site.kind == "when" and decides_by_answer(self._view.phases[site.phase])
        if key[0] == "visit":
            return ("now", *key[1:]) if is_decided else key
        return key if is_decided and key[0] == "answer" else ("before", *key)

    def _trace_input(self, phase: str, name: str, rest: Sequence[str]) -> Key:
        spec = self._view.phases[phase].inputs.get(name)
        if spec is None or spec.from_ is None:
            return ("input", name, *rest)
        read = spec.from_.strip().split(".")
        is_plain = all(part.isidentifier() for part in read) and read[1:2] != [phase]
        return _trace_recalled([*read, *rest]) if is_plain and not spec.has_default else ("own", phase, name, *rest)

    def _solve(self, phase: str, wanted: list[tuple[ExpressionSite, bool]], visits: Visits) -> _Cases:
        operands = {one.local: one for site, _ in wanted for one in self._operands[site]}
        given = {local: self._find_known(one.key, phase, visits) for local, one in operands.items()}
        memo = (phase, tuple((id(site), holds) for site, holds in wanted), repr(given))
        if memo not in self._known:
            self._known[memo] = self._enumerate(wanted, operands, given)
        return self._known[memo]

    def _project(self, found: _Cases) -> Relation | None:
        """Keep of the values of an edge those that other edges depend on, too."""
        if not found.cases:
            return None
        if found not in self._projected:
            shared = [at for at, key in enumerate(found.keys) if key not in self._private]
            rows = frozenset(tuple(case[at] for at in shared) for case in found.cases)
            self._projected[found] = Relation(tuple(found.keys[at] for at in shared), rows, found.is_exact)
        return self._projected[found]

    def _find_known(self, key: Key, phase: str, visits: Visits) -> list[Any]:
        """Return the value as the one item of a list where the visits before say it, else nothing."""
        last = visits.get(key[1], Visit("", 0)) if key[0] in _KINDS_OF_VISITS else Visit("", 0)
        if key[0] not in ("visit", "now"):
            is_lost = key[0] in ("answer", "result") and key[1] != phase and last.status != "complete"
            return [None] if is_lost else []
        if key[0] == "now" and last.status != "unknown":
            last = Visit("complete", last.count + 1)
        match key[2:]:
            case ():
                return [OTHER_OBJECT if last.status else None]
            case ("status",):
                return [last.status or None]
            case ("visits",):
                return [last.count] if last.status != "unknown" else []
            case other:
                return [None] if other[0] == "error" and last.status != "error" else []

    def _enumerate(
        self,
        wanted: list[tuple[ExpressionSite, bool]],
        operands: Mapping[str, _Operand],
        given: Mapping[str, list[Any]],
    ) -> _Cases:
        """Try the samples of all values that decide an edge."""
        open_ = [one for local, one in operands.items() if not given[local]]
        is_exact = not any(one.key in self._entangled or one.key[0] in _DOUBTFUL for one in open_)
        is_exact &= all(self._operands[site] for site, _ in wanted)
        keys = list(dict.fromkeys(one.key for one in open_))
        if prod(len(self._samples[key]) for key in keys) > _MAX_CASES:
            return _Cases((), (), ((),), is_exact=False)
        fixed = {local: known[0] for local, known in given.items() if known}
        cases = []
        for case in product(*(range(len(self._samples[key])) for key in keys)):
            at = dict(zip(keys, case, strict=True))
            values = {**fixed, **{one.local: self._samples[one.key][at[one.key]] for one in open_}}
            if all(self._holds(site, values) in (holds, "unknown") for site, holds in wanted):
                cases.append(case)
        return _Cases(tuple(open_), tuple(keys), tuple(cases), is_exact)

    def _holds(self, site: ExpressionSite, values: Mapping[str, Any]) -> Any:
        if site.tree is None or not self._operands[site]:
            return "unknown"
        try:
            return evaluate_tree(site.tree, values)
        except UndecidedError:
            return None


_KINDS_OF_VISITS = frozenset({"answer", "result", "visit", "now"})
_DOUBTFUL = frozenset({"before", "now", "run", "visit"})
"""Kinds of values that no sample stands for."""


@lru_cache(maxsize=1)
def collect_path_values(view: WorkflowView) -> PathValues:
    """Collect the values that decide the edges of a workflow; cached, because each path needs them."""
    return PathValues(view)


def join_facts(facts: Facts, new: Relation) -> Facts | None:
    """Add what an edge says to what is known; None where both cannot be."""
    if not new.keys:
        return facts
    linked: list[Relation] = []
    keys = set(new.keys)
    rest = set(facts)
    while found := [one for one in rest if not keys.isdisjoint(one.keys)]:
        linked += found
        rest.difference_update(found)
        keys.update(key for one in found for key in one.keys)
    rows = [dict(zip(new.keys, row, strict=True)) for row in new.rows]
    for one in linked:
        others = [dict(zip(one.keys, row, strict=True)) for row in one.rows]
        rows = [
            {**row, **other} for row in rows for other in others if all(row.get(k, v) == v for k, v in other.items())
        ]
        if not rows:
            return None
        if len(rows) > _MAX_ROWS:
            break
    return facts | {Relation(new.keys, new.rows)}


def _agree(one: Mapping[Any, int], other: Mapping[Any, int]) -> bool:
    return all(one.get(key, value) == value for key, value in other.items())


def _find_direct(tree: Tree) -> Iterator[str]:
    """Find the operands that a condition compares, or uses as a boolean."""
    if tree["type"] == "comparator":
        yield build_node_key(tree)  # two values that are compared are one operand
    if tree["type"] in ("and_expression", "or_expression", "not_expression", "comparator"):
        for child in tree["children"]:
            yield from _find_direct(child)
    elif tree["type"] != "literal":
        membership = read_membership(tree)
        yield build_node_key(membership[1] if membership is not None else tree)


def _trace_recalled(path: Sequence[str]) -> Key:
    """Trace a path in the scope of `from`."""
    match tuple(path):
        case ("inputs", *rest):
            return ("input", *rest)
        case ("phases", source, "answer" | "result" as kind, *rest):
            return (kind, source, *rest)
        case ("phases", source, *rest):
            return ("visit", source, *rest)
        case ("run", "visits", source):
            return ("visit", source, "visits")
        case ("run", "step"):
            return ("visit", STEPS, "visits")
        case other:
            return other


def _is_of(key: Key, phase: str) -> bool:
    """Return whether a value, or a part of what it is made of, belongs to a phase."""
    if key and key[0] in ("answer", "result", "own"):
        return bool(key[1] == phase)
    return any(isinstance(part, tuple) and _is_of(part, phase) for part in key)


def _find_entangled(operands: Mapping[ExpressionSite, list[_Operand]]) -> set[Key]:
    """Find the values that say something of each other in conditions of different phases, as a list and its length."""
    readers: dict[Key, set[tuple[Key, str]]] = defaultdict(set)
    for site, found in operands.items():
        for one in found:
            for root in one.roots if not one.is_argument else ():
                readers[root].add((one.key, site.phase))
    entangled: set[Key] = set()
    for root, own in readers.items():
        for length in range(2, len(root) + 1):
            other = readers.get(root[:length], set())
            pairs = [(one, two) for one, by in own for two, to in other if one != two and by != to]
            entangled.update(key for pair in pairs for key in pair)
    return entangled
