"""Check of keys that need another key of the phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language import Phase
    from aurora.interpreter.problems import Problem

    from .view import WorkflowView

REQUIRED_KEYS = (
    ("output", "uses", "there is no result without a tool"),
    ("params", "uses", "only a tool has settings"),
    ("with", "uses", "only a tool has arguments"),
    ("prompt_template", "answer", "a prompt needs the schema of its answer"),
    ("answer", "prompt_template", "an answer needs a prompt"),
    ("for_each", "prompt_template", "for_each renders a prompt for each item"),
)
"""A key, the key that it needs, and the reason."""


def check_key_combinations(view: WorkflowView) -> Iterator[Problem]:
    """Report phases that do nothing, and keys without the key that they need."""
    for name, phase in view.phases.items():
        written = _list_written_keys(phase)
        for key, needed, reason in REQUIRED_KEYS:
            if key in written and needed not in written:
                message = f'"{key}" of phase "{name}" needs "{needed}" too: {reason}'
                yield codes.MEANINGLESS_COMBINATION.make_problem(
                    view.locate_key("phases", name, key), message, help=f'add "{needed}", or remove "{key}"'
                )


def _list_written_keys(phase: Phase) -> set[str]:
    fields = type(phase).model_fields
    return {fields[name].alias or name for name in phase.model_fields_set if getattr(phase, name) is not None}


CHECK = Check(check_key_combinations, is_local=True)
