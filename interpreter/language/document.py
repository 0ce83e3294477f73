"""Document of a workflow: its tree with places, which a kept workflow reads when it is first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import Place
from aurora.interpreter.yaml import build_tree

from .build import find_key, find_rule_node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aurora.interpreter.yaml import Node


class Document:
    """A workflow's document, after `extends`.

    Args:
        read: reads the tree; called once, when a place is needed first.
        data: the document's plain value; None to take it from the tree.
        places: phase -> the places of its rules; None to take them from the tree.
        lines: phase -> the lines of its rules; None to take them from the places.
        failure_places: phase -> the place of what leads on after its failure; None to take them from the tree.
    """

    def __init__(
        self,
        read: Callable[[], Node],
        data: Any = None,
        places: Mapping[str, Sequence[Place]] | None = None,
        lines: Mapping[str, Sequence[int]] | None = None,
        failure_places: Mapping[str, Place] | None = None,
    ) -> None:
        self._read = read
        self._known_data = data
        self._known_places = places
        self._known_lines = lines
        self._known_failures = failure_places

    def without_places(self, path: str) -> Document:
        """Return the document with a tree all of whose parts are at the start of the file `path`."""
        data = self.data
        return Document(lambda: build_tree(data, Place(path, 1, 1, 1, 2)), data, lines=self._known_lines)

    @property
    def has_places(self) -> bool:
        """True if the places of the rules are known without reading the tree."""
        return self._known_places is not None or "root" in self.__dict__

    @cached_property
    def root(self) -> Node:
        """The tree."""
        return self._read()

    @property
    def data(self) -> Any:
        """The plain value of the document."""
        return self.root.to_data() if self._known_data is None else self._known_data

    def has_rule_list(self, phase: str) -> bool:
        """Return whether the rules of a phase are a list; a broken phase may lack them."""
        value: Any = self.data
        for key in ("phases", phase, "next_action"):
            value = value.get(key) if isinstance(value, dict) else None
        return isinstance(value, list)

    def find_rule_line(self, phase: str, index: int) -> int:
        """Return the line of a rule of a phase; of a wrong index the line of the rules."""
        lines = (self._known_lines or {}).get(phase, ())
        return lines[index] if 0 <= index < len(lines) else self.find_rule_place(phase, index).line

    def find_rule_place(self, phase: str, index: int) -> Place:
        """Return the place of a rule of a phase; of a wrong index the place of the rules."""
        places = (self._known_places or {}).get(phase, ())
        if 0 <= index < len(places):
            return places[index]
        return find_rule_node(self.root, phase, index).place

    def find_failure_place(self, phase: str) -> Place:
        """Return the place of the `on_error` of a phase, or else of the workflow's."""
        known = (self._known_failures or {}).get(phase)
        if known is not None:
            return known
        own = self.data["phases"].get(phase) or {}
        return find_key(self.root, ("phases", phase, "on_error") if own.get("on_error") else ("on_error",)).place
