"""What each piece of an expression gives, as far as schemas tell; and what is wrong inside lists and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.suggestions import did_you_mean, listed

from . import alternatives, calls, comparisons
from .shapes import Missing, Shape, Value, follow
from .tree import field_path
from .types import elements, flattened, kinds, list_of, of_literal, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aurora.interpreter.problems.problem import Problem

    from .sites import Site
    from .tree import Tree


def problems(site: Site) -> list[Problem]:
    """Fields that items do not have, comparisons that cannot come out, arguments that a function does not take."""
    if site.tree is None or not site.stretches:
        return []
    walking = _Walking(site)
    walking.value(site.tree, site.scope, 0)
    return walking.problems


def given(site: Site) -> Value:
    """What the whole expression gives."""
    return _Walking(site).value(site.tree, site.scope, 0) if site.tree is not None else None


def of(site: Site, part: Tree) -> Value:
    """What a part of the expression gives that is evaluated over the scope itself."""
    return _Walking(site).value(part, site.scope, 0)


class _Walking:
    """One walk through an expression; `depth` is 0 where the scope is the root, more inside a list or a part."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.problems: list[Problem] = []
        self.ways: dict[str, Callable[[Tree, Value, int], Value]] = {
            "field": self._field,
            "subexpression": self._chain,
            "pipe": self._chain,
            "index_expression": self._chain,
            "index": lambda _, here, __: elements(here),
            "slice": lambda _, here, __: here if "array" in kinds(here) else None,
            "projection": self._projection,
            "filter_projection": self._projection,
            "value_projection": self._values,
            "flatten": lambda node, here, depth: flattened(self._listed(node, here, depth)),
            "comparator": self._comparator,
            "function_expression": self._function,
            "literal": lambda node, _, __: of_literal(node["value"]),
            "identity": lambda _, here, __: here,
            "current": lambda _, here, __: here,
            "multi_select_list": self._several,
            "multi_select_dict": self._several,
            "key_val_pair": lambda node, here, depth: self.value(node["children"][0], here, depth),
            "not_expression": self._several,
            "and_expression": self._either,
            "or_expression": self._either,
        }

    def value(self, node: Tree, here: Value, depth: int) -> Value:
        """What the node gives when it is evaluated over `here`."""
        way = self.ways.get(node["type"])
        return way(node, here, depth) if way else None

    def _field(self, node: Tree, here: Value, depth: int) -> Value:
        name = str(node["value"])
        found = follow(here, (name,))
        if not isinstance(found, Missing):
            return found
        if depth and name != "null":  # what stands at the root is told with its whole path
            choices = f"; expected one of {listed(found.known)}" if found.known else ""
            help_ = did_you_mean(name, found.known)
            if name in self.site.scope.members and found.known and not help_:
                help_ = "in here, names are those of the items; what is outside cannot be named"
            self.problems.append(codes.UNKNOWN_FIELD.at(self.site.at(node), f"{found.sentence}{choices}", help=help_))
        return None

    def _chain(self, node: Tree, here: Value, depth: int) -> Value:
        """Each part is evaluated over what the part before it gives."""
        plain = field_path(node) is not None
        for index, child in enumerate(node["children"]):
            if child["type"] in {"index", "slice"}:
                self._no_items(node["children"][index - 1], here)
            here = self.value(child, here, depth + (index > 0 and not plain))
            if child["type"] == "not_expression":
                here = None  # `!a.b` is told as what it is, and not as a field that true and false do not have
        return here

    def _projection(self, node: Tree, here: Value, depth: int) -> Value:
        item = elements(self._listed(node, here, depth))
        for condition in node["children"][2:]:
            self.value(condition, item, depth + 1)
            self.problems.extend(alternatives.kept(self.site, condition))
        return list_of(self.value(node["children"][1], item, depth + 1))

    def _listed(self, node: Tree, here: Value, depth: int) -> Value:
        """What the items are taken from."""
        source = self.value(node["children"][0], here, depth)
        self._no_items(node["children"][0], source)
        return source

    def _no_items(self, node: Tree, found: Value) -> None:
        """`name[0]`, `name[*]` of what is never a list give null, whatever comes."""
        names = kinds(found)
        if isinstance(found, Shape) and names - {"null"} and "array" not in names:
            what = " or ".join(calls.WORDS[name] for name in sorted(names - {"null"}))
            place = self.site.at(calls.last(node))
            self.problems.append(codes.UNKNOWN_FIELD.at(place, f"there are no items in {found.label}, which is {what}"))

    def _values(self, node: Tree, here: Value, depth: int) -> Value:
        self.value(node["children"][0], here, depth)
        self.value(node["children"][1], None, depth + 1)
        return typed("array")

    def _several(self, node: Tree, here: Value, depth: int) -> Value:
        for child in node["children"]:
            self.value(child, here, depth)
        gives = {"multi_select_list": "array", "multi_select_dict": "object", "not_expression": "boolean"}
        return typed(gives[node["type"]]) if node["type"] in gives else None

    def _either(self, node: Tree, here: Value, depth: int) -> Value:
        """`a || b` gives a where that counts as true, else b; `a && b` gives a where that counts as false, else b."""
        left, right = (kinds(self.value(child, here, depth)) for child in node["children"])
        handed_on = left - ({"null"} if node["type"] == "or_expression" else {"number"})
        return typed(*sorted(handed_on | right)) if left and right else None

    def _comparator(self, node: Tree, here: Value, depth: int) -> Value:
        left, right = (self.value(child, here, depth) for child in node["children"])
        told = list(alternatives.negated(self.site, node, (left, right)))
        told = told or list(alternatives.between(self.site, node))
        self.problems.extend(told or comparisons.between(self.site, node, (left, right), inside=depth > 0))
        return typed("boolean")

    def _function(self, node: Tree, here: Value, depth: int) -> Value:
        arguments: list[Value] = []
        for child in node["children"]:
            if child["type"] == "expref":
                item = elements(arguments[0] if arguments else self._list_of(node["children"], here, depth))
                self.value(child["children"][0], item, depth + 1)
                arguments.append(typed("expref"))
            else:
                arguments.append(self.value(child, here, depth))
        self.problems.extend(calls.problems(self.site, node, arguments))
        return calls.result(node, arguments)

    def _list_of(self, children: Sequence[Tree], here: Value, depth: int) -> Any:
        """The list that `map` takes after its expression."""
        plain = [child for child in children if child["type"] != "expref"]
        return _Walking(self.site).value(plain[0], here, depth) if plain else None
