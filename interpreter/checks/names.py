"""Check of duplicate and reserved names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aurora.interpreter.language import CONTINUE, RESERVED_INPUTS, RESERVED_PHASES
from aurora.interpreter.problems import codes

from .check import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.interpreter.language import Phase
    from aurora.interpreter.problems import Place, Problem

    from .view import WorkflowView

RENAME_HELP = "choose another name"
RESERVED_ITEMS = frozenset({"inputs", "result", "run", "loop", "vars"})
"""Names in a prompt's scope besides the inputs."""
_SCOPE_NAMES = frozenset({"answers", "inputs", "phases", "result", "vars"})


def check_reserved_names(view: WorkflowView) -> Iterator[Problem]:
    """Report aliases of another phase, and reserved words used as names."""
    owners: dict[str, tuple[str, Callable[[], Place]]] = {
        name: (f'phase "{name}"', partial(view.locate_key, "phases", name)) for name in view.phases
    }
    for name, phase in view.phases.items():
        if name in RESERVED_PHASES:
            message = f'"{name}" cannot name a phase: {_describe_reserved(name)}'
            yield codes.RESERVED_NAME.make_problem(view.locate_key("phases", name), message, help=RENAME_HELP)
        for index, alias in enumerate(phase.aliases):
            yield from _check_alias(view, name, index, alias, owners)
        yield from _check_item_name(view, name, phase)
        for key in phase.inputs:
            if key in RESERVED_INPUTS:
                what = "expressions have another value" if key in _SCOPE_NAMES else "the call has an argument"
                message = f'"{key}" cannot name an input of phase "{name}": {what} of that name'
                yield codes.RESERVED_NAME.make_problem(
                    view.locate_key("phases", name, "inputs", key), message, help=RENAME_HELP
                )


def _check_item_name(view: WorkflowView, name: str, phase: Phase) -> Iterator[Problem]:
    """Report a `for_each` item whose name the prompt already has."""
    if phase.for_each is None:
        return
    item = phase.for_each.as_
    if item in RESERVED_ITEMS:
        place = view.locate_value("phases", name, "for_each", "as")
        message = f'"{item}" cannot name the item of phase "{name}": the prompt has another value of that name'
        yield codes.RESERVED_NAME.make_problem(place, message, help="for example `as: item`")
    elif item in phase.inputs:
        place = view.locate_value("phases", name, "for_each", "as")
        other = view.locate_key("phases", name, "inputs", item)
        message = f'"{item}" names both the item of phase "{name}" and one of its inputs'
        yield codes.NAME_CLASH.make_problem(
            place, message, help="give the item another name", note=f"the input is at {other.label}"
        )


def _check_alias(
    view: WorkflowView, phase: str, index: int, alias: str, owners: dict[str, tuple[str, Callable[[], Place]]]
) -> Iterator[Problem]:
    locate = partial(view.locate_value, "phases", phase, "aliases", index)
    if alias in RESERVED_PHASES:
        yield codes.RESERVED_NAME.make_problem(
            locate(), f'"{alias}" cannot be an alias: {_describe_reserved(alias)}', help=RENAME_HELP
        )
    elif alias in owners:
        owner, other = owners[alias]
        if owner == f'an alias of phase "{phase}"':
            yield codes.NAME_CLASH.make_problem(
                locate(), f'alias "{alias}" of phase "{phase}" is given twice', help="keep one of the two"
            )
            return
        note = f"{owner} is at {other().label}"
        yield codes.NAME_CLASH.make_problem(
            locate(), f'alias "{alias}" of phase "{phase}" is taken by {owner}', help=RENAME_HELP, note=note
        )
    else:
        owners[alias] = (f'an alias of phase "{phase}"', locate)


def _describe_reserved(name: str) -> str:
    return "a call of that name runs what comes next" if name == CONTINUE else "it is the end of a run"


CHECK = Check(check_reserved_names, is_local=True)
