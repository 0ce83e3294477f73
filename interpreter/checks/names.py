"""Names that clash, and names that are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import codes
from ..model import RESERVED_INPUTS, RESERVED_PHASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..problems import Place, Problem
    from .view import View


def problems(view: View) -> Iterator[Problem]:
    """Aliases that another phase has, and words that the language keeps for itself."""
    owners: dict[str, tuple[str, Place]] = {name: (f'phase "{name}"', view.key("phases", name)) for name in view.phases}
    for name, phase in view.phases.items():
        if name in RESERVED_PHASES:
            message = f'"{name}" cannot name a phase: it is where a run ends'
            yield codes.RESERVED.at(view.key("phases", name), message)
        for index, alias in enumerate(phase.aliases):
            yield from _alias(view, name, index, alias, owners)
        for key in phase.inputs:
            if key in RESERVED_INPUTS:
                message = f'"{key}" cannot name an input of phase "{name}": the call itself has that argument'
                yield codes.RESERVED.at(view.key("phases", name, "inputs", key), message)


def _alias(view: View, phase: str, index: int, alias: str, owners: dict[str, tuple[str, Place]]) -> Iterator[Problem]:
    place = view.value("phases", phase, "aliases", index)
    if alias in RESERVED_PHASES:
        yield codes.RESERVED.at(place, f'"{alias}" cannot be an alias: it is where a run ends')
    elif alias in owners:
        owner, other = owners[alias]
        note = f"{owner} is at {other.at}"
        yield codes.CLASH.at(place, f'alias "{alias}" of phase "{phase}" is taken by {owner}', note=note)
    else:
        owners[alias] = (f'an alias of phase "{phase}"', place)
