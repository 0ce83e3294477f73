"""Check of `output`: it may not require what the tool of its phase never gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.check import Check
from aurora.interpreter.checks.expressions import (
    Shape,
    UnknownName,
    describe_types,
    infer_item,
    infer_json_types,
    resolve_path,
)
from aurora.interpreter.language import find_node
from aurora.interpreter.problems import codes, did_you_mean, list_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.view import Loc, WorkflowView
    from aurora.interpreter.problems import Problem

_MAX_DEPTH = 5


def check_outputs(view: WorkflowView) -> Iterator[Problem]:
    """Report each field that an `output` requires and the tool never gives, or never with that type."""
    for name, phase in view.phases.items():
        facts, own = view.find_tool(name), view.definition.outputs.get(name)
        if phase.output is None or facts is None or own is None:
            continue
        given = Shape(facts.output, facts.output, f'the result of "{facts.name}"')
        for steps, message, help_ in _find_misfits(given, Shape(own, own, '"output"'), ()):
            tree = view.load_schema_tree(name, "output")
            yield codes.SCHEMA_MISFIT.make_problem(find_node(tree, steps).place, message, help=help_)


def _find_misfits(given: Shape, wanted: Shape, steps: Loc) -> Iterator[tuple[Loc, str, str]]:
    """Yield the steps to what never fits in the wanted schema, a message, and its help."""
    got, want = infer_json_types(given), infer_json_types(wanted)
    if got and want and not got & want:
        message = f"{given.label} is {describe_types(got)}, and never {describe_types(want)}"
        yield (*steps, "type"), message, "the run would fail here: correct the schema"
        return
    schema = wanted.resolve() or {}
    if len(steps) >= 2 * _MAX_DEPTH:
        return
    for index, field in enumerate(schema.get("required", ())):
        found = resolve_path(given, (field,)) if isinstance(field, str) else None
        if isinstance(found, UnknownName):
            message = f"{found.sentence}, and the output requires it: the run would fail here"
            choices = f"expected one of {list_names(found.known)}" if found.known else ""
            yield (*steps, "required", index), message, did_you_mean(field, found.known) or choices
    for field in schema.get("properties", {}):
        found, inner = resolve_path(given, (field,)), resolve_path(wanted, (field,))
        if isinstance(found, Shape) and isinstance(inner, Shape):
            yield from _find_misfits(found, inner, (*steps, "properties", field))
    item, wanted_item = infer_item(given), infer_item(wanted)
    if got == want == {"array"} and item is not None and wanted_item is not None:
        yield from _find_misfits(item, wanted_item, (*steps, "items"))


CHECK = Check(check_outputs, is_local=True)
