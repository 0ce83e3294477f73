"""Check of type flow: values from phases to inputs, and from inputs to tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import (
    Shape,
    collect_sites,
    drop_malformed_keywords,
    infer_json_types,
    inference,
)
from aurora.interpreter.checks.expressions import check as expressions
from aurora.interpreter.problems import codes, list_names

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.expressions import Namespace
    from aurora.interpreter.problems import Place, Problem

    from .view import WorkflowView

_TYPE_LABELS = {
    "array": "a list",
    "boolean": "true or false",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}


def check_type_flow(view: WorkflowView) -> Iterator[Problem]:
    """Report each value that never fits, and each with a choice that does not fit."""
    wrong = expressions.find_faulty_sites(view)
    for site in collect_sites(view):
        if site in wrong or site.tree is None:
            continue
        place = site.locate_span((0, len(site.text)))
        if site.kind == "from":
            schema = view.phases[site.phase].inputs[site.name].json_schema
            wanted = Shape(schema, schema, f'input "{site.name}" of phase "{site.phase}"')
            yield from _check_compatibility(inference.infer_expression(site), wanted, place)
        elif site.kind == "with":
            yield from _check_compatibility(
                inference.infer_expression(site), _find_argument_shape(view, site.phase, site.name), place
            )
    for name, phase in view.phases.items():
        for key, spec in phase.inputs.items() if phase.with_ is None and phase.uses is not None else ():
            given = Shape(spec.json_schema, spec.json_schema, f'input "{key}"')
            yield from _check_compatibility(
                given, _find_argument_shape(view, name, key), view.locate_key("phases", name, "inputs", key)
            )


def _find_argument_shape(view: WorkflowView, phase: str, name: str) -> Shape | None:
    facts = view.find_tool(phase)
    schema = facts.input.get("properties", {}).get(name) if facts else None
    if not isinstance(schema, dict) or facts is None:
        return None
    return Shape(schema, facts.input, f'argument "{name}" of tool "{facts.name}"')


def _check_compatibility(given: Namespace | Shape | None, wanted: Shape | None, place: Place) -> Iterator[Problem]:
    """Report a value that does not fit; null is ignored, because it is not passed on."""
    got, want = infer_json_types(given) - {"null"}, infer_json_types(wanted) - {"null"}
    if wanted is None or not got or not want:
        return
    if not got & want:
        message = f"this is {_describe_types(got)}, and {wanted.label} takes {_describe_types(want)}"
        yield codes.SCHEMA_MISFIT.make_problem(
            place, message, help="hand over another value, or mend one of the two schemas"
        )
        return
    have, take = _list_text_choices(given), _list_text_choices(wanted)
    strange = [one for one in have if one not in take] if have and take else []
    if strange and len(strange) == len(have):
        message = f"this is one of {_format_choices(have)}, and {wanted.label} takes {_format_choices(take)}"
        yield codes.SCHEMA_MISFIT.make_problem(
            place, message, help="hand over another value, or mend one of the two schemas"
        )
    elif strange:
        message = f"this may be {_format_choices(strange)}, which {wanted.label} does not take"
        yield codes.MAY_NOT_FIT.make_problem(place, message, help=f"it takes {_format_choices(take)}")


def _list_text_choices(value: Namespace | Shape | None) -> list[str]:
    """List the texts that a value may be; none when they are unknown."""
    schema: dict[str, Any] = drop_malformed_keywords((value.resolved() or {}) if isinstance(value, Shape) else {})
    choices = [schema["const"]] if "const" in schema else schema.get("enum", [])
    texts = [one for one in choices if isinstance(one, str)]
    return texts if len(texts) == len([one for one in choices if one is not None]) else []


def _describe_types(found: frozenset[str]) -> str:
    return " or ".join(sorted(_TYPE_LABELS.get(one, one) for one in found))


def _format_choices(texts: list[str]) -> str:
    return list_names(texts).replace('"', "'")


CHECK = Check(check_type_flow)
