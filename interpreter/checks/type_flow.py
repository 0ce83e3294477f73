"""Values that do not fit where they are handed: from a phase to an input, from an input to a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import check as expressions
from aurora.interpreter.checks.expressions import inference
from aurora.interpreter.checks.expressions.shapes import Shape, sound
from aurora.interpreter.checks.expressions.sites import sites
from aurora.interpreter.checks.expressions.types import kinds
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.suggestions import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.expressions.shapes import Group
    from aurora.interpreter.problems.problem import Place, Problem

    from .view import View

_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "number": "a number",
    "object": "an object",
    "string": "a text",
}


def problems(view: View) -> Iterator[Problem]:
    """Each value of which it is sure that it never fits, and each with a choice that does not."""
    wrong = expressions.wrong(view)
    for site in sites(view):
        if site in wrong or site.tree is None:
            continue
        place = site.place((0, len(site.text)))
        if site.kind == "from":
            schema = view.phases[site.phase].inputs[site.name].json_schema
            wanted = Shape(schema, schema, f'input "{site.name}" of phase "{site.phase}"')
            yield from _fit(inference.given(site), wanted, place)
        elif site.kind == "with":
            yield from _fit(inference.given(site), _argument(view, site.phase, site.name), place)
    for name, phase in view.phases.items():
        for key, spec in phase.inputs.items() if phase.with_ is None and phase.uses is not None else ():
            given = Shape(spec.json_schema, spec.json_schema, f'input "{key}"')
            yield from _fit(given, _argument(view, name, key), view.key("phases", name, "inputs", key))


def _argument(view: View, phase: str, name: str) -> Shape | None:
    facts = view.facts(phase)
    schema = facts.input.get("properties", {}).get(name) if facts else None
    if not isinstance(schema, dict) or facts is None:
        return None
    return Shape(schema, facts.input, f'argument "{name}" of tool "{facts.name}"')


def _fit(given: Group | Shape | None, wanted: Shape | None, place: Place) -> Iterator[Problem]:
    """Null is left out of account: what is null is not handed over."""
    got, want = kinds(given) - {"null"}, kinds(wanted) - {"null"}
    if wanted is None or not got or not want:
        return
    if not got & want:
        message = f"this is {_worded(got)}, and {wanted.label} takes {_worded(want)}"
        yield codes.MISFIT.at(place, message, help="hand over another value, or mend one of the two schemas")
        return
    have, take = _choices(given), _choices(wanted)
    strange = [one for one in have if one not in take] if have and take else []
    if strange and len(strange) == len(have):
        message = f"this is one of {_shown(have)}, and {wanted.label} takes {_shown(take)}"
        yield codes.MISFIT.at(place, message, help="hand over another value, or mend one of the two schemas")
    elif strange:
        message = f"this may be {_shown(strange)}, which {wanted.label} does not take"
        yield codes.MAY_MISFIT.at(place, message, help=f"it takes {_shown(take)}")


def _choices(value: Group | Shape | None) -> list[str]:
    """The texts that it may be; none when that is not known."""
    schema: dict[str, Any] = sound((value.resolved() or {}) if isinstance(value, Shape) else {})
    choices = [schema["const"]] if "const" in schema else schema.get("enum", [])
    texts = [one for one in choices if isinstance(one, str)]
    return texts if len(texts) == len([one for one in choices if one is not None]) else []


def _worded(found: frozenset[str]) -> str:
    return " or ".join(sorted(_WORDS.get(one, one) for one in found))


def _shown(texts: list[str]) -> str:
    return listed(texts).replace('"', "'")
