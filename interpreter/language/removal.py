"""Removal of a phase by a patch: nothing is recalled from it, and what cannot do without it is listed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurora.interpreter.problems import codes
from aurora.interpreter.yaml import Node, make_list, make_map, to_key_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.problems import Problem

    Pair = tuple[Node, Node]

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
