"""Comparison of a phase: tool, inputs, prompt, answer, loop, aliases, failure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.analysis.proof import estimate_tokens
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.templates.error import PromptError
from aurora.interpreter.templates.render import check_template

from .change import Change
from .further import compare_further_keys
from .schemas import compare_schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec, Phase, Rule

_MAX_VALUE_LENGTH = 120


@dataclass(frozen=True, slots=True)
class PhaseVersion:
    """A phase in one version of the workflow.

    Attributes:
        definition: the version of the workflow.
        name: the phase's id in this version.
        resolve_name: maps a name to its phase, by the id of the later version.
    """

    definition: Definition
    name: str
    resolve_name: Callable[[str], str]

    @property
    def phase(self) -> Phase:
        """The phase in this version."""
        return self.definition.workflow.phases[self.name]

    def locate_key(self, *keys: str | int) -> str:
        """Return `path:line:column` of a key of the phase, else of the phase."""
        whole = ("phases", self.name)
        if keys and isinstance(keys[-1], int):
            rules = find_node(self.definition.root, (*whole, *keys[:-1]))
            return find_node(rules, keys[-1:]).place.label if rules.kind == "list" else rules.place.label
        return find_key(self.definition.root, (*whole, *keys)).place.label


def compare_phases(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    """Yield every difference of a phase."""
    yield from _compare_inputs(was, is_)
    yield from _compare_tools(was, is_)
    yield from _compare_prompts(was, is_)
    yield from _compare_phase_schemas("answer", was, is_, was.definition.answers, is_.definition.answers)
    yield from _compare_phase_schemas("result", was, is_, was.definition.outputs, is_.definition.outputs)
    yield from _compare_loops(was, is_)
    yield from _compare_aliases(was, is_)
    places = [
        [one.locate_key("next_action", index) for index in range(len(one.phase.next_action))] for one in (was, is_)
    ]
    yield from compare_rules(
        is_.name,
        resolve_rules(was.phase.next_action, places[0], was.resolve_name),
        resolve_rules(is_.phase.next_action, places[1], is_.resolve_name),
    )
    yield from _compare_failures(was, is_)
    yield from compare_further_keys(is_.name, was.phase, is_.phase, is_.locate_key)


def _compare_inputs(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase.inputs, is_.phase.inputs
    for name in [*after, *(name for name in before if name not in after)]:
        if name not in before:
            given = after[name]
            needed = given.from_ is None and not given.optional and not given.has_default
            text = f'takes "{name}"' + (", which the caller must give" if needed else "")
            yield Change(is_.name, "input", "added", text, breaking=needed, is_at=is_.locate_key("inputs", name))
        elif name not in after:
            text = f'no longer takes "{name}"'
            yield Change(is_.name, "input", "removed", text, breaking=True, was_at=was.locate_key("inputs", name))
        else:
            yield from _compare_input(name, before[name], after[name], was, is_)


def _compare_input(
    name: str, before: InputSpec, after: InputSpec, was: PhaseVersion, is_: PhaseVersion
) -> Iterator[Change]:
    where = was.locate_key("inputs", name), is_.locate_key("inputs", name)
    if normalise_condition(before.from_) != normalise_condition(after.from_):
        said = (before.from_ or "the caller", after.from_ or "the caller")
        yield Change(is_.name, "input", "changed", f'"{name}" has another source', *said).with_places(*where)
    defaults = [_format_value(one.default) if one.has_default else "none" for one in (before, after)]
    if defaults[0] != defaults[1]:
        yield Change(is_.name, "input", "changed", f'the default of "{name}"', defaults[0], defaults[1]).with_places(
            *where
        )
    if before.optional != after.optional:
        text = f'"{name}" {"may be left out" if after.optional else "is needed"} now'
        yield Change(is_.name, "input", "changed", text, breaking=not after.optional).with_places(*where)
    for one in compare_schemas(before.json_schema, after.json_schema, name):
        yield Change(is_.name, "input", "changed", one.text, breaking=one.narrower).with_places(*where)


def _compare_tools(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase, is_.phase
    if before.uses != after.uses:
        said = (before.uses or "no tool", after.uses or "no tool")
        yield Change(is_.name, "tool", "changed", "uses another tool", *said, is_at=is_.locate_key("uses"))
    yield from _compare_mappings(before.params, after.params, was, is_, "params")
    old, new = dict(before.with_ or {}), dict(after.with_ or {})
    for name in _find_equal_arguments(old, new):
        del old[name]
        new.pop(name, None)
    yield from _compare_mappings(old, new, was, is_, "with")


def _find_equal_arguments(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """Find the arguments with equal expressions; an absent one equals an empty one."""
    return {
        name for name, text in before.items() if normalise_condition(text) == normalise_condition(after.get(name, ""))
    }


def _compare_mappings(
    before: Mapping[str, Any], after: Mapping[str, Any], was: PhaseVersion, is_: PhaseVersion, key: str
) -> Iterator[Change]:
    word = {"params": "setting", "with": "argument"}[key]
    for name in [*after, *(name for name in before if name not in after)]:
        if name not in after:
            text = f'{word} "{name}" is removed'
            yield Change(
                is_.name, "tool", "removed", text, _format_value(before[name]), was_at=was.locate_key(key, name)
            )
        elif name not in before:
            text = f'{word} "{name}"'
            yield Change(
                is_.name, "tool", "added", text, after=_format_value(after[name]), is_at=is_.locate_key(key, name)
            )
        elif before[name] != after[name]:
            text, said = f'{word} "{name}"', (_format_value(before[name]), _format_value(after[name]))
            where = was.locate_key(key, name), is_.locate_key(key, name)
            yield Change(is_.name, "tool", "changed", text, *said).with_places(*where)


def _compare_prompts(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.definition.prompts.get(was.name), is_.definition.prompts.get(is_.name)
    if before is None and after is None:
        return
    if before is None or after is None:
        if after is None:
            yield Change(is_.name, "prompt", "removed", "no longer asks the host", breaking=True)
        else:
            is_at = is_.locate_key("prompt_template")
            yield Change(is_.name, "prompt", "added", "asks the host now", breaking=True, is_at=is_at)
        return
    names = _read_variables(before.text, before.name), _read_variables(after.text, after.name)
    gone, new = sorted(names[0] - names[1]), sorted(names[1] - names[0])
    if gone or new:
        parts = [f"reads {_join_names(new)}"] * bool(new) + [f"no longer reads {_join_names(gone)}"] * bool(gone)
        text = f"the prompt {', and '.join(parts)}"
        yield Change(is_.name, "prompt", "changed", text, is_at=is_.locate_key("prompt_template"))
    elif before.text != after.text:
        tokens = estimate_tokens(before.text), estimate_tokens(after.text)
        text = f"the text of the prompt: about {tokens[1]:,} tokens, and {tokens[0]:,} before"
        yield Change(is_.name, "prompt", "words", text, is_at=is_.locate_key("prompt_template"))


def _compare_phase_schemas(
    about: str, was: PhaseVersion, is_: PhaseVersion, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the differences of the answer's or the result's schema."""
    key = {"answer": "answer", "result": "output"}[about]
    for one in compare_schemas(before.get(was.name, {}), after.get(is_.name, {})):
        text = f"in the {about}, {one.text}"
        breaking = one.narrower and about == "answer"
        yield Change(is_.name, about, "changed", text, breaking=breaking, is_at=is_.locate_key(key))


def _compare_loops(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase.for_each, is_.phase.for_each
    if (before is None) != (after is None):
        text = "asks once for each item now" if after else "asks once, and no longer for each item"
        yield Change(is_.name, "loop", "changed", text, breaking=True, is_at=is_.locate_key("for_each"))
    elif before is not None and after is not None:
        said = [f"{one.as_} in {one.in_}" + (f", {one.max} at once" if one.max else "") for one in (before, after)]
        keys = [(normalise_condition(one.in_), one.as_, one.max, one.limit, one.else_) for one in (before, after)]
        if keys[0] != keys[1]:
            yield Change(
                is_.name, "loop", "changed", "asks for other items", said[0], said[1], is_at=is_.locate_key("for_each")
            )


def _compare_aliases(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase.aliases, is_.phase.aliases
    for alias in (name for name in after if name not in before):
        yield Change(is_.name, "alias", "added", f'may be called "{alias}"', is_at=is_.locate_key("aliases"))
    for alias in (name for name in before if name not in after):
        text = f'may no longer be called "{alias}"'
        yield Change(is_.name, "alias", "removed", text, breaking=True, was_at=was.locate_key("aliases"))


def _compare_failures(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    leads = [one.definition.workflow.find_error_target(one.name) for one in (was, is_)]
    before, after = (one.resolve_name(name) if name else "" for one, name in zip((was, is_), leads, strict=True))
    if before != after:
        said = [f'to "{name}"' if name else "nowhere: the run stops" for name in (before, after)]
        yield Change(
            is_.name, "failure", "changed", "a failure has another target", said[0], said[1], is_at=is_.locate_key()
        )


def _read_variables(text: str, name: str) -> frozenset[str]:
    try:
        return check_template(text, name)
    except PromptError:
        return frozenset()


def _join_names(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _format_value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}…"


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
    paired_ids = {id(version) for version in paired}
    return (version for version in versions if id(version) not in paired_ids)


def _pair_rules(before: Sequence[RuleVersion], after: Sequence[RuleVersion]) -> list[tuple[RuleVersion, RuleVersion]]:
    """Pair the rules that match: in all, in condition and target, in one of them.

    The pairs are in the order of the later version.
    """
    left, right = list(before), list(after)
    pairs: list[tuple[RuleVersion, RuleVersion]] = []
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
