"""Where inputs are recalled from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import codes
from ..choices import did_you_mean, listed
from .tree import paths, quiet_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..problems import Problem
    from .view import Loc, View

ROOTS = ("inputs", "phases", "run")
PARTS = ("answer", "error", "inputs", "result", "status")


def problems(view: View) -> Iterator[Problem]:
    """A `from` that names a phase, a part or an input that there is not."""
    given = {name for phase in view.phases.values() for name in phase.inputs}
    for name, phase in view.phases.items():
        for key, spec in phase.inputs.items():
            tree = quiet_tree(spec.from_) if spec.from_ else None
            loc: Loc = ("phases", name, "inputs", key, "from")
            for path in paths(tree) if tree is not None else ():
                problem = _source(view, path, given)
                if problem is not None:
                    word, message, help_ = problem
                    offset = max(str(spec.from_).find(word), 0)
                    yield codes.UNKNOWN_SOURCE.at(view.inside(loc, offset, len(word)), message, help=help_)


def _source(  # noqa: PLR0911 - one return per shape of a path
    view: View, path: tuple[str, ...], given: set[str]
) -> tuple[str, str, str] | None:
    match path:
        case (root, *_) if root not in ROOTS:
            message = f'"{root}" is not in the scope of `from`; expected one of {listed(ROOTS)}'
            return root, message, did_you_mean(root, ROOTS)
        case ("inputs", name, *_) if name not in given:
            return name, f'no phase has an input "{name}"', did_you_mean(name, given)
        case ("phases", name, *_) if name not in view.phases:
            message = f'"{name}" is no phase; expected one of {listed(view.phases)}'
            return name, message, did_you_mean(name, view.phases)
        case ("phases", name, part, *_) if part not in PARTS:
            message = f'a phase keeps {listed(PARTS)}, not "{part}"'
            return part, message, did_you_mean(part, PARTS)
        case ("phases", name, "answer", *rest):
            return _kept(view, name, "answer", view.definition.answers.get(name), rest)
        case ("phases", name, "result", *rest):
            return _kept(view, name, "result", view.result_schema(name), rest)
    return None


def _kept(view: View, name: str, part: str, schema: Any, rest: list[str]) -> tuple[str, str, str] | None:
    phase = view.phases[name]
    if (part == "answer" and phase.answer is None) or (part == "result" and phase.uses is None):
        return part, f'phase "{name}" has no {part}', ""
    listwise = part == "answer" and phase.for_each is not None
    if not rest or schema is None or listwise or "$ref" in schema or schema.get("additionalProperties") is not False:
        return None
    known = schema.get("properties", {})
    if rest[0] in known:
        return None
    message = f'the {part} of phase "{name}" has no "{rest[0]}"; it has {listed(known)}'
    return rest[0], message, did_you_mean(rest[0], known)
