"""Aliases of the tools: the names of other systems, with those of their arguments.

`alias_table.py` is generated from the declarations.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.faults import Code, Fault, quote_names

from .alias_table import ALIASES

if TYPE_CHECKING:
    from collections.abc import Mapping

OWN_PREFIX = "aurora_"
"""Beginning of the tools' names over MCP; no alias has it."""


class Alias(NamedTuple):
    """Name of a tool in another system; a call by this name may also use the names of arguments there.

    Attributes:
        name: the alias, case-sensitive.
        arguments: argument there -> the tool's argument. A list of texts there becomes one text, joined by blanks.
        values: the tool's argument -> word there -> word here.
        unused: argument there that changes nothing here -> the reason, a clause.
    """

    name: str
    arguments: Mapping[str, str] = MappingProxyType({})
    values: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    unused: Mapping[str, str] = MappingProxyType({})

    def describe(self) -> str:
        """Return the alias with its arguments: `find_callers(methodName)`."""
        names = ", ".join((*self.arguments, *self.unused))
        return f"{self.name}({names})" if names else self.name

    def translate_arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments under the tool's own names.

        Raises:
            Fault: INVALID_INPUT when an argument is given under both names.
        """
        translated: dict[str, Any] = {}
        for name, value in given.items():
            if name in self.unused:
                continue
            own = self.arguments.get(name, name)
            if own in translated or (own != name and own in given):
                self._refuse_both_names(name, own)
            translated[own] = self._translate_value(own, value, is_foreign=own != name)
        return translated

    def _translate_value(self, own: str, value: Any, *, is_foreign: bool) -> Any:
        if is_foreign and isinstance(value, list):
            value = " ".join(map(str, value))
        words = self.values.get(own, {})
        return words.get(value, value) if isinstance(value, str) else value

    def _refuse_both_names(self, name: str, own: str) -> None:
        raise Fault(
            Code.INVALID_INPUT,
            f"{self.name}: {quote_names((name, own))} are the same argument, and both are given",
            help=f'Give only one of them; "{own}" is its name here.',
            details={"faults": [{"path": f"$.{name}", "expected": f"only one of {quote_names((name, own))}"}]},
        )


def resolve_alias(name: str) -> str:
    """Return the tool's name for an alias; any other name unchanged."""
    return ALIASES.get(name, name)


def refuse_collisions(aliases: Mapping[str, str], names: Mapping[str, object]) -> None:
    """Check that no alias is the name of a tool on any surface, and that each belongs to a tool.

    No tool is imported.

    Raises:
        ValueError: a bug in Aurora, found when the registry is built.
    """
    stable_names = {name.replace(".", "_") for name in names}
    for alias, name in aliases.items():
        if alias in names or alias in stable_names or alias.startswith(OWN_PREFIX):
            raise ValueError(f'"{alias}" is an alias of {name} and the name of a tool')
        if name not in names:
            raise ValueError(f'the alias "{alias}" belongs to "{name}", and there is no such tool')
