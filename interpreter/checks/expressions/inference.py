"""Type inference for expressions, and the check of nested values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from aurora.interpreter.problems import codes, did_you_mean, list_names

from . import alternatives, calls, comparisons
from .shapes import InferredType, Shape, UnknownName, resolve_path
from .sites import is_optional_field
from .tree import to_field_path, walk_tree
from .types import (
    build_list_shape,
    build_literal_shape,
    build_object_shape,
    build_typed_shape,
    flatten_list_shape,
    infer_item,
    infer_json_types,
)
from .wording import describe_types, format_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aurora.interpreter.problems import Problem

    from .sites import ExpressionSite
    from .tree import Tree


def check_nested_values(site: ExpressionSite) -> list[Problem]:
    """Report unknown fields of items, impossible comparisons and wrong arguments."""
    if site.tree is None or not site.node_spans:
        return []
    inference = _TypeInference(site)
    inference.infer_node(site.tree, site.scope, 0)
    return inference.problems


def infer_expression(site: ExpressionSite) -> InferredType:
    """Infer the type of the whole expression."""
    return infer_part(site, site.tree) if site.tree is not None else None


def infer_part(site: ExpressionSite, part: Tree) -> InferredType:
    """Infer the type of a part that is evaluated over the scope itself."""
    path = to_field_path(part)
    if path is not None:
        found = site.resolve_path(path)
        return found if not isinstance(found, UnknownName) else None
    return _TypeInference(site).infer_node(part, site.scope, 0)


_KEYED_FUNCTIONS = frozenset({"max_by", "min_by", "sort_by"})
"""Functions that compare a field of the items, which must be a number or a text in each."""


_RUN_NAMES = frozenset({"phases", "run", "vars"})
_OUTER_NAMES = _RUN_NAMES | {"answer", "answers", "inputs", "result"}
"""Names of the scope around a filter; items whose fields are unknown may have some of them."""


def _list_paths(tree: Tree | None) -> list[tuple[str, ...]]:
    """List the paths of plain names in an expression."""
    return [path for node in walk_tree(tree) if (path := to_field_path(node))] if tree is not None else []


class _TypeInference:
    """Type inference of one expression.

    `depth` is 0 where the scope is the root, and greater inside a list or a part.
    """

    def __init__(self, site: ExpressionSite) -> None:
        self.site = site
        self.problems: list[Problem] = []

    def infer_node(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        """Infer the type of the node when it is evaluated over `here`."""
        handler = self._handlers.get(node["type"])
        return handler(self, node, here, depth) if handler else None

    def _infer_field(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        name = str(node["value"])
        found = resolve_path(here, (name,))
        if not isinstance(found, UnknownName):
            if depth and found is None and self._is_outer_name(name, here):
                message = f'"{name}" is read as a field of the items here, and is null: a filter knows only its items'
                help_ = self._suggest_constant(node) or "select the items in the prompt, which has both"
                self.problems.append(codes.UNKNOWN_FIELD.make_problem(self.site.locate_node(node), message, help=help_))
            return found
        if depth and name != "null":  # a name at the root is reported with its whole path
            choices = f"; expected one of {list_names(found.known)}" if found.known else ""
            help_ = did_you_mean(name, found.known)
            if name in self.site.scope.members and found.known and not help_:
                outside = "here, names refer to the fields of the items; names from outside are not available"
                help_ = self._suggest_constant(node) or outside
            self.problems.append(
                codes.UNKNOWN_FIELD.make_problem(self.site.locate_node(node), f"{found.sentence}{choices}", help=help_)
            )
        return None

    def _is_outer_name(self, name: str, here: InferredType) -> bool:
        """Return whether a name that the items do not declare can only mean the one of the scope around them."""
        if name not in self.site.scope.members or name not in _OUTER_NAMES:
            return False
        declared = (here.resolve() or {}).get("properties") if isinstance(here, Shape) else None
        return bool(declared) or name in _RUN_NAMES

    def _suggest_constant(self, node: Tree) -> str:
        """Suggest the value of a constant in its place."""
        path = next((path for path in _list_paths(self.site.tree) if path[0] == node["value"] == "vars"), ())
        value: Any = {"vars": self.site.view.definition.workflow.vars}
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return f"write its value, {format_literal(value)}" if value is not None and path[1:] else ""

    def _infer_chain(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        """Infer each part over the result of the part before it."""
        plain = to_field_path(node) is not None
        for index, child in enumerate(node["children"]):
            if child["type"] in {"index", "slice"}:
                self._check_items(node["children"][index - 1], here)
            here = self.infer_node(child, here, depth + (index > 0 and not plain))
            if child["type"] == "not_expression":
                here = None  # `!a.b` has a report of its own, not one of a field that booleans lack
        return here

    def _infer_projection(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        item = infer_item(self._infer_list(node, here, depth))
        for condition in node["children"][2:]:
            self.infer_node(condition, item, depth + 1)
            self.problems.extend(alternatives.check_constant_filter(self.site, condition))
        return build_list_shape(self.infer_node(node["children"][1], item, depth + 1))

    def _infer_list(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        """Infer the list that the items are taken from."""
        source = self.infer_node(node["children"][0], here, depth)
        self._check_items(node["children"][0], source)
        if node["children"][0]["type"] == "identity" and source is self.site.scope:
            place = self.site.locate_span((0, len(self.site.text)))
            message = "there is no list before the brackets, which here give null"
            self.problems.append(
                codes.UNKNOWN_FIELD.make_problem(place, message, help="write the list's name, as in `answer[]`")
            )
        return source

    def _check_items(self, node: Tree, found: InferredType) -> None:
        """Report `name[0]` and `name[*]` of a value that is never a list: always null."""
        types = infer_json_types(found)
        if isinstance(found, Shape) and types - {"null"} and "array" not in types:
            place = self.site.locate_node(calls.find_last_name(node))
            message = f"there are no items in {found.label}, which is {describe_types(types - {'null'})}"
            self.problems.append(codes.UNKNOWN_FIELD.make_problem(place, message))

    def _infer_value_projection(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        self.infer_node(node["children"][0], here, depth)
        self.infer_node(node["children"][1], None, depth + 1)
        return build_typed_shape("array")

    def _infer_children(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        for child in node["children"]:
            self.infer_node(child, here, depth)
        if node["type"] == "multi_select_list":
            schema = {"type": "array", "minItems": len(node["children"]), "maxItems": len(node["children"])}
            return Shape(schema, schema, "the list that the expression makes")
        return build_typed_shape("boolean") if node["type"] == "not_expression" else None

    def _infer_object(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        found = {str(child["value"]): self.infer_node(child, here, depth) for child in node["children"]}
        return build_object_shape(found)

    def _infer_logical(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        """Infer `a || b` (a if true, else b) and `a && b` (a if false, else b)."""
        left, right = (infer_json_types(self.infer_node(child, here, depth)) for child in node["children"])
        returned = left - ({"null"} if node["type"] == "or_expression" else {"number"})
        return build_typed_shape(*sorted(returned | right)) if left and right else None

    def _infer_comparator(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        left, right = (self.infer_node(child, here, depth) for child in node["children"])
        misreadings = list(alternatives.check_negated_operand(self.site, node, (left, right)))
        misreadings = misreadings or list(alternatives.check_constant_operand(self.site, node))
        self.problems.extend(
            misreadings or comparisons.check_operand_types(self.site, node, (left, right), inside=depth > 0)
        )
        return build_typed_shape("boolean")

    def _infer_function(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        arguments: list[InferredType] = []
        for child in node["children"]:
            if child["type"] == "expref":
                item = infer_item(
                    arguments[0] if arguments else self._infer_list_argument(node["children"], here, depth)
                )
                self.infer_node(child["children"][0], item, depth + 1)
                self._check_key(node, child["children"][0], item)
                arguments.append(build_typed_shape("expref"))
            else:
                arguments.append(self.infer_node(child, here, depth))
        self.problems.extend(calls.check_arguments(self.site, node, arguments))
        return calls.infer_result(node, arguments)

    def _check_key(self, node: Tree, key: Tree, item: InferredType) -> None:
        """Report a field that `sort_by` or the like compares, and that an item may lack."""
        if node["value"] not in _KEYED_FUNCTIONS or key["type"] != "field" or not isinstance(item, Shape):
            return
        name = str(key["value"])
        value = resolve_path(item, (name,))
        types = infer_json_types(value) if not isinstance(value, UnknownName) else frozenset()
        is_kept = _filters_by(node["children"][0], name)
        if not is_kept and (is_optional_field(item, name) or (len(types) > 1 and "null" in types)):
            message = f'"{name}" may be missing in {item.label}, and then "{node["value"]}" fails'
            help_ = f"leave those items out first: `[?{name} != null]`; or require the field in the schema"
            self.problems.append(codes.MAY_BE_NULL.make_problem(self.site.locate_node(key), message, help=help_))

    def _infer_list_argument(self, children: Sequence[Tree], here: InferredType, depth: int) -> Any:
        """Infer the list that `map` takes after its expression."""
        plain = [child for child in children if child["type"] != "expref"]
        return _TypeInference(self.site).infer_node(plain[0], here, depth) if plain else None

    _handlers: ClassVar[dict[str, Callable[[Any, Tree, InferredType, int], InferredType]]] = {
        "field": _infer_field,
        "subexpression": _infer_chain,
        "pipe": _infer_chain,
        "index_expression": _infer_chain,
        "index": lambda _, __, here, ___: infer_item(here),
        "slice": lambda _, __, here, ___: here if "array" in infer_json_types(here) else None,
        "projection": _infer_projection,
        "filter_projection": _infer_projection,
        "value_projection": _infer_value_projection,
        "flatten": lambda self, node, here, depth: flatten_list_shape(self._infer_list(node, here, depth)),
        "comparator": _infer_comparator,
        "function_expression": _infer_function,
        "literal": lambda _, node, __, ___: build_literal_shape(node["value"]),
        "identity": lambda _, __, here, ___: here,
        "current": lambda _, __, here, ___: here,
        "multi_select_list": _infer_children,
        "multi_select_dict": _infer_object,
        "key_val_pair": lambda self, node, here, depth: self.infer_node(node["children"][0], here, depth),
        "not_expression": _infer_children,
        "and_expression": _infer_logical,
        "or_expression": _infer_logical,
    }


def _filters_by(listed: Tree, name: str) -> bool:
    """Return whether a list is filtered by a condition that names the field."""
    conditions = [node["children"][2] for node in walk_tree(listed) if node["type"] == "filter_projection"]
    return any(part.get("value") == name for condition in conditions for part in walk_tree(condition))
