"""Type inference for expressions, with the signatures and results of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jmespath.functions import Functions

from aurora.interpreter.problems import Fix, codes, did_you_mean, list_names, suggest_fix

from .comparisons import check_constant_filter, check_constant_operand, check_negated_operand, check_operand_types
from .shapes import TYPE_LABELS, InferredType, Shape, UnknownName, describe_types, format_literal, resolve_path
from .sites import is_optional_field, to_field_path, walk_tree
from .tokens import find_function
from .types import (
    build_list_shape,
    build_literal_shape,
    build_object_shape,
    build_typed_shape,
    flatten_list_shape,
    get_json_type,
    infer_item,
    infer_json_types,
    infer_values,
    list_choices,
    summarize_schema,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aurora.interpreter.problems import Place, Problem

    from .shapes import Namespace
    from .sites import ExpressionSite
    from .tokens import Tree

_RETURN_TYPES = {
    "number": {"abs", "avg", "ceil", "floor", "length", "sum"},
    "string": {"join", "to_string", "type"},
    "array": {"keys", "map", "sort", "sort_by", "to_array", "values"},
    "object": {"merge"},
    "boolean": {"contains", "ends_with", "starts_with"},
}


_TYPES = frozenset({"array", "boolean", "null", "number", "object", "string"})
"""The results of the function `type`."""


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
        # A bare `null` is no field of the items, and is null as its author means it.
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
            self.problems.extend(check_constant_filter(self.site, condition))
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
            place = self.site.locate_node(find_last_name(node))
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
        # `||` never gives a null from its left side, and `&&` never a
        # number: in JMESPath, each number is true, 0 too.
        returned = left - ({"null"} if node["type"] == "or_expression" else {"number"})
        return build_typed_shape(*sorted(returned | right)) if left and right else None

    def _infer_comparator(self, node: Tree, here: InferredType, depth: int) -> InferredType:
        left, right = (self.infer_node(child, here, depth) for child in node["children"])
        misreadings = list(check_negated_operand(self.site, node, (left, right)))
        # What is misread is compared with the wrong type, too: that is one mistake, and told once.
        misreadings = misreadings or list(check_constant_operand(self.site, node))
        self.problems.extend(misreadings or check_operand_types(self.site, node, (left, right), inside=depth > 0))
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
        self.problems.extend(check_arguments(self.site, node, arguments))
        return infer_result(node, arguments)

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


def load_signatures() -> dict[str, list[dict[str, Any]]]:
    """Load the library's functions, each with the types of its arguments."""
    return {name: function["signature"] for name, function in Functions.FUNCTION_TABLE.items()}


def check_signature(site: ExpressionSite, node: Tree) -> Iterator[Problem]:
    """Report an unknown function, or a wrong number of arguments."""
    known, name = load_signatures(), str(node["value"])
    if name not in known:
        message = f'there is no function "{name}"; expected one of {list_names(known, most=40)}'
        yield codes.UNKNOWN_FUNCTION.make_problem(
            _locate_function(site, node), message, help=did_you_mean(name, known), fix=suggest_fix(name, known)
        )
        return
    signature = known[name]
    variadic = bool(signature and signature[-1].get("variadic"))
    wanted, got = len(signature), len(node["children"])
    if got < wanted or (got > wanted and not variadic):
        count = f"{'at least ' if variadic else ''}{wanted} argument{'' if wanted == 1 else 's'}"
        yield codes.UNKNOWN_FUNCTION.make_problem(_locate_function(site, node), f'"{name}" takes {count}, not {got}')
    for part in find_missing_references(node):
        path = ".".join(to_field_path(part) or ())
        message = f'"{name}" needs the field of an item here, as an expression after &'
        fix = Fix(path, f"&{path}")
        yield codes.ARGUMENT_TYPE.make_problem(site.locate_parts(part), message, help=f"write `&{path}`", fix=fix)


def find_missing_references(node: Tree) -> Iterator[Tree]:
    """Find the arguments that are a path, where a function takes an expression after `&`."""
    if node["type"] == "function_expression":
        for part, wanted in zip(node["children"], load_signatures().get(node["value"], ()), strict=False):
            if wanted.get("types") == ["expref"] and to_field_path(part) is not None:
                yield part


def _locate_function(site: ExpressionSite, node: Tree) -> Place:
    is_known = bool(site.node_spans)
    return site.locate_node(node) if is_known else site.locate_span(find_function(site.text, node["value"]))


def check_arguments(
    site: ExpressionSite, node: Tree, arguments: Sequence[Namespace | Shape | None]
) -> Iterator[Problem]:
    """Report arguments of a type that the function rejects."""
    name = str(node["value"])
    signature = load_signatures().get(name, [])
    for index, argument in enumerate(arguments):
        if not signature or (index >= len(signature) and not signature[-1].get("variadic")):
            return
        allowed = list(signature[min(index, len(signature) - 1)].get("types") or ())
        if allowed == ["expref"] and to_field_path(node["children"][index]) is not None:
            continue  # the missing & has a report of its own
        found = infer_json_types(argument)
        if allowed and found and not any(_is_accepted(type_, argument) for type_ in allowed):
            wanted = " or ".join(TYPE_LABELS.get(type_, type_) for type_ in allowed)
            got = describe_types(found)
            message = f'argument {index + 1} of "{name}" must be {wanted}, and is {got}; the call would fail'
            place = site.locate_node(find_last_name(node["children"][index]))
            yield codes.ARGUMENT_TYPE.make_problem(place, message)
    if name == "contains" and len(arguments) == len(signature):
        yield from _check_contains(site, node, arguments)


def _check_contains(
    site: ExpressionSite, node: Tree, arguments: Sequence[Namespace | Shape | None]
) -> Iterator[Problem]:
    """Report a literal that no item of the list can equal."""
    first, second = infer_json_types(arguments[0]), infer_json_types(arguments[1])
    if first == {"string"} and second and not second & {"string", "null"}:
        message = f'a text contains texts only, and argument 2 of "contains" is {describe_types(second)}; this is false'
        help_ = "the list comes first: `contains(LIST, VALUE)`" if second == {"array"} else ""
        place = site.locate_node(find_last_name(node["children"][1]))
        yield codes.OPERAND_TYPES.make_problem(place, message, help=help_)
    listed, sought = node["children"]
    item = infer_item(arguments[0])
    if sought["type"] == "literal" and infer_json_types(arguments[0]) == {"array"}:
        yield from _check_item(site, sought, sought["value"], item, "no item of the list ever equals it")
    for literal, value in _list_literals(listed):
        if sought["type"] != "literal" and value is not None:
            yield from _check_item(site, literal, value, arguments[1], "so it never counts")


def _list_literals(listed: Tree) -> list[tuple[Tree, Any]]:
    """List the literals of a list that is written out, each with the part of the expression where it is."""
    if listed["type"] == "literal" and isinstance(listed["value"], list):
        return [(listed, value) for value in listed["value"]]
    children = listed["children"] if listed["type"] == "multi_select_list" else []
    return [(child, child["value"]) for child in children if child["type"] == "literal"]


def _check_item(
    site: ExpressionSite, literal: Tree, value: Any, shape: Namespace | Shape | None, effect: str
) -> Iterator[Problem]:
    """Report a literal that a value of this shape never equals."""
    if not isinstance(shape, Shape):
        return
    choices, types = list_choices(summarize_schema(shape)), infer_json_types(shape)
    types = types or frozenset(map(get_json_type, choices or ()))
    shown = format_literal(value)
    if types and get_json_type(value) not in types:
        message = (
            f"{shown} is {TYPE_LABELS[get_json_type(value)]}, and what it is compared with is {describe_types(types)}"
        )
        yield codes.OPERAND_TYPES.make_problem(site.locate_node(literal), f"{message}; {effect}")
    elif choices is not None and not any(
        get_json_type(one) == get_json_type(value) and one == value for one in choices
    ):
        texts = [choice for choice in choices if isinstance(choice, str)]
        help_ = did_you_mean(value, texts) if isinstance(value, str) else ""
        message = f"{shown} is not one of {', '.join(map(format_literal, choices))}; {effect}"
        yield codes.ENUM_LITERAL.make_problem(site.locate_node(literal), message, help=help_)


def _is_accepted(allowed: str, argument: Namespace | Shape | None) -> bool:
    kind, _, inner = allowed.partition("-")
    items = infer_json_types(infer_item(argument))
    return kind in infer_json_types(argument) and (not inner or not items or inner in items)


def find_last_name(node: Tree) -> Tree:
    """Find the last name or literal of a node, to point at."""
    while node["type"] in ("subexpression", "index_expression") and isinstance(node["children"][-1], dict):
        if node["children"][-1]["type"] in ("index", "slice"):
            return find_last_name(node["children"][0])
        node = node["children"][-1]
    return node


def infer_result(node: Tree, arguments: Sequence[Namespace | Shape | None]) -> Namespace | Shape | None:
    """Infer the type of a call's result."""
    name = str(node["value"])
    if arguments and name in _RESULTS:
        return _RESULTS[name](arguments[0])
    if name == "not_null" and all(infer_json_types(argument) for argument in arguments):
        return build_typed_shape(*sorted(frozenset().union(*map(infer_json_types, arguments))))
    return next((build_typed_shape(kind) for kind, names in _RETURN_TYPES.items() if name in names), None)


def _infer_sorted(value: Namespace | Shape | None) -> Namespace | Shape | None:
    return value if infer_json_types(value) == {"array"} else build_typed_shape("array")


def _infer_number(value: Namespace | Shape | None) -> Shape:
    """Infer the number that a value is converted to: null where a text is none."""
    return build_typed_shape("number") if infer_json_types(value) == {"number"} else build_typed_shape("number", "null")


def _infer_type_name(value: Namespace | Shape | None) -> Shape:
    schema = {"enum": sorted({*(infer_json_types(value) or _TYPES), "null"})}
    return Shape(schema, schema, "its type")


def _infer_keys(value: Namespace | Shape | None) -> Shape:
    """Infer the list of an object's keys; they are known if it has no other field."""
    schema = value.resolve() if isinstance(value, Shape) else None
    fields = schema.get("properties") if schema is not None and schema.get("additionalProperties") is False else None
    names = list(fields) if isinstance(fields, dict) else []
    items = {"enum": names} if names else {"type": "string"}
    return Shape({"type": "array", "items": items}, {}, "the list of keys")


_RESULTS: dict[str, Callable[[Namespace | Shape | None], Namespace | Shape | None]] = {
    **dict.fromkeys(("sort", "sort_by"), _infer_sorted),
    "reverse": lambda value: value if infer_json_types(value) == {"array"} else None,
    **dict.fromkeys(("max", "max_by", "min", "min_by"), infer_item),
    "keys": _infer_keys,
    "to_number": _infer_number,
    "type": _infer_type_name,
    "values": infer_values,
}
"""What a function makes of its first argument."""
