"""Document of a workflow: its tree with places, which a kept workflow reads when it is first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from .build import find_rule_node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.interpreter.problems import Place
    from aurora.interpreter.yaml import Node


class Document:
    """A workflow's document, after `extends`.

    Args:
        read: reads the tree; called once, when a place is needed first.
        data: the document's plain value; None to take it from the tree.
        places: phase -> the places of its rules; None to take them from the tree.
    """

    def __init__(
        self, read: Callable[[], Node], data: Any = None, places: Mapping[str, Sequence[Place]] | None = None
    ) -> None:
        self._read = read
        self._known_data = data
        self._known_places = places

    @cached_property
    def root(self) -> Node:
        """The tree."""
        return self._read()

    @property
    def data(self) -> Any:
        """The plain value of the document."""
        return self.root.to_data() if self._known_data is None else self._known_data

    def find_rule_line(self, phase: str, index: int) -> int:
        """Return the line of a rule of a phase; of a wrong index the line of the rules."""
        return self.find_rule_place(phase, index).line

    def find_rule_place(self, phase: str, index: int) -> Place:
        """Return the place of a rule of a phase; of a wrong index the place of the rules."""
        places = (self._known_places or {}).get(phase, ())
        if 0 <= index < len(places):
            return places[index]
        return find_rule_node(self.root, phase, index).place
