"""A difference between two versions of a workflow, and comparisons of rules, schemas and keys."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.language.build import find_key
from aurora.interpreter.schema.json_values import to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import Phase, Rule

ChangeKind = Literal["added", "removed", "changed", "words"]
"""`words` changes only what people and models read, not the edges or the inputs."""


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two versions of a workflow.

    Attributes:
        phase: its id in the later version; empty for the workflow as a whole.
        about: the subject: `phase`, `rule`, `input`, `tool`, `prompt`, `answer`, `result`, `failure` …
        kind: whether something was added, removed or changed.
        text: the difference in words.
        before, after: the two values; empty where there is nothing to show.
        breaking: a caller of the phase, or a recorded run, may no longer fit.
        was_at, is_at: `path:line:column`; empty where there is none.
    """

    phase: str
    about: str
    kind: ChangeKind
    text: str
    before: str = ""
    after: str = ""
    breaking: bool = False
    was_at: str = ""
    is_at: str = ""

    def with_places(self, was_at: str, is_at: str) -> Change:
        """Return the change with its two places."""
        return replace(self, was_at=was_at, is_at=is_at)


@dataclass(frozen=True, slots=True)
class RuleVersion:
    """A rule in one version: its place, its condition and its resolved targets."""

    rule: Rule
    place: str
    target: str
    else_target: str | None
    guard: str
    """The condition in normal form."""


def resolve_rules(
    rules: Sequence[Rule], places: Sequence[str], resolve_name: Callable[[str], str]
) -> list[RuleVersion]:
    """Resolve the rules of one phase.

    Args:
        rules: the rules in order.
        places: `path:line:column` of each rule.
        resolve_name: maps a name to its phase, by the id of the later version.
    """
    return [
        RuleVersion(
            rule,
            at,
            resolve_name(rule.then),
            resolve_name(rule.else_) if rule.else_ else None,
            normalise_condition(rule.when),
        )
        for rule, at in zip(rules, places, strict=True)
    ]


def compare_rules(phase: str, before: Sequence[RuleVersion], after: Sequence[RuleVersion]) -> Iterator[Change]:
    """Yield the differences of a phase's rules, in the order of the later version."""
    pairs = _pair_rules(before, after)
    for was, is_ in pairs:
        yield from _compare_pair(phase, was, is_)
    for was in _select_unpaired(before, [was for was, _ in pairs]):
        text = f'no longer to "{was.target}"'
        yield Change(phase, "rule", "removed", text, before=_describe_rule(was), was_at=was.place)
    for is_ in _select_unpaired(after, [is_ for _, is_ in pairs]):
        yield Change(phase, "rule", "added", f'to "{is_.target}"', after=_describe_rule(is_), is_at=is_.place)
    if _is_reordered(pairs, before, after):
        order = " → ".join(f'"{is_.target}"' for _, is_ in pairs)
        text = f"the rules are in another order: {order}"
        yield Change(phase, "rule", "changed", text, is_at=pairs[0][1].place)


def _select_unpaired(versions: Iterable[RuleVersion], paired: Iterable[RuleVersion]) -> Iterator[RuleVersion]:
    """Yield the versions that are not paired, compared by identity."""
    # Two rules of a phase may be equal in all parts, and are two rules all the same.
    paired_ids = {id(version) for version in paired}
    return (version for version in versions if id(version) not in paired_ids)


def _pair_rules(before: Sequence[RuleVersion], after: Sequence[RuleVersion]) -> list[tuple[RuleVersion, RuleVersion]]:
    """Pair the rules that match: in all, in condition and target, in one of them.

    The pairs are in the order of the later version.
    """
    left, right = list(before), list(after)
    pairs: list[tuple[RuleVersion, RuleVersion]] = []
    # The closest pairs are made first: a rule that was only moved must not be taken for an edit of another one.
    for key in (_get_full_key, _get_guarded_key, _get_target_key, _get_guard_key):
        for is_ in list(right):
            was = next((one for one in left if key(one) == key(is_)), None)
            if was is not None:
                pairs.append((was, is_))
                left = [one for one in left if one is not was]
                right = [one for one in right if one is not is_]
    place = {id(version): index for index, version in enumerate(after)}
    return sorted(pairs, key=lambda pair: place[id(pair[1])])


def _get_full_key(version: RuleVersion) -> object:
    return (version.guard, version.target, version.else_target, version.rule.max, version.rule.early_exit)


def _get_guarded_key(version: RuleVersion) -> object:
    return (version.guard, version.target)


def _get_target_key(version: RuleVersion) -> object:
    return version.target


def _get_guard_key(version: RuleVersion) -> object:
    return version.guard


def _compare_pair(phase: str, was: RuleVersion, is_: RuleVersion) -> Iterator[Change]:
    if was.guard != is_.guard:
        before, after = was.rule.when or "always", is_.rule.when or "always"
        yield Change(
            phase, "rule", "changed", f'the rule to "{is_.target}" has another condition', before, after
        ).with_places(was.place, is_.place)
    if was.target != is_.target:
        text = f'leads to "{is_.target}", and led to "{was.target}"'
        yield Change(phase, "rule", "changed", text, was.rule.when or "always", is_.rule.when or "always").with_places(
            was.place, is_.place
        )
    if (was.rule.max, was.else_target) != (is_.rule.max, is_.else_target):
        text = f'the rule to "{is_.target}" has another limit'
        yield Change(phase, "rule", "changed", text, _describe_bound(was), _describe_bound(is_)).with_places(
            was.place, is_.place
        )
    if was.rule.early_exit != is_.rule.early_exit:
        text = f'the rule to "{is_.target}" {"is" if is_.rule.early_exit else "is no longer"} an early exit'
        yield Change(phase, "rule", "changed", text).with_places(was.place, is_.place)
    if was.rule.say != is_.rule.say:
        text = f'the message of the rule to "{is_.target}"'
        yield Change(phase, "rule", "words", text, was.rule.say or "nothing", is_.rule.say or "nothing").with_places(
            was.place, is_.place
        )


def _is_reordered(
    pairs: Sequence[tuple[RuleVersion, RuleVersion]], before: Sequence[RuleVersion], after: Sequence[RuleVersion]
) -> bool:
    """Return whether common rules are in another order; an unconditional one does not count."""
    old = {id(version): index for index, version in enumerate(before)}
    new = {id(version): index for index, version in enumerate(after)}
    order = [old[id(was)] for was, is_ in sorted(pairs, key=lambda pair: new[id(pair[1])])]
    return order != sorted(order)


def _describe_bound(version: RuleVersion) -> str:
    if version.rule.max is None:
        return "no limit"
    instead = f', then to "{version.else_target}"' if version.else_target else ""
    return f"at most {version.rule.max} times{instead}"


def _describe_rule(version: RuleVersion) -> str:
    bounds = "" if version.rule.max is None else f" ({_describe_bound(version)})"
    return f"{version.rule.when or 'always'}{bounds}"


Tree = dict[str, Any]


_DUAL_OPERATORS = {"and_expression": "or_expression", "or_expression": "and_expression"}

_MIRRORED_OPERATORS = {"eq": "eq", "ne": "ne", "lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}

_NEGATED_OPERATORS = {"eq": "ne", "ne": "eq"}
"""Orderings are left out: on anything but numbers they give null, and so does their negation."""


def normalise_condition(text: str | None) -> str:
    """Return equal texts for equal conditions; an invalid one equals only itself."""
    if text is None:
        return ""
    try:
        tree = compile_expression(text).parsed
    except ExpressionError:
        return f"unreadable {text.strip()}"
    return json.dumps(_normalise_tree(tree, negated=False), sort_keys=True, default=str)


def _normalise_tree(tree: Tree, *, negated: bool) -> Any:
    kind = tree["type"]
    if kind == "not_expression":
        return _normalise_tree(tree["children"][0], negated=not negated)
    if kind in _DUAL_OPERATORS:
        joined = _DUAL_OPERATORS[kind] if negated else kind
        parts = {
            # Operands as texts can be sorted, and equal ones fall
            # together: `a && b` is `b && a`, and `a || a` is `a`.
            json.dumps(_normalise_tree(one, negated=negated), sort_keys=True, default=str)
            for one in _flatten_operands(tree, kind)
        }
        return [joined, sorted(parts)] if len(parts) > 1 else json.loads(parts.pop())
    plain = _normalise_comparison(tree, negated=negated) if kind == "comparator" else None
    if plain is not None:
        return plain
    said = [kind, tree.get("value"), _normalise_children(tree)]
    return ["not_expression", said] if negated else said


def _normalise_children(tree: Tree) -> list[Any]:
    """Normalise the children of a node; those of a slice are numbers."""
    return [_normalise_tree(one, negated=False) if isinstance(one, dict) else one for one in tree["children"]]


def _normalise_comparison(tree: Tree, *, negated: bool) -> Any:
    sign = tree["value"]
    if negated and sign not in _NEGATED_OPERATORS:
        return None
    sign = _NEGATED_OPERATORS[sign] if negated else sign
    left, right = (_normalise_tree(child, negated=False) for child in tree["children"])
    if json.dumps(left, sort_keys=True, default=str) > json.dumps(right, sort_keys=True, default=str):
        left, right, sign = right, left, _MIRRORED_OPERATORS[sign]
    return ["comparator", sign, [left, right]]


def _flatten_operands(tree: Tree, kind: str) -> Iterator[Tree]:
    """Yield the operands of a chain of the same operator."""
    for child in tree["children"]:
        if child["type"] == kind:
            yield from _flatten_operands(child, kind)
        else:
            yield child


_MAX_VALUE_LENGTH = 120

_PHASE_KEYS = (
    ("when", "condition", "is skipped under another condition", False),
    ("workflow", "workflow", "runs another workflow", True),
    ("branches", "prompt", "asks other prompts at once", True),
    ("person", "person", "asks the person something else", True),
    ("hints", "hints", "`hints` changed", False),
    ("allows", "allows", "allows other things to the host", False),
)
"""A key of a phase, its subject, the words for a change, and whether a change is breaking."""

_WORKFLOW_KEYS = (
    ("pace", "pace", "`pace` changed: one call runs further, or less far", False),
    ("budget", "budget", "`budget` changed", False),
    ("vars", "constants", "has other constants", False),
    ("output", "output", "has another output", True),
    ("requires", "requirements", "needs something else to run", False),
)


def compare_further_keys(name: str, was: Phase, is_: Phase, locate_key: Callable[[str], str]) -> Iterator[Change]:
    """Yield the differences of the keys of a phase that only some phases have.

    Args:
        name: the phase in the later version.
        was: the phase in the earlier version.
        is_: the phase in the later version.
        locate_key: returns `path:line:column` of a key in the later version.
    """
    for key, about, text, breaking in _PHASE_KEYS:
        before, after = (_dump(getattr(one, key)) for one in (was, is_))
        if before != after:
            kind: Any = "words" if key == "hints" else "changed"
            at = locate_key(key)
            yield Change(name, about, kind, text, _shorten(before), _shorten(after), breaking=breaking, is_at=at)


def compare_workflow_keys(before: Definition, after: Definition) -> Iterator[Change]:
    """Yield the differences of the keys of a workflow that only some workflows have."""
    for key, about, text, breaking in _WORKFLOW_KEYS:
        old, new = (_dump(getattr(one.workflow, key)) for one in (before, after))
        if old != new:
            at = find_key(after.root, (key,)).place.label
            yield Change("", about, "changed", text, _shorten(old), _shorten(new), breaking=breaking, is_at=at)


def _dump(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _dump(inner) for name, inner in value.items()}
    return value.model_dump(by_alias=True, mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _shorten(value: Any) -> str:
    return format_value(value) if value else ""


def format_value(value: object) -> str:
    """Format a value as a text, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}…"


_LOWER_BOUNDS = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})

_UPPER_BOUNDS = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})

_ANNOTATIONS = frozenset({"title", "description", "examples", "$comment", "$schema", "$id", "default"})

_COMPARED_KEYWORDS = frozenset({"type", "enum", "required", "properties", "items"})


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """A difference; `narrower` when a value that fitted may not fit now."""

    text: str
    narrower: bool


def compare_schemas(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> Iterator[SchemaChange]:
    """Yield the differences between two schemas, outermost first.

    Args:
        before: the earlier schema; an empty one accepts everything.
        after: the later schema.
        path: the dotted path of the value that they describe; empty for the whole.
    """
    if to_canonical_json(before) == to_canonical_json(after):
        return
    of = f'"{path}"' if path else "the value"
    yield from _compare_types(before, after, of)
    yield from _compare_enums(before, after, of)
    yield from _compare_properties(before, after, path)
    if isinstance(before.get("items"), dict) and isinstance(after.get("items"), dict):
        yield from compare_schemas(before["items"], after["items"], f"{path}[]")
    elif before.get("items") != after.get("items"):
        yield SchemaChange(f"the items of {of} have another schema", narrower="items" in after)
    for key in sorted((before.keys() | after.keys()) - _COMPARED_KEYWORDS - _ANNOTATIONS):
        if before.get(key) != after.get(key):
            yield _compare_bound(key, before.get(key), after.get(key), of)


def _compare_types(before: Mapping[str, Any], after: Mapping[str, Any], of: str) -> Iterator[SchemaChange]:
    was, is_ = _to_names(before.get("type")), _to_names(after.get("type"))
    if was == is_:
        return
    narrower = bool(is_) and not (was and was <= is_)
    yield SchemaChange(f"{of} is {_join_types(is_) or 'anything'}, and was {_join_types(was) or 'anything'}", narrower)


def _compare_enums(before: Mapping[str, Any], after: Mapping[str, Any], of: str) -> Iterator[SchemaChange]:
    was, is_ = before.get("enum"), after.get("enum")
    if isinstance(was, list) and isinstance(is_, list):
        for value in (one for one in was if one not in is_):
            yield SchemaChange(f"{of} may no longer be {_to_json(value)}", narrower=True)
        for value in (one for one in is_ if one not in was):
            yield SchemaChange(f"{of} may be {_to_json(value)} too", narrower=False)
    elif was != is_:
        said = (
            f"{of} is one of {_to_json(is_)}" if is_ is not None else f"{of} is no longer limited to a list of values"
        )
        yield SchemaChange(said, narrower=is_ is not None)


def _compare_properties(before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    was, is_ = _to_mapping(before.get("properties")), _to_mapping(after.get("properties"))
    needed, needs = _to_names(before.get("required")), _to_names(after.get("required"))
    for name in sorted(was.keys() | is_.keys() | needed | needs):
        inner = f"{path}.{name}" if path else name
        if name in needs and name not in needed:
            yield SchemaChange(f'"{inner}" is required now', narrower=True)
        elif name in needed and name not in needs:
            yield SchemaChange(f'"{inner}" is no longer required', narrower=False)
        if name in was and name in is_:
            yield from compare_schemas(_to_mapping(was[name]), _to_mapping(is_[name]), inner)
        elif name in is_ and name not in needs:
            yield SchemaChange(f'"{inner}" is allowed', narrower=False)
        elif name in was:
            yield SchemaChange(f'"{inner}" is removed', narrower=after.get("additionalProperties") is False)


def _compare_bound(key: str, was: object, is_: object, of: str) -> SchemaChange:
    narrower = is_ is not None
    if isinstance(was, int | float) and isinstance(is_, int | float):
        if key in _LOWER_BOUNDS:
            narrower = is_ > was
        elif key in _UPPER_BOUNDS:
            narrower = is_ < was
    now = f"is {_to_json(is_)}" if is_ is not None else "is removed"
    then = f", and was {_to_json(was)}" if was is not None else ""
    return SchemaChange(f"`{key}` of {of} {now}{then}", narrower)


def _to_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _to_names(value: Any) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    return frozenset(str(one) for one in value) if isinstance(value, list) else frozenset()


def _join_types(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
