"""Check of expressions: syntax, functions, fields, comparisons."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.errors import check_cancelled
from aurora.interpreter.checks.view import Check
from aurora.interpreter.expressions.error import ExpressionError
from aurora.interpreter.expressions.jmespath import compile_expression
from aurora.interpreter.problems import Fix, codes, did_you_mean, find_nearest, list_names, suggest_fix

from .comparisons import ComparisonFindings, check_mixed_operators, check_root_comparisons, suggest_comparison
from .domains import NULL_SAFE_FUNCTIONS, infer_nullness, list_types
from .inference import check_nested_values, check_signature, find_missing_references, infer_expression, infer_part
from .scopes import collect_phase_sites, collect_sites, infer_loop
from .shapes import OPERATOR_SYMBOLS, Namespace, Shape, UnknownName, describe_types
from .sites import RELATIVE_NODES, find_needed_items, find_root_paths, iterate_root_nodes, to_field_path, walk_tree
from .tokens import find_path, find_token
from .types import bound_length, infer_json_types, summarize_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.problems import Problem

    from .shapes import InferredType
    from .sites import ExpressionSite
    from .tokens import Tree

_RESULT_FIELD = re.compile(r"\bresult\.(\w+)")

_OTHER_NAMES = {
    **dict.fromkeys(("output", "outputs", "response", "reply", "returned", "value"), ("result", "answer")),
    **dict.fromkeys(("steps", "step", "nodes", "tasks", "jobs", "states", "stages", "phase"), ("phases",)),
    **dict.fromkeys(("input", "args", "arguments", "parameters"), ("inputs",)),
    **dict.fromkeys(("variables", "var", "env", "const", "constants"), ("vars",)),
    **dict.fromkeys(("context", "workflow"), ("run",)),
    "state": ("status",),
}
"""Names of other languages, and those that they mean here."""


def check_expressions(view: WorkflowView) -> Iterator[Problem]:
    """Report the problems of each expression of the workflow."""
    for site, found in _check_sites(view).items():
        yield from found
        if not _is_faulty(found) and site.kind in ("when", "skip"):  # `a && 'x' || 'y'` chooses a value
            yield from check_mixed_operators(site)


@lru_cache(maxsize=1)
def find_faulty_sites(view: WorkflowView) -> frozenset[ExpressionSite]:
    """Find the expressions that have a problem other than a doubt about the values."""
    return frozenset(site for site, found in _check_sites(view).items() if _is_faulty(found))


def _is_faulty(found: Iterable[Problem]) -> bool:
    """Return whether an expression has a problem that makes others of it likely to be wrong, too."""
    doubts = (codes.FREE_TEXT.code, codes.NEGATED_NULL.code)
    return any(problem.code not in doubts for problem in found)


@lru_cache(maxsize=1)
def _check_sites(view: WorkflowView) -> Mapping[ExpressionSite, tuple[Problem, ...]]:
    found: dict[ExpressionSite, tuple[Problem, ...]] = {}
    for site in collect_sites(view):
        check_cancelled()  # a file has thousands of expressions
        found[site] = tuple(_check_site(site))
    return found


def _check_site(site: ExpressionSite) -> Iterator[Problem]:
    try:
        tree: Tree = compile_expression(site.text).parsed
    except ExpressionError as error:
        stretch = (0, len(site.text)) if error.offset is None else (error.offset, error.length)
        yield codes.EXPRESSION_SYNTAX.make_problem(
            site.locate_span(stretch), str(error), help=error.help, fix=_build_fix(site, error)
        )
        return
    is_path = to_field_path(tree) is not None  # without operators, functions and lists
    if not is_path:
        yield from _check_functions(site, tree)
        yield from _check_negated_paths(site, tree)
    yield from _check_own_answer(site, tree)
    compared = ComparisonFindings() if is_path else check_root_comparisons(site, tree)
    yield from compared.problems
    unknown = list(_check_unknown_paths(site, tree, compared.explained_names))
    yield from unknown
    if not is_path:
        yield from check_nested_values(site)
    # With an unknown name in it, nobody knows what a condition gives.
    if site.kind in ("when", "skip") and not unknown:
        unfit = list(check_boolean_result(site, tree))
        yield from unfit
        if not unfit:
            yield from check_empty_lists(site, tree, _list_sites_before(site))
    if site.kind == "for_each" and not unknown:
        yield from _check_iterable(site)


def _list_sites_before(site: ExpressionSite) -> list[ExpressionSite]:
    """List the conditions of the rules before this one."""
    own = collect_phase_sites(site.view, site.phase) if site.kind == "when" else ()
    return [other for other in own if other.kind == "when" and other.index < site.index]


def _check_iterable(site: ExpressionSite) -> Iterator[Problem]:
    """Report a `for_each` over a value that is not a list."""
    found = infer_json_types(infer_expression(site))
    if found and "array" not in found:
        message = f'"in" must be a list, and this is {describe_types(found)}'
        help_ = "name the list itself, or convert the value with to_array()"
        yield codes.SCHEMA_MISFIT.make_problem(site.locate_whole(), message, help=help_)
        return
    path = to_field_path(site.tree) if site.tree is not None else None
    if path is not None and site.infer_presence(path) == "maybe":
        message = f'"{".".join(path)}" may be null, and then there is no list to go through: the run would fail here'
        help_ = f"write `{'.'.join(path)} || `[]``"
        yield codes.MAY_BE_NULL.make_problem(site.locate_whole(), message, help=help_)


def _build_fix(site: ExpressionSite, error: ExpressionError) -> Fix | None:
    """Build the fix that a syntax error suggests."""
    if error.offset is None or not error.replacement:
        return None
    return Fix(site.text[error.offset : error.offset + error.length], error.replacement)


def _check_functions(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    for node in walk_tree(tree):
        if node["type"] == "function_expression":
            yield from check_signature(site, node)


def _check_negated_paths(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    """Report `!a.b`, which the library reads as `(!a).b`, which is always null."""
    for node in walk_tree(tree):
        children = node["children"]
        if node["type"] in RELATIVE_NODES and children and children[0]["type"] == "not_expression":
            place = site.locate_span(find_token(site.text, "not"))
            message = '"!" binds tighter than ".", so this negates only the part before the first dot'
            yield codes.NEGATED_PATH.make_problem(
                place, message, help="put the path in brackets, as in `!(inputs.sure)`"
            )


def _check_own_answer(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    """Report a rule that reads the answer of its own phase by name: that of the visit before."""
    own = ("phases", site.phase, "answer")
    is_rule = site.kind == "when" and site.view.phases[site.phase].asks
    if not is_rule or not any(path[: len(own)] == own for path in find_root_paths(tree)):
        return
    start, _ = find_path(site.text, own, 0)
    last, length = find_path(site.text, own, len(own) - 1)
    written = site.text[start : last + length]
    name = "answers" if site.view.phases[site.phase].for_each else "answer"
    message = f'"{".".join(own)}" in a rule of this phase is the answer of the visit before, and not the one just given'
    place = site.locate_span((start, len(written)))
    yield codes.OWN_ANSWER.make_problem(place, message, help=f"write `{name}`", fix=Fix(written, name))


def _check_unknown_paths(site: ExpressionSite, tree: Tree, explained: frozenset[str]) -> Iterator[Problem]:
    marked = [to_field_path(part) for node in walk_tree(tree) for part in find_missing_references(node)]
    for path in find_root_paths(tree):
        if path in marked:
            continue
        found = site.resolve_path(path)
        # A bare `null` names a field that never exists, and so evaluates to null as the author expects.
        if not isinstance(found, UnknownName) or path == ("null",) or (len(path) == 1 and path[0] in explained):
            continue
        name = path[found.index]
        is_source = site.kind in ("from", "skip", "output") or path[0] == "phases"
        kind = codes.UNKNOWN_SOURCE if is_source else codes.UNKNOWN_FIELD
        choices = f"; expected one of {list_names(found.known)}" if found.known else ""
        place = site.locate_span(find_path(site.text, path, found.index))
        yield kind.make_problem(
            place,
            f"{found.sentence}{choices}",
            help=_suggest_path(site, path) or did_you_mean(name, found.known) or _suggest_quoting(site, path),
            fix=suggest_fix(name, found.known),
        )


def _suggest_path(site: ExpressionSite, path: tuple[str, ...]) -> str:
    """Suggest the path that is meant: with its root before it, or with the names of this language."""
    phase = site.view.phases.get(site.phase)
    roots = ["vars", *(["phases"] if len(path) > 1 else [])]
    if phase is not None and path[0] in phase.inputs and site.kind != "from":
        roots.insert(0, "inputs")
    for root in roots:
        if path[0] in _list_members(site.resolve_path((root,))):
            return f"write `{'.'.join((root, *path))}`"
    field = _RESULT_FIELD.search(site.text) if path[0] == "result" else None
    if field is not None and field[1] in site.scope.members:
        return f"write `{field[1]}`: an expression reads the fields of the result without `result.`, which prompts need"
    meant = _translate_path(site, path)
    return f"write `{'.'.join(meant)}`" if meant is not None else ""


def _list_members(found: object) -> Iterable[str]:
    return found.members if isinstance(found, Namespace) else ()


def _translate_path(site: ExpressionSite, path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Translate the names of other languages in a path; None where it has none, or is still unknown."""
    meant: tuple[str, ...] = ()
    for name in path:
        found = site.resolve_path((*meant, name))
        if isinstance(found, UnknownName):
            others = [other for other in _OTHER_NAMES.get(name.lower(), ()) if other in found.known]
            near = find_nearest(name, found.known) if not others else None
            if not others and near is None:
                return None
            meant = (*meant, others[0] if others else str(near))
        else:
            meant = (*meant, name)
    is_translated = any(name.lower() in _OTHER_NAMES for name, other in zip(path, meant, strict=True) if name != other)
    return meant if is_translated and not isinstance(site.resolve_path(meant), UnknownName) else None


def _suggest_quoting(site: ExpressionSite, path: tuple[str, ...]) -> str:
    """Suggest quotes for an argument that is a single word: it may be meant as a text."""
    is_word = site.kind == "with" and (site.text.strip(),) == path
    return f"""write `"'{path[0]}'"` if it is a text""" if is_word else ""


_NON_BOOLEAN_TYPES = frozenset({"array", "number", "object", "string"})

_REMEDIES = {
    "array": "test its length, as in `length(items) > `0``",
    "number": "compare it with a number, as in `length(items) > `0``",
    "object": "compare one of its fields",
    "string": "compare it with a string, as in `verdict == 'PASS'`",
}

_MINIMUM_KEYWORDS = {"array": "minItems", "object": "minProperties", "string": "minLength"}

_ORDERING_OPERATORS = frozenset({"lt", "lte", "gt", "gte"})

_LOGICAL_NODES = frozenset({"and_expression", "or_expression"})

_PROJECTIONS = frozenset({"filter_projection", "flatten", "projection"})

_REDUCING_FUNCTIONS = frozenset({"avg", "max", "max_by", "min", "min_by"})
"""Functions whose result is null for an empty list."""


def check_boolean_result(site: ExpressionSite, tree: Tree) -> Iterator[Problem]:
    """Report a part that gives a number, a string, a list or an object."""
    for part, before_and in _find_result_operands(tree):
        value = infer_part(site, part)
        found = infer_json_types(value) - {"null"}
        if not found or "boolean" in found or not found <= _NON_BOOLEAN_TYPES:
            continue
        types = describe_types(found)
        place = site.locate_whole() if part is tree else site.locate_parts(part)
        if before_and and not _can_be_empty(value, found):
            if infer_nullness(site, part) != "never":
                continue
            message = f"this part is {types}, which always counts as true; only the part after && decides"
            yield codes.CONSTANT_TEST.make_problem(place, message, help=_REMEDIES[min(found)])
            continue
        subject = "this" if part is tree else "this part of it"
        help_ = suggest_comparison(tree, part) or _REMEDIES[min(found)]
        yield codes.NOT_BOOLEAN.make_problem(place, f'"when" must be a boolean, and {subject} is {types}', help=help_)


def _find_result_operands(tree: Tree, *, before_and: bool = False) -> Iterator[tuple[Tree, bool]]:
    """Find the operands that `&&` and `||` may return, and whether only when empty."""
    if tree["type"] in ("and_expression", "or_expression"):
        left, right = tree["children"]
        yield from _find_result_operands(left, before_and=before_and or tree["type"] == "and_expression")
        yield from _find_result_operands(right, before_and=before_and)
    else:
        yield tree, before_and


def _can_be_empty(value: InferredType, found: frozenset[str]) -> bool:
    """Return whether a value may count as false; 0 counts as true."""
    schema = (value.resolve() or {}) if isinstance(value, Shape) else {}
    if "const" in schema or schema.get("enum"):
        choices = schema.get("enum") or [schema["const"]]
        return any(choice in ("", [], {}) for choice in choices)
    keywords = [_MINIMUM_KEYWORDS[name] for name in found & _MINIMUM_KEYWORDS.keys()]
    return not all(schema.get(keyword) for keyword in keywords)


def check_empty_lists(site: ExpressionSite, tree: Tree, before: Iterable[ExpressionSite]) -> Iterator[Problem]:
    """Report each part that is null when a list is empty, unless something tests the list.

    Args:
        site: the expression, a condition.
        tree: its syntax tree.
        before: the conditions that are false when this one is evaluated.
    """
    earlier = [other.text for other in before]
    yield from _check_missing_lists(site, tree, earlier)
    yield from _check_negated_nulls(site, tree, earlier)
    yield from _check_numbers(site, tree, earlier)
    paths = [path for part in _find_fragile_parts(tree) if (path := _find_empty_list(site, part)) is not None]
    for path in dict.fromkeys(paths):
        if _is_tested(site, path, earlier, paths.count(path)):
            continue
        name = ".".join(path)
        message = f'this is null when "{name}" is empty, and then neither true nor false: the run would fail here'
        help_ = f"write `length({name}) > `0` && …`"
        place = site.locate_path(path)
        yield codes.MAY_BE_NULL.make_problem(place, message, help=help_)


def _check_negated_nulls(site: ExpressionSite, tree: Tree, earlier: Sequence[str]) -> Iterator[Problem]:
    """Report `!(a > b)` where `a` may be null: the comparison is null then, and its negation true."""
    for negation in (node for node in iterate_root_nodes(tree) if node["type"] == "not_expression"):
        orders = (node for node in walk_tree(negation) if node["type"] == "comparator")
        for order in (node for node in orders if node["value"] in _ORDERING_OPERATORS):
            left, right = (_find_nullable(site, part) for part in order["children"])
            path = left or right
            if path is not None and not _is_tested(site, path, earlier):
                sign = OPERATOR_SYMBOLS[_OPPOSITES[order["value"] if left else _MIRRORED[order["value"]]]]
                name = ".".join(path)
                message = f'"{name}" may be null, and then the comparison is null and its negation true'
                help_ = f"write `{name} != null && {name} {sign} …`, or test for null in a rule before"
                place = site.locate_path(path)
                yield codes.NEGATED_NULL.make_problem(place, message, help=help_)


_MIRRORED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}

_OPPOSITES = {"lt": "gte", "lte": "gt", "gt": "lte", "gte": "lt"}


def _find_nullable(site: ExpressionSite, part: Tree) -> tuple[str, ...] | None:
    path = to_field_path(part)
    return path if path is not None and infer_nullness(site, part) == "known" else None


def _is_tested(site: ExpressionSite, path: tuple[str, ...], earlier: Sequence[str], uses: int = 1) -> bool:
    """Return whether a condition reads a path more often than its fault does, or one before it does."""
    pattern = re.compile(r"(?<![\w.])" + r"\s*\.\s*".join(map(re.escape, path)) + r"(?!\w)")
    return any(pattern.search(text) for text in earlier) or len(pattern.findall(site.text)) > uses


def _check_numbers(site: ExpressionSite, tree: Tree, earlier: Sequence[str]) -> Iterator[Problem]:
    """Report `to_number` of a text that need not be a number: it is null then, and so is the comparison."""
    for part in _find_fragile_parts(tree):
        path = to_field_path(part["children"][0]) if part["type"] == "function_expression" else None
        schema = site.find_schema(path) if path is not None and part["value"] == "to_number" else None
        if path is None or schema is None or "string" not in list_types(schema) or schema.keys() & {"enum", "pattern"}:
            continue
        if not _is_tested(site, path, earlier):
            name = ".".join(path)
            message = f'"{name}" is a text, and `to_number` of one that is no number is null: the run would fail here'
            help_ = "give the field `type: number` or `integer`, or a `pattern` of digits"
            place = site.locate_path(path)
            yield codes.MAY_BE_NULL.make_problem(place, message, help=help_)


def _check_missing_lists(site: ExpressionSite, tree: Tree, earlier: Sequence[str]) -> Iterator[Problem]:
    """Report an argument that goes through a list which may be missing, unless something tests for it."""
    found = [
        (path, outer)
        for part in _find_fragile_parts(tree)
        if (path := _find_projected(part))
        for outer in _find_missing(site, path)
    ]
    for path, outer in dict.fromkeys(found):
        if _is_tested(site, outer, earlier, sum(other == outer for _, other in found)):
            continue
        name = ".".join(path)
        message = f'"{name}" may be null, and then so is this argument, which the function refuses: the run would fail'
        place = site.locate_path(path)
        yield codes.MAY_BE_NULL.make_problem(place, message, help=f"write `({name} || `[]`)` for the list")


def _find_projected(part: Tree) -> tuple[str, ...] | None:
    """Find the path of the list that a projection goes through."""
    if part["type"] == "subexpression":
        *before, last = part["children"]
        start, end = to_field_path({"type": "subexpression", "children": before}), _find_projected(last)
        return (*start, *end) if start and end else None
    if part["type"] not in _PROJECTIONS:
        return None
    source = part["children"][0]
    return to_field_path(source) or _find_projected(source)


def _find_missing(site: ExpressionSite, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Find the first part of a path that may be missing; the visit of a phase is one part."""
    for length in range(1, len(path) + 1):
        if site.infer_presence(path[:length]) == "maybe":
            yield path[:2] if path[0] == "phases" else path[:length]
            return


def _find_fragile_parts(tree: Tree) -> Iterator[Tree]:
    """Find the parts that must not be null: operands of an order, arguments, and what may be the result."""
    yield from _find_result_parts(tree)
    for node in iterate_root_nodes(tree):
        is_order = node["type"] == "comparator" and node["value"] in _ORDERING_OPERATORS
        is_strict_call = node["type"] == "function_expression" and node["value"] not in NULL_SAFE_FUNCTIONS
        if is_order or is_strict_call:
            yield from node["children"]


def _find_result_parts(tree: Tree) -> Iterator[Tree]:
    if tree["type"] in _LOGICAL_NODES:
        for child in tree["children"]:
            yield from _find_result_parts(child)
    else:
        yield tree


def _find_empty_list(site: ExpressionSite, part: Tree) -> tuple[str, ...] | None:
    """Find the path of the list whose item the part needs, if it may be empty."""
    for listed, least in _find_lists(part):
        path = to_field_path(listed)
        shape = infer_part(site, listed)
        if path is None or not isinstance(shape, Shape) or infer_json_types(shape) - {"null"} != {"array"}:
            continue
        minimum = (shape.resolve() or {}).get("minItems", 0)
        if path == ("answers",):  # one for each item of the loop
            loop = infer_loop(site.view, site.phase)
            minimum = bound_length(summarize_schema(loop))["minimum"] if isinstance(loop, Shape) else minimum
        if minimum < least:
            return path
    return None


def _find_lists(part: Tree) -> Iterator[tuple[Tree, int]]:
    """Find the lists of which the part takes an item, each with the number of items that it needs."""
    if part["type"] == "function_expression" and part["value"] in _REDUCING_FUNCTIONS:
        yield part["children"][0], 1
    yield from find_needed_items(part)


CHECK = Check(check_expressions, is_local=True)
