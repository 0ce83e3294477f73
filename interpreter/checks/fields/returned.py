"""Check of the fields of a result that responses contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.check import Check
from aurora.interpreter.checks.expressions import UnknownName, build_result_shape, resolve_path
from aurora.interpreter.problems import codes, did_you_mean, list_names, suggest_fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.problems import Problem


def check_returned_fields(view: WorkflowView) -> Iterator[Problem]:
    """Report names under `returns` that the result of the phase does not have."""
    for name, phase in view.phases.items():
        shape = build_result_shape(view, name) if phase.returns else None
        for index, field in enumerate(phase.returns or ()):
            found = resolve_path(shape, (field,))
            if not isinstance(found, UnknownName):
                continue
            choices = f"; expected one of {list_names(found.known)}" if found.known else ""
            yield codes.UNKNOWN_FIELD.make_problem(
                view.locate_value("phases", name, "returns", index),
                f"{found.sentence}{choices}",
                help=did_you_mean(field, found.known),
                fix=suggest_fix(field, found.known),
            )


CHECK = Check(check_returned_fields, is_local=True)
