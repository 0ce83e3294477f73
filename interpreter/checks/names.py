"""Names that clash, and names that are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.language.model import RESERVED_INPUTS, RESERVED_PHASES
from aurora.interpreter.problems import codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language.model import Phase
    from aurora.interpreter.problems.problem import Place, Problem

    from .view import View

ANOTHER = "choose another name"
RESERVED_ITEMS = frozenset({"inputs", "result", "run", "loop"})
"""What a prompt sees besides the inputs."""


def problems(view: View) -> Iterator[Problem]:
    """Aliases that another phase has, and words that the language keeps for itself."""
    owners: dict[str, tuple[str, Place]] = {name: (f'phase "{name}"', view.key("phases", name)) for name in view.phases}
    for name, phase in view.phases.items():
        if name in RESERVED_PHASES:
            message = f'"{name}" cannot name a phase: it is where a run ends'
            yield codes.RESERVED.at(view.key("phases", name), message, help=ANOTHER)
        for index, alias in enumerate(phase.aliases):
            yield from _alias(view, name, index, alias, owners)
        yield from _item(view, name, phase)
        for key in phase.inputs:
            if key in RESERVED_INPUTS:
                message = f'"{key}" cannot name an input of phase "{name}": the call itself has that argument'
                yield codes.RESERVED.at(view.key("phases", name, "inputs", key), message, help=ANOTHER)


def _item(view: View, name: str, phase: Phase) -> Iterator[Problem]:
    """`for_each` must not give its item a name that the prompt sees already."""
    if phase.for_each is None:
        return
    called = phase.for_each.as_
    place = view.value("phases", name, "for_each", "as")
    if called in RESERVED_ITEMS:
        message = f'"{called}" cannot name the item of phase "{name}": the prompt sees something else under it'
        yield codes.RESERVED.at(place, message, help="for example `as: item`")
    elif called in phase.inputs:
        other = view.key("phases", name, "inputs", called)
        message = f'"{called}" names both the item of phase "{name}" and one of its inputs'
        yield codes.CLASH.at(place, message, help="give the item another name", note=f"the input is at {other.at}")


def _alias(view: View, phase: str, index: int, alias: str, owners: dict[str, tuple[str, Place]]) -> Iterator[Problem]:
    place = view.value("phases", phase, "aliases", index)
    if alias in RESERVED_PHASES:
        yield codes.RESERVED.at(place, f'"{alias}" cannot be an alias: it is where a run ends', help=ANOTHER)
    elif alias in owners:
        owner, other = owners[alias]
        if owner == f'an alias of phase "{phase}"':
            yield codes.CLASH.at(place, f'alias "{alias}" of phase "{phase}" stands twice', help="keep one of the two")
            return
        note = f"{owner} is at {other.at}"
        yield codes.CLASH.at(place, f'alias "{alias}" of phase "{phase}" is taken by {owner}', help=ANOTHER, note=note)
    else:
        owners[alias] = (f'an alias of phase "{phase}"', place)
