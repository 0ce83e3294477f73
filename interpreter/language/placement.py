"""Placement of the phases of a patch: `after` leads rules through a phase, null around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.problems import codes, did_you_mean, list_names
from aurora.interpreter.yaml import Node, make_list, make_map, to_key_text

from .model import END

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.problems import Problem

    Pair = tuple[Node, Node]

AFTER = "after"
"""Key of a phase in a patch: the phase behind which it comes."""


_TARGET_KEYS = frozenset({"then", "else", "on_error", "on_decline"})

_TARGET_OWNERS = ("next_action", "for_each", "person", "on_error")
"""Keys of a phase that are a target, or have one."""


def place_phases(base: Node, patch: Node, merged: Node) -> tuple[Node, tuple[Problem, ...]]:
    """Remove each phase that is null in a patch, and place each that has `after`, in its order.

    Args:
        base: the workflow before the patch, in which the phases that move have their rules.
        patch: the patch.
        merged: the workflow with the patch, whose places do not change; it still has the phases to remove.
    """
    patched, known = _map_phases(patch), _map_phases(base)
    removed = {name: value for name, (_, value) in patched.items() if name in known and _is_null(value)}
    wanted = {
        name: found
        for name, (_, value) in patched.items()
        if value.kind == "map" and (found := value.get(AFTER)) is not None
    }
    if not wanted and not removed:
        return merged, ()
    order = _PhaseOrder(base, patch, merged)
    # Removals first, so that `after` counts only the phases that stay.
    for name, null in removed.items():
        order.remove_phase(name, null)
    for name, after in wanted.items():
        order.place_phase(name, after)
    return order.build_tree(), tuple(order.problems)


class _PhaseOrder:
    """The phases of a workflow, while some of them move."""

    def __init__(self, base: Node, patch: Node, merged: Node) -> None:
        self._merged = merged
        self._base = _map_phases(base)
        self._patch = _map_phases(patch)
        self._phases = _map_phases(merged)
        self._own = patch.place.path
        self._top = {name: node for name in ("start", "on_error", "output") if (node := merged.get(name)) is not None}
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
        self._replace_targets_of(target, following, _make_text(after, name))
        # A phase that moves leaves a gap; rules that the patch wrote itself lead on already.
        if former is not None and not has_rules:
            self._replace_targets_of(name, former, following)
        self._lead_to(name, following)
        self._move_behind(name, target)

    def remove_phase(self, name: str, null: Node) -> None:
        """Remove a phase: what led to it leads to where it leads by default, and nothing is recalled from it."""
        following = self._find_way_on(name)
        if following is None:
            message = f'"{name}" is removed, and its rules do not say what comes instead: the last one has a "when"'
            help_ = "name the next phase under `next_action` in the phases that lead to it"
            self.problems.append(codes.STILL_NEEDED.make_problem(null.place, message, help=help_))
        else:
            self._lead_around(name, following, own=self._own)
        removal = PhaseRemoval(name, self._own)
        removal.needs += self._list_needed_targets(name)
        del self._phases[name]
        self._phases = {
            other: (key, removal.forget_in_phase(other, value)) for other, (key, value) in self._phases.items()
        }
        if (output := self._top.get("output")) is not None and output.kind == "map":
            left = removal.forget_in_output(output)
            self._top["output"] = left if left.items else Node("scalar", output.place)
        if removal.needs and following is not None:
            self.problems.append(report_needs(name, null, removal.needs))

    def _find_way_on(self, name: str) -> Node | None:
        """Find where a phase leads by default: to the nearest phase behind it, else to the end."""
        rules = self._phases[name][1].get("next_action")
        ends = [node for node in _list_targets(rules) if node.value == END]
        return self._find_ahead(name, rules) or (ends[0] if ends else _read_default(rules))

    def _list_needed_targets(self, name: str) -> list[Need]:
        """List what cannot lead around a phase, because the run must not end there."""
        needs = []
        if (start := self._top.get("start")) is not None and self._is_target_of_base(start, name):
            needs.append(Need('"start"', "start: PHASE"))
        if (target := self._top.get("on_error")) is not None and self._is_target_of_base(target, name):
            needs.append(Need('"on_error"', "on_error: PHASE"))
        for phase, (_, value) in self._phases.items():
            target = value.get("on_error")
            if phase != name and target is not None and self._is_target_of_base(target, name):
                needs.append(Need(f'"on_error" of phase "{phase}"', f"{phase}: {{ on_error: null }}"))
        return needs

    def _is_target_of_base(self, target: Node, name: str) -> bool:
        return target.place.path != self._own and self._resolve(target.value) == name

    def build_tree(self) -> Node:
        """Build the document with the phases in their new order."""
        items = []
        for key, value in self._merged.items:
            word = to_key_text(key.value)
            if word == "phases":
                items.append((key, make_map(value.place, tuple(self._phases.values()))))
            else:
                items.append((key, self._top.get(word, value)))
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
        found = self._find_ahead(name, rules) or _read_default(rules)
        if found is None:
            message = f'"{AFTER}" cannot tell what follows phase "{name}", whose last rule has a "when"'
            help_ = f'leave out "{AFTER}", and name the next phases under `next_action`'
            self.problems.append(codes.PATCHES_NOTHING.make_problem(after.place, message, help=help_))
        return found

    def _find_ahead(self, name: str, rules: Node | None) -> Node | None:
        """Find the target that is the nearest phase behind this one."""
        places = {other: place for place, other in enumerate(self._phases)}
        here = places.get(name, len(places))
        targets = [(places.get(self._resolve(node.value), -1), node) for node in _list_targets(rules)]
        ahead = [(place, node) for place, node in targets if place > here]
        return min(ahead, key=lambda pair: pair[0])[1] if ahead else None

    def _lead_around(self, name: str, following: Node, own: str = "") -> None:
        """Lead all targets but those in the file `own` to what follows a phase."""
        node = _make_text(following, name)
        for other in self._phases:
            if other != name:
                self._replace_targets_of(other, node, following, own)
        for key in ("start", "on_error"):
            target = self._top.get(key)
            # A workflow cannot begin at the end, nor can a failure lead
            # there; the missing phase is reported as a need.
            if target is not None and following.value != END and target.place.path != own:
                self._top[key] = self._replace_targets(target, name, following)

    def _replace_targets_of(self, phase: str, old: Node, new: Node, own: str = "") -> None:
        key, value = self._phases[phase]
        for owner in _TARGET_OWNERS:
            found = value.get(owner)
            if found is None or (owner == "on_error" and new.value == END):
                continue
            changed = self._replace_targets(found, self._resolve(old.value), new, own)
            is_idle = owner == "on_error" and changed is not found and self._resolve(new.value) == phase
            value = _drop_key(value, owner) if is_idle else _set_key(value, owner, changed)
        self._phases[phase] = (key, value)

    def _replace_targets(self, rules: Node, old: str, new: Node, own: str = "") -> Node:
        """Replace the targets that are a phase, or one of its aliases; those in the file `own` stay."""
        if rules.kind == "list":
            return make_list(rules.place, (self._replace_targets(rule, old, new, own) for rule in rules.children))
        if rules.kind == "scalar":
            is_meant = rules.place.path != own and self._resolve(rules.value) == old
            return rules._replace(value=new.value, style="") if is_meant else rules
        items = (
            (key, self._replace_targets(value, old, new, own) if to_key_text(key.value) in _TARGET_KEYS else value)
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
    pairs = phases.items if phases is not None and phases.kind == "map" else ()
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


def _is_null(value: Node) -> bool:
    return value.kind == "scalar" and value.value is None


def _read_default(rules: Node | None) -> Node | None:
    """Read the target of the rule without `when`; None without such a rule."""
    if rules is None:
        return None
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


_MAX_NEEDS = 6
"""What still needs a removed phase, as far as one message lists it."""


class Need(NamedTuple):
    """Dependency on a removed phase, and what a patch writes instead."""

    what: str
    remedy: str


def report_needs(name: str, null: Node, needs: list[Need]) -> Problem:
    """Report at the null of a patch what still needs the phase that it removes."""
    more = f" and {len(needs) - _MAX_NEEDS} more" if len(needs) > _MAX_NEEDS else ""
    what = ", ".join(need.what for need in needs[:_MAX_NEEDS])
    help_ = "; ".join(f"`{need.remedy}`" for need in needs[:_MAX_NEEDS])
    message = f'"{name}" is removed, and what is left needs it: {what}{more}'
    return codes.STILL_NEEDED.make_problem(null.place, message, help=f"write {help_}")


class PhaseRemoval:
    """Removal of what a workflow recalls from one phase.

    Args:
        name: the phase.
        own: the file of the patch, whose own expressions stay and have their own problems.

    Attributes:
        needs: what cannot do without the phase; it is left out of the result.
    """

    def __init__(self, name: str, own: str) -> None:
        self.needs: list[Need] = []
        self._reads = re.compile(rf'\b(?:phases|run\.visits)\."?{name}\b"?')
        self._own = own

    def forget_in_output(self, output: Node) -> Node:
        """Leave out the fields of the workflow's output that are read from the phase."""
        return make_map(output.place, tuple(pair for pair in output.items if not self._is_lost_field(pair)))

    def _is_lost_field(self, pair: Pair) -> bool:
        key, field = pair
        if not self._is_read(field.get("from")):
            return False
        self._add(f'"{key.value}" of the output', f"output: {{ {key.value}: null }}")
        return True

    def forget_in_phase(self, phase: str, node: Node) -> Node:
        """Leave out what a phase recalls from the removed one."""
        return make_map(node.place, tuple(self._forget_keys(phase, node))) if node.kind == "map" else node

    def _forget_keys(self, phase: str, node: Node) -> Iterator[Pair]:
        for key, value in node.items:
            word = to_key_text(key.value)
            if word == "when" and self._is_read(value):
                self._add(f'"when" of phase "{phase}"', f"{phase}: {{ when: null }}")
            elif word == "inputs" and value.kind == "map":
                inputs = ((name, self._forget_source(phase, name, spec)) for name, spec in value.items)
                yield key, make_map(value.place, tuple(inputs))
            elif word == "next_action" and value.kind == "list":
                yield key, self._forget_rules(phase, value)
            else:
                if word == "for_each" and self._is_read(value.get("in")):
                    self._add(f'"for_each" of phase "{phase}"', f"{phase}: {{ for_each: {{ in: … }} }}")
                yield key, value

    def _forget_source(self, phase: str, name: Node, spec: Node) -> Node:
        """Drop the `from` of an input; one without a default that is not optional needs the phase."""
        source = spec.get("from")
        if not self._is_read(source):
            return spec
        optional = spec.get("optional")
        can_lack = spec.get("default") is not None or (optional is not None and optional.value is True)
        # Without its source, an input that is computed from several phases would silently be another one.
        reads_more = source is not None and re.search(r"\b(?:phases|inputs)\b", self._reads.sub("", str(source.value)))
        if reads_more or not can_lack:
            value = "from: …" if reads_more else "optional: true"
            remedy = f"{phase}: {{ inputs: {{ {name.value}: {{ {value} }} }} }}"
            self._add(f'input "{name.value}" of phase "{phase}"', remedy)
        return make_map(spec.place, tuple(pair for pair in spec.items if pair[0].value != "from"))

    def _forget_rules(self, phase: str, rules: Node) -> Node:
        lost = [self._is_read(rule.get("when")) for rule in rules.children]
        if any(lost):
            numbers = ", ".join(str(index + 1) for index, is_lost in enumerate(lost) if is_lost)
            self._add(f'rule {numbers} of phase "{phase}"', f"{phase}: {{ next_action: … }}")
        kept = [rule for rule, is_lost in zip(rules.children, lost, strict=True) if not is_lost]
        return make_list(rules.place, kept or rules.children)

    def _is_read(self, text: Node | None) -> bool:
        """Return whether an expression of the extended workflow reads the phase."""
        is_text = text is not None and isinstance(text.value, str) and text.place.path != self._own
        return text is not None and is_text and self._reads.search(text.value) is not None

    def _add(self, what: str, remedy: str) -> None:
        self.needs.append(Need(what, remedy))
