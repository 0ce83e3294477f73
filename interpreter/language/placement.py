"""Placement: `after` in a patch puts a phase behind another one and leads the rules through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes, did_you_mean, list_names
from aurora.interpreter.yaml import Node, make_list, make_map, to_key_text

from .model import END

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem

AFTER = "after"
"""Key of a phase in a patch: the phase behind which it comes."""
_TARGET_KEYS = frozenset({"then", "else"})


def place_phases(base: Node, patch: Node, merged: Node) -> tuple[Node, tuple[Problem, ...]]:
    """Place each phase of a patch that has `after`, in the order of the patch.

    Args:
        base: the workflow before the patch, in which the phases that move have their rules.
        patch: the patch.
        merged: the workflow with the patch, whose places do not change.
    """
    phases = patch.get("phases")
    wanted = [
        (to_key_text(key.value), found)
        for key, value in (phases.items if phases is not None and phases.kind == "map" else ())
        if value.kind == "map" and (found := value.get(AFTER)) is not None
    ]
    if not wanted:
        return merged, ()
    order = _PhaseOrder(base, patch, merged)
    for name, after in wanted:
        order.place_phase(name, after)
    return order.build_tree(), tuple(order.problems)


class _PhaseOrder:
    """The phases of a workflow, while some of them move."""

    def __init__(self, base: Node, patch: Node, merged: Node) -> None:
        self._merged = merged
        self._base = _map_phases(base)
        self._patch = _map_phases(patch)
        self._phases = _map_phases(merged)
        self._start = merged.get("start")
        self.problems: list[Problem] = []

    def place_phase(self, name: str, after: Node) -> None:
        """Place a phase behind another one: what led to the next phase leads to it, and it leads there."""
        key, value = self._phases[name]
        value = _drop_key(value, AFTER)
        self._phases[name] = (key, value)
        target = self._find_target(name, after)
        has_rules = self._patch[name][1].get("next_action") is not None
        rules = self._base[name][1] if has_rules and name in self._base else value
        former = self._find_following(name, rules, after) if name in self._base else None
        if former is not None:
            self._lead_around(name, former)
        following = self._find_following(target, self._phases[target][1], after) if target is not None else None
        if target is None or following is None:
            if value.get("next_action") is None:
                del self._phases[name]  # without a place it lacks its rules
            return
        self._replace_rules(target, following, _make_text(after, name))
        if former is not None and not has_rules:
            self._replace_rules(name, former, following)
        self._lead_to(name, following)
        self._move_behind(name, target)

    def build_tree(self) -> Node:
        """Build the document with the phases in their new order."""
        items = []
        for key, value in self._merged.items:
            word = to_key_text(key.value)
            if word == "phases":
                items.append((key, make_map(value.place, tuple(self._phases.values()))))
            else:
                items.append((key, self._start if word == "start" and self._start is not None else value))
        return make_map(self._merged.place, tuple(items))

    def _find_target(self, name: str, after: Node) -> str | None:
        """Find the phase that `after` names; report one that there is not."""
        names = [other for other in self._phases if other != name]
        found = self._resolve(after.value) if isinstance(after.value, str) else None
        if found in names:
            return found
        expected = f"expected one of {list_names(names)}"
        message = f'"{AFTER}" of phase "{name}" names no other phase of the workflow; {expected}'
        help_ = did_you_mean(str(after.value), names)
        self.problems.append(codes.PATCHES_NOTHING.make_problem(after.place, message, help=help_))
        return None

    def _find_following(self, name: str, phase: Node, after: Node) -> Node | None:
        """Find the target on the way forward: the nearest behind, else that of the rule without `when`.

        A rule without `when` may be the way back, or the way out after a failure. Report a phase without either.
        """
        rules = phase.get("next_action")
        places = {other: place for place, other in enumerate(self._phases)}
        here = places.get(name, len(places))
        targets = [(places.get(self._resolve(node.value), -1), node) for node in _list_targets(rules)]
        ahead = [(place, node) for place, node in targets if place > here]
        if ahead:
            return min(ahead, key=lambda pair: pair[0])[1]
        found = _read_default(rules) if rules is not None else None
        if found is None:
            message = f'"{AFTER}" cannot tell what follows phase "{name}", whose last rule has a "when"'
            help_ = f'leave out "{AFTER}", and name the next phases under `next_action`'
            self.problems.append(codes.PATCHES_NOTHING.make_problem(after.place, message, help=help_))
        return found

    def _lead_around(self, name: str, following: Node) -> None:
        """Lead the rules of all other phases, and the start, to what follows a phase."""
        node = _make_text(following, name)
        for other in self._phases:
            if other != name:
                self._replace_rules(other, node, following)
        if self._start is not None and self._resolve(self._start.value) == name and following.value != END:
            self._start = self._start._replace(value=following.value)

    def _replace_rules(self, phase: str, old: Node, new: Node) -> None:
        key, value = self._phases[phase]
        rules = value.get("next_action")
        if rules is not None:
            changed = self._replace_targets(rules, self._resolve(old.value), new)
            self._phases[phase] = (key, _set_key(value, "next_action", changed))

    def _replace_targets(self, rules: Node, old: str, new: Node) -> Node:
        """Replace the targets that are a phase, or one of its aliases."""
        if rules.kind == "list":
            return make_list(rules.place, (self._replace_targets(rule, old, new) for rule in rules.children))
        if rules.kind == "scalar":
            return rules._replace(value=new.value, style="") if self._resolve(rules.value) == old else rules
        items = (
            (key, self._replace_targets(value, old, new) if to_key_text(key.value) in _TARGET_KEYS else value)
            for key, value in rules.items
        )
        return make_map(rules.place, tuple(items))

    def _lead_to(self, name: str, following: Node) -> None:
        """Give a phase without rules the next phase."""
        key, value = self._phases[name]
        if value.get("next_action") is None:
            self._phases[name] = (key, _set_key(value, "next_action", following))

    def _move_behind(self, name: str, target: str) -> None:
        moved = self._phases.pop(name)
        pairs = list(self._phases.items())
        at = list(self._phases).index(target) + 1
        self._phases = dict([*pairs[:at], (name, moved), *pairs[at:]])

    def _resolve(self, target: object) -> str:
        """Resolve an alias to its phase; any other text is itself."""
        for name, (_, value) in self._phases.items():
            aliases = value.get("aliases")
            if target == name or (aliases is not None and target in [one.value for one in aliases.children]):
                return name
        return str(target)


def _map_phases(tree: Node) -> dict[str, tuple[Node, Node]]:
    phases: Node | None = tree.get("phases")
    pairs = phases.items if phases is not None else ()
    return {to_key_text(key.value): (key, value) for key, value in pairs}


def _list_targets(rules: Node | None) -> list[Node]:
    """List the phases to which rules lead when they apply, without those of an `else`."""
    if rules is None:
        return []
    if rules.kind == "list":
        return [target for rule in rules.children for target in _list_targets(rule)]
    if rules.kind == "scalar":
        return [rules]
    target = rules.get("then")
    return [target] if target is not None and target.kind == "scalar" else []


def _read_default(rules: Node) -> Node | None:
    """Read the target of the rule without `when`; None without such a rule."""
    if rules.kind == "list":
        return _read_default(rules.children[-1]) if rules.children else None
    if rules.kind == "scalar":
        return rules
    return rules.get("then") if rules.get("when") is None else None


def _set_key(node: Node, name: str, value: Node) -> Node:
    """Return the map with another value of a key, which comes last when it is new."""
    if node.get(name) is None:
        return make_map(node.place, (*node.items, (_make_text(value, name), value)))
    items = ((key, value if to_key_text(key.value) == name else old) for key, old in node.items)
    return make_map(node.place, tuple(items))


def _drop_key(node: Node, name: str) -> Node:
    return make_map(node.place, tuple(pair for pair in node.items if to_key_text(pair[0].value) != name))


def _make_text(like: Node, text: str) -> Node:
    """Create a text at the place of another node."""
    return Node("scalar", like.place, value=text)
