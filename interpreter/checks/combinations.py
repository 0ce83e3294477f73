"""Check of keys that need another key of the phase, or exclude one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from aurora.interpreter.problems import Problem

    from .view import WorkflowView

REQUIRED_KEYS = (
    ("output", ("uses",), "there is no result without a tool"),
    ("params", ("uses",), "only a tool has settings"),
    ("returns", ("uses", "workflow"), "there is no result without a tool or a workflow"),
    ("with", ("uses", "workflow"), "only a tool or a workflow has arguments"),
    ("prompt_template", ("answer",), "a prompt needs the schema of its answer"),
    ("answer", ("prompt_template",), "an answer needs a prompt"),
    ("for_each", ("prompt_template", "workflow"), "for_each has a prompt, or a walk of a workflow, for each item"),
)
"""A key, the keys of which it needs one, and the reason."""

_ASKING_KEYS = ("prompt_template", "branches", "person")
EXCLUDED_KEYS = (
    ("workflow", ("uses", *_ASKING_KEYS), "a workflow runs as the whole phase"),
    ("branches", ("prompt_template", "for_each", "person"), "the branches are the prompts of the phase"),
    ("person", ("prompt_template", "uses", "for_each"), "only the person answers such a phase"),
)
"""A key, the keys that the same phase cannot have, and the reason."""


def check_key_combinations(view: WorkflowView) -> Iterator[Problem]:
    """Report keys without the key that they need, and keys that exclude each other."""
    for name, phase in view.phases.items():
        written = _list_written_keys(phase)
        for key, needed, reason in REQUIRED_KEYS:
            excluded = key == "answer" and written & {"branches", "person"}
            if key in written and not written & set(needed) and not excluded:
                wanted = " or ".join(f'"{other}"' for other in needed)
                message = f'"{key}" of phase "{name}" needs {wanted} too: {reason}'
                help_ = f'add {wanted}, or remove "{key}"'
                yield codes.MEANINGLESS_COMBINATION.make_problem(
                    view.locate_key("phases", name, key), message, help=help_
                )
        yield from _check_exclusions(view, name, written)
        yield from _check_skip(view, name)
        yield from _check_limit(view, name)
        yield from _check_prompts_at_once(view, name)
        yield from _check_idle_keys(view, name)


def _check_exclusions(view: WorkflowView, name: str, written: set[str]) -> Iterator[Problem]:
    for key, excluded, reason in EXCLUDED_KEYS:
        others = [other for other in (*excluded, *(() if key == "workflow" else ("answer",))) if other in written]
        if key in written and others:
            found = others[0]
            message = f'phase "{name}" has both "{key}" and "{found}": {reason}'
            help_ = "put one of them into a phase of its own"
            if found == "answer":
                help_ = "give each branch its own `answer`" if key == "branches" else "list the fields under `form`"
            yield codes.MEANINGLESS_COMBINATION.make_problem(
                view.locate_key("phases", name, found), message, help=help_
            )


def _check_skip(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report a phase that can be skipped and has no rule to leave it by then."""
    phase = view.phases[name]
    if phase.when is not None and all(rule.when is not None for rule in phase.next_action):
        message = f'"when" of phase "{name}" needs a rule without `when`: it leads on when the phase is skipped'
        yield codes.MEANINGLESS_COMBINATION.make_problem(
            view.locate_key("phases", name, "when"), message, help="add a last rule `{ then: PHASE }`"
        )


def _check_limit(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report a `limit` of a list without the target for a longer list, and the other way round."""
    loop = view.phases[name].for_each
    if loop is None or (loop.limit is None) is (loop.else_ is None):
        return
    key, other = ("limit", "else") if loop.else_ is None else ("else", "limit")
    remedy = "`else: PHASE`, the target for a longer list" if other == "else" else "`limit: 100`, the most items"
    message = f'"{key}" in "for_each" of phase "{name}" needs "{other}" too'
    yield codes.MEANINGLESS_COMBINATION.make_problem(
        view.locate_key("phases", name, "for_each", key), message, help=f"add {remedy}"
    )


def _check_prompts_at_once(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report a `for_each` without the `max` that prompts need; walks come one after another."""
    phase = view.phases[name]
    if phase.for_each is None or phase.for_each.max is not None or phase.workflow is not None:
        return
    message = f'key "max" is missing in "for_each" of phase "{name}"'
    place = view.locate_key("phases", name, "for_each")
    yield codes.MISSING_KEY.make_problem(place, message, help="add the most prompts in one response: `max: 5`")


def _check_idle_keys(view: WorkflowView, name: str) -> Iterator[Problem]:
    """Report keys that change nothing."""
    phase = view.phases[name]
    for key, spec in phase.inputs.items():
        if spec.override and spec.from_ is None:
            message = f'"override" of input "{key}" has no effect: without "from", the run knows no value to replace'
            place = view.locate_key("phases", name, "inputs", key, "override")
            yield codes.NO_EFFECT.make_problem(place, message, help='remove "override", or add "from"')
    if phase.on_error == name:
        message = (
            f'"on_error" of phase "{name}" names the phase itself, and has no effect: the failure would come again'
        )
        place = view.locate_value("phases", name, "on_error")
        yield codes.NO_EFFECT.make_problem(
            place, message, help="name another phase, or remove it: the call is refused, and can be sent again"
        )
    if phase.hints is not None and not (phase.prompt_template or phase.branches or phase.workflow):
        message = f'"hints" of phase "{name}" have no effect: the phase has no prompt for the host'
        place = view.locate_key("phases", name, "hints")
        yield codes.NO_EFFECT.make_problem(place, message, help='remove "hints", or move them to a phase with a prompt')


def _list_written_keys(phase: BaseModel) -> set[str]:
    fields = type(phase).model_fields
    return {fields[name].alias or name for name in phase.model_fields_set if getattr(phase, name) is not None}


CHECK = Check(check_key_combinations, is_local=True)
