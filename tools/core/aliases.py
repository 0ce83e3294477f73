"""Aliases of the tools: the names that earlier systems gave them.

`alias_table.py` is generated from the declarations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .alias_table import ALIASES

if TYPE_CHECKING:
    from collections.abc import Mapping


def resolve_alias(name: str) -> str:
    """Return the tool's name for an alias; any other name unchanged."""
    return ALIASES.get(name, name)


def refuse_collisions(aliases: Mapping[str, str], names: Mapping[str, object]) -> None:
    """Check that no alias is the name of a tool, and that each belongs to one.

    Raises:
        ValueError: a bug in Aurora, found when the registry is built.
    """
    for alias, name in aliases.items():
        if alias in names:
            raise ValueError(f'"{alias}" is an alias of {name} and the name of a tool')
        if name not in names:
            raise ValueError(f'the alias "{alias}" belongs to "{name}", and there is no such tool')
