"""Addresses behind the phases and the ways of a drawing that is part of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Links(NamedTuple):
    """Addresses of a drawing, and the part that is chosen.

    Attributes:
        phase: returns the address of a phase.
        way: returns the address of the rules from a phase to another one, or to `end`.
        chosen_phase: the phase to mark; empty for none.
        chosen_way: the way to mark; None for none.
    """

    phase: Callable[[str], str]
    way: Callable[[str, str], str]
    chosen_phase: str = ""
    chosen_way: tuple[str, str] | None = None
