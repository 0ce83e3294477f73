"""Check of type flow: values from phases to inputs, and from inputs to tools."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.check import find_faulty_sites
from aurora.interpreter.checks.expressions.inference import infer_expression
from aurora.interpreter.checks.expressions.scopes import collect_sites, infer_inputs
from aurora.interpreter.checks.expressions.shapes import (
    Shape,
    UnknownName,
    describe_types,
    drop_malformed_keywords,
    resolve_path,
)
from aurora.interpreter.checks.expressions.sites import to_field_path
from aurora.interpreter.checks.expressions.types import bound_length, infer_item, infer_json_types, summarize_schema
from aurora.interpreter.problems import codes, list_names
from aurora.interpreter.schema.validate import find_mismatches

from .entering import can_enter, find_recalled_path
from .view import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter.checks.expressions.shapes import Namespace
    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.problems import Place, Problem

    from .view import WorkflowView

_MISFIT_HELP = "pass another value, or correct one of the two schemas"


def check_type_flow(view: WorkflowView) -> Iterator[Problem]:
    """Report each value that never fits, and each with a choice that does not fit."""
    faulty = find_faulty_sites(view)
    for site in collect_sites(view):
        if site.kind in ("when", "skip") or site in faulty or site.tree is None:
            continue
        locate = site.locate_whole
        if site.kind == "output":
            fields = view.definition.workflow.output or {}
            schema = fields[site.name].json_schema
            wanted = Shape(schema, schema, f'"{site.name}" of the output')
            yield from _check_compatibility(infer_expression(site), wanted, locate)
        elif site.kind == "from":
            schema = view.phases[site.phase].inputs[site.name].json_schema
            wanted = Shape(schema, schema, f'input "{site.name}" of phase "{site.phase}"')
            yield from _check_compatibility(infer_expression(site), wanted, locate, site)
        elif site.kind == "for_each":
            yield from _check_item_limit(view, site, locate)
        elif site.kind == "with":
            wanted_by_tool = _find_argument_shape(view, site.phase, site.name)
            yield from _check_compatibility(infer_expression(site), wanted_by_tool, locate, site)
    for name, phase in view.phases.items():
        passed = phase.inputs if phase.with_ is None and (phase.uses is not None or phase.workflow is not None) else ()
        for key in passed:
            yield from _check_compatibility(
                infer_inputs(view)[name][key],
                _find_argument_shape(view, name, key),
                partial(view.locate_key, "phases", name, "inputs", key),
            )


def _check_item_limit(view: WorkflowView, site: ExpressionSite, locate: Callable[[], Place]) -> Iterator[Problem]:
    """Report a list that always has more items than the `limit` of its `for_each`."""
    loop, listed = view.phases[site.phase].for_each, infer_expression(site)
    least = bound_length(summarize_schema(listed)).get("minimum", 0) if isinstance(listed, Shape) else 0
    if loop is not None and loop.limit is not None and least > loop.limit:
        message = f'the list has at least {least} items, and "limit" is {loop.limit}: it always leads to "{loop.else_}"'
        yield codes.CONSTANT_TEST.make_problem(locate(), message, help="raise the limit, or let the list be shorter")


def _find_argument_shape(view: WorkflowView, phase: str, name: str) -> Shape | None:
    if view.phases[phase].workflow is not None:
        return _find_walk_shape(view, phase, name)
    facts = view.find_tool(phase)
    schema = facts.input.get("properties", {}).get(name) if facts else None
    if not isinstance(schema, dict) or facts is None:
        return None
    return Shape(schema, facts.input, f'argument "{name}" of tool "{facts.name}"')


def _find_walk_shape(view: WorkflowView, phase: str, name: str) -> Shape | None:
    """Find the schema of an input of the first phase of the workflow that a phase runs."""
    walked = view.find_workflow(phase)
    flow = walked.workflow if walked is not None else None
    start = flow.phases.get(flow.map_phase_names().get(flow.start, "")) if flow is not None else None
    spec = start.inputs.get(name) if start is not None else None
    if flow is None or spec is None:
        return None
    return Shape(spec.json_schema, spec.json_schema, f'input "{name}" of workflow "{flow.name}"')


def _check_compatibility(
    given: Namespace | Shape | None,
    wanted: Shape | None,
    locate: Callable[[], Place],
    site: ExpressionSite | None = None,
) -> Iterator[Problem]:
    """Report a value that does not fit; null is ignored, because it is not passed on."""
    if _is_same_single_value(given, wanted) and (site is None or site.kind != "with"):
        return
    got, want = infer_json_types(given) - {"null"}, infer_json_types(wanted) - {"null"}
    if wanted is None or not got or not want:
        return
    if not got & want:
        message = f"this is {describe_types(got)}, and {wanted.label} takes {describe_types(want)}"
        yield codes.SCHEMA_MISFIT.make_problem(locate(), message, help=_MISFIT_HELP)
        return
    yield from _check_items(given, wanted, locate)
    yield from _check_fields(given, wanted, locate)
    unfit = list(_check_literal(site, wanted, locate))
    yield from unfit or _check_choices(given, wanted, locate, site)


def _is_same_single_value(given: Namespace | Shape | None, wanted: Shape | None) -> bool:
    """Return whether both sides have the same schema, of a text, a number or a boolean."""
    if not isinstance(given, Shape) or wanted is None or given.schema != wanted.schema:
        return False
    return given.schema.get("type") in ("boolean", "integer", "number", "string") and "$ref" not in given.schema


def _check_choices(
    given: Namespace | Shape | None, wanted: Shape, locate: Callable[[], Place], site: ExpressionSite | None
) -> Iterator[Problem]:
    """Report a choice that does not fit, unless the rules before the phase exclude it."""
    have, take = _list_text_choices(given), _list_text_choices(wanted)
    unfit = [choice for choice in have if choice not in take] if have and take else []
    if unfit and site is not None:
        excluded = _list_excluded(site, unfit)
        have = [choice for choice in have if choice not in excluded]
        unfit = [choice for choice in unfit if choice not in excluded]
    if unfit and len(unfit) == len(have):
        kind = "one of " if len(have) > 1 else ""
        message = f"this is {kind}{_format_choices(have)}, and {wanted.label} takes {_format_choices(take)}"
        yield codes.SCHEMA_MISFIT.make_problem(locate(), message, help=_MISFIT_HELP)
    elif unfit:
        message = f"this may be {_format_choices(unfit)}, which {wanted.label} does not take"
        yield codes.MAY_NOT_FIT.make_problem(locate(), message, help=f"it takes {_format_choices(take)}")


def _check_items(given: Namespace | Shape | None, wanted: Shape, locate: Callable[[], Place]) -> Iterator[Problem]:
    """Report a list whose items never fit, so that only an empty one does."""
    if not infer_json_types(given) == infer_json_types(wanted) == {"array"}:
        return
    got, want = infer_json_types(infer_item(given)) - {"null"}, infer_json_types(infer_item(wanted)) - {"null"}
    if got and want and not got & want:
        message = f"each item of this is {describe_types(got)}, and {wanted.label} takes a list of {_to_plural(want)}"
        yield codes.MAY_NOT_FIT.make_problem(locate(), message, help=_MISFIT_HELP)


def _check_fields(given: Namespace | Shape | None, wanted: Shape, locate: Callable[[], Place]) -> Iterator[Problem]:
    """Report the required fields of an object that it never has, or never with a type that fits."""
    for name in (wanted.resolve() or {}).get("required", ()) if isinstance(given, Shape) else ():
        found, field = resolve_path(given, (name,)), resolve_path(wanted, (name,))
        if isinstance(found, UnknownName):
            message = f'{wanted.label} needs the field "{name}": {found.sentence}'
            yield codes.SCHEMA_MISFIT.make_problem(locate(), message, help=_MISFIT_HELP)
        elif isinstance(found, Shape) and isinstance(field, Shape):
            got, want = infer_json_types(found), infer_json_types(field)
            if got and want and not got & want:
                message = f'"{name}" of this is {describe_types(got)}; {wanted.label} takes {describe_types(want)}'
                yield codes.SCHEMA_MISFIT.make_problem(locate(), message, help=_MISFIT_HELP)


def _check_literal(site: ExpressionSite | None, wanted: Shape, locate: Callable[[], Place]) -> Iterator[Problem]:
    """Report a literal argument that has the right type and does not fit: a number out of range."""
    schema, tree = wanted.resolve() or {}, site.tree if site is not None and site.kind == "with" else None
    if tree is None or tree["type"] != "literal" or "$ref" in str(schema):
        return
    for mismatch in find_mismatches(tree["value"], schema):
        yield codes.SCHEMA_MISFIT.make_problem(locate(), f"{wanted.label}: {mismatch.message}", help=_MISFIT_HELP)
        return


def _to_plural(types: frozenset[str]) -> str:
    return " or ".join(f"{name}s" for name in sorted(types))


def _list_excluded(site: ExpressionSite, choices: list[str]) -> list[str]:
    """List the choices of a recalled value that the rules before the phase exclude."""
    path = to_field_path(site.tree) if site.tree is not None else None
    source = find_recalled_path(site, path) if path is not None else None
    if source is None or site.kind not in {"from", "with"}:
        return []
    return [choice for choice in choices if not can_enter(site.view, site.phase, source, choice)]


def _list_text_choices(value: Namespace | Shape | None) -> list[str]:
    """List the texts that a value may be; none when they are unknown."""
    schema: dict[str, Any] = drop_malformed_keywords((value.resolve() or {}) if isinstance(value, Shape) else {})
    choices = [schema["const"]] if "const" in schema else schema.get("enum", [])
    texts = [choice for choice in choices if isinstance(choice, str)]
    return texts if len(texts) == sum(choice is not None for choice in choices) else []


def _format_choices(texts: list[str]) -> str:
    return list_names(texts).replace('"', "'")


CHECK = Check(check_type_flow)
