"""Operands of conditions: the values of a run that decide its edges, whichever phase reads them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.check import find_faulty_sites
from aurora.interpreter.checks.expressions.domains import (
    Operand,
    build_domain,
    build_node_key,
    collect_operands,
    infer_nullness,
    list_types,
    read_membership,
)
from aurora.interpreter.checks.expressions.scopes import collect_phase_sites
from aurora.interpreter.checks.expressions.shapes import Shape
from aurora.interpreter.checks.expressions.sites import RELATIVE_NODES, find_root_paths, to_field_path
from aurora.interpreter.checks.expressions.types import summarize_schema
from aurora.interpreter.checks.visits import has_known_targets, is_always_written
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.run.rules import decides_by_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.expressions.tokens import Tree
    from aurora.interpreter.checks.view import WorkflowView

Key = tuple[Any, ...]
"""A value of a run: (`answer`, PHASE, FIELD…), (`result`, PHASE, FIELD…), (`input`, NAME…), or a function of some.

(`visit`, PHASE, …) is what a run says of the last visit of a phase, and (`now`, PHASE, …) of the visit that is decided.
"""

STEPS = ""
"""The name under which the steps of a run are counted, as the visits of a phase are."""

_MIN_PATH_LENGTH = 3


@dataclass(frozen=True, slots=True)
class PathOperand:
    """An operand of a condition.

    Attributes:
        local: its key in the condition.
        key: its key in the run.
        roots: the values that it is made of.
        path: its names in the condition; None for a function.
        is_argument: whether it is only the argument of a function, so that it matters only where it is null.
    """

    local: str
    key: Key
    roots: tuple[Key, ...]
    path: tuple[str, ...] | None
    is_argument: bool


@dataclass(slots=True)
class Conditions:
    """The conditions of a workflow, and what they read.

    Attributes:
        sites: the conditions, by phase.
        operands: what each reads; nothing where the condition is faulty.
        samples: the values that all conditions together tell apart.
        entangled: the values of which conditions of several phases read different parts, as a list and its length.
        private: the values that only their own phase reads.
        counted: the phases of which a condition reads the number of visits.
    """

    sites: dict[str, list[ExpressionSite]] = field(default_factory=dict)
    operands: dict[ExpressionSite, list[PathOperand]] = field(default_factory=dict)
    samples: dict[Key, list[Any]] = field(default_factory=dict)
    entangled: set[Key] = field(default_factory=set)
    private: set[Key] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)


@lru_cache(maxsize=1)
def collect_conditions(view: WorkflowView) -> Conditions:
    """Collect the conditions of a workflow; cached, because each path needs them."""
    found = Conditions()
    uses: dict[Key, list[_Use]] = defaultdict(list)
    for phase in view.phases:
        found.sites[phase] = [site for site in collect_phase_sites(view, phase) if site.kind in ("when", "skip")]
        for site in found.sites[phase]:
            used = list(_list_uses(site))
            found.operands[site] = [one.traced for one in used]
            for one in used:
                uses[one.traced.key].append(one)
    for key, used in uses.items():
        found.samples[key] = _build_samples(view, key, used)
        if key[0] in ("answer", "result") and {one.site.phase for one in used} == {key[1]}:
            found.private.add(key)
        found.counted.update(root[1] for root in used[0].traced.roots if _is_count(root))
    found.entangled = _find_entangled(uses.values())
    return found


def _is_count(key: Key) -> bool:
    return key[0] in ("visit", "now") and key[2:] == ("visits",)


@dataclass(frozen=True, slots=True)
class _Use:
    """A use of an operand in a condition."""

    site: ExpressionSite
    operand: Operand
    traced: PathOperand


def _list_uses(site: ExpressionSite) -> Iterator[_Use]:
    if site.tree is None or site in find_faulty_sites(site.view):
        return
    seen: dict[str, Operand] = {}
    collect_operands(site.tree, seen)
    direct = set(_find_direct(site.tree))
    for local, one in seen.items():
        roots = tuple(root for path in find_root_paths(one.tree) for root in _trace_roots(site, path))
        path, is_argument = to_field_path(one.tree), local not in direct
        yield _Use(site, one, PathOperand(local, _rename(site, one.tree), roots, path, is_argument))


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


def _build_samples(view: WorkflowView, key: Key, used: Sequence[_Use]) -> list[Any]:
    """Build the samples of a value that all conditions together tell apart; null last."""
    site, tree = used[0].site, used[0].operand.tree
    literals = [literal for one in used for literal in one.operand.literals]
    samples = [one for one in build_domain(site, Operand(tree, literals)) if one is not None]
    if key[0] in ("answer", "result"):
        is_there = is_never_null(view, key[1], key[0], key[2:])
    else:
        is_there = infer_nullness(site, tree) == "never"
    # An argument of a function is not compared with anything
    # itself, so one sample stands for all of its values.
    if all(one.traced.is_argument for one in used):
        samples = samples[:1]
    return samples if samples and is_there else [*samples, None]


def _find_entangled(uses: Iterable[Sequence[_Use]]) -> set[Key]:
    """Find the different parts of one value that conditions of different phases read."""
    readers: dict[Key, set[tuple[Key, str]]] = defaultdict(set)
    for one in chain.from_iterable(uses):
        for root in one.traced.roots if not one.traced.is_argument else ():
            readers[root].add((one.traced.key, one.site.phase))
    entangled: set[Key] = set()
    for root, own in readers.items():
        outer = [readers.get(root[:length], set()) for length in range(2, len(root))]
        near = sorted(own.union(*outer), key=repr)
        for (key, phase), (other, elsewhere) in combinations(near, 2):
            # Two parts of one value may depend on each other in a way that samples
            # of each alone do not show; within one phase they are tried together.
            if key != other and phase != elsewhere:
                entangled |= {key, other}
    return entangled


def _rename(site: ExpressionSite, tree: Tree) -> Key:
    """Return a key that is equal for the same function of the same values, whichever phase reads them."""
    path = to_field_path(tree)
    if path is not None:
        return _trace(site, path)
    kind, children = tree["type"], tree["children"]
    if kind in ("literal", "expref") or not children:
        return (kind, repr(tree))
    if kind in RELATIVE_NODES:
        return (kind, _rename(site, children[0]), repr(children[1:]))
    return (kind, tree.get("value"), *(_rename(site, child) for child in children))


def _trace_roots(site: ExpressionSite, path: Sequence[str]) -> Iterator[Key]:
    """Trace the values that a path reads, also those that an input is computed from."""
    key = _trace(site, path)
    yield key
    if key[0] == "own":
        try:
            tree = compile_expression(site.view.phases[site.phase].inputs[path[1]].from_ or "null").parsed
        except ExpressionError:
            return
        yield from (_trace_recalled(one) for one in find_root_paths(tree))


def _trace(site: ExpressionSite, path: Sequence[str]) -> Key:
    """Trace the value at a path to the phase, or the caller, that it comes from."""
    phase = site.phase
    match tuple(path):
        case ("answer" | "answers", *rest) if site.kind == "when" and site.view.phases[phase].asks:
            return ("answer", phase, *rest)
        case ("inputs", name, *rest) if site.kind == "when":
            return _trace_input(site.view, phase, name, rest)
        case ("phases" | "run" | "vars" | "inputs", *_):
            return _trace_own(site, _trace_recalled(path))
        case _:
            return ("result", phase, *path)


def _trace_own(site: ExpressionSite, key: Key) -> Key:
    """Tell the values of the phase's visit before from those of the visit that its answer decides."""
    if key[1:2] not in ((site.phase,), (STEPS,)):
        return key
    is_decided = site.kind == "when" and decides_by_answer(site.view.phases[site.phase])
    if key[0] == "visit":
        return ("now", *key[1:]) if is_decided else key
    return key if is_decided and key[0] == "answer" else ("before", *key)


def _trace_input(view: WorkflowView, phase: str, name: str, rest: Sequence[str]) -> Key:
    spec = view.phases[phase].inputs.get(name)
    if spec is None or spec.from_ is None:
        return ("input", name, *rest)
    read = spec.from_.strip().split(".")
    # Only a plain path is the value itself under another name; with
    # a default, or a computation, the input is a value of its own.
    is_plain = all(part.isidentifier() for part in read) and read[1:2] != [phase]
    return _trace_recalled([*read, *rest]) if is_plain and not spec.has_default else ("own", phase, name, *rest)


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


def is_always_present(site: ExpressionSite, path: Sequence[str] | None) -> bool:
    """Return whether `phases.NAME.result…` or `.answer…` has a value at the site."""
    if path is None or len(path) < _MIN_PATH_LENGTH or path[0] != "phases" or path[2] not in {"answer", "result"}:
        return False
    source, kind, inside = path[1], path[2], path[3:]
    view = site.view
    if source not in view.phases or not has_known_targets(view) or not is_always_written(view, source, site.phase):
        return False
    return is_never_null(view, source, kind, inside)


def is_never_null(view: WorkflowView, phase: str, kind: str, path: Sequence[str]) -> bool:
    """Return whether there is a value at a path of each result, or answer, that a phase has written."""
    # The answer is a list of answers then, and the schema is that of one of them.
    if kind == "answer" and view.phases[phase].for_each is not None:
        return not path
    here: Any = view.definition.answers.get(phase) if kind == "answer" else view.find_result_schema(phase)
    for part in path:
        if not isinstance(here, dict) or part not in here.get("required", ()) or "null" in list_types(here):
            return False
        here = here.get("properties", {}).get(part)
    if not isinstance(here, dict):
        return False
    choices = [here["const"]] if "const" in here else here.get("enum")
    if isinstance(choices, list):
        return None not in choices
    return bool(list_types(here)) and "null" not in list_types(here)


def find_optional_field(site: ExpressionSite, path: Sequence[str]) -> str | None:
    """Find the first field of a result or answer that its schema declares and does not require."""
    if len(path) <= _MIN_PATH_LENGTH or path[2] not in {"answer", "result"}:
        return None
    for at in range(_MIN_PATH_LENGTH, len(path)):
        shape = site.resolve_path(path[:at])
        schema = summarize_schema(shape) if isinstance(shape, Shape) else {}
        properties = schema.get("properties", {})
        if path[at] not in properties or _COMPOSING_KEYWORDS & set(schema):
            return None
        if path[at] not in schema.get("required", ()):
            return path[at]
    return None


def may_be_null(site: ExpressionSite, path: Sequence[str]) -> bool:
    """Return whether the schema of an answer or result names null."""
    schema = site.find_schema(path) if len(path) >= _MIN_PATH_LENGTH and path[2] in {"answer", "result"} else None
    return schema is not None and ("null" in schema.get("type", ()) or None in schema.get("enum", ()))


_COMPOSING_KEYWORDS = frozenset({"allOf", "anyOf", "oneOf", "if", "dependentRequired"})
