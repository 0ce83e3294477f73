"""Merge keys of YAML, `<<: *defaults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

from .limits import MAX_MERGED_KEYS, make_limit_error
from .scalars import to_key_text

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem

    from .node import Node

Pairs = tuple[tuple["Node", "Node"], ...]


class MergeExpander:
    """Expander of the merge keys of one document, with a limit for all together."""

    def __init__(self) -> None:
        self._merged_count = 0

    def expand(self, pairs: Pairs) -> tuple[Pairs, tuple[Problem, ...]]:
        """Replace every `<<` by the keys it merges; own keys win, then earlier ones.

        https://yaml.org/type/merge.html

        Raises:
            InvalidYamlError: the document merges more than `MAX_MERGED_KEYS` keys.
        """
        for key, _ in pairs:
            if key.value == "<<":
                break
        else:
            return pairs, ()
        problems: list[Problem] = []
        present = {to_key_text(key.value) for key, _ in pairs if not _is_merge_key(key)}
        expanded: list[tuple[Node, Node]] = []
        for key, value in pairs:
            if not _is_merge_key(key):
                expanded.append((key, value))
                continue
            for source in value.children if value.kind == "list" else (value,):
                if source.kind != "map":
                    problems.append(_make_merge_problem(source))
                self._count_keys(source)
                expanded += _select_new_pairs(source, present)
        return tuple(expanded), tuple(problems)

    def _count_keys(self, source: Node) -> None:
        self._merged_count += len(source.items)
        if self._merged_count > MAX_MERGED_KEYS:
            message = f'the merge keys, "<<", of the document merge more than {MAX_MERGED_KEYS:,} keys'
            raise make_limit_error(source.place, message)


def _select_new_pairs(source: Node, present: set[str]) -> list[tuple[Node, Node]]:
    """Select the pairs whose keys are not present, and add their keys to `present`."""
    selected = []
    for key, value in source.items:
        text = to_key_text(key.value)
        if text not in present:
            present.add(text)
            selected.append((key, value))
    return selected


def _make_merge_problem(source: Node) -> Problem:
    shape = "list in a list" if source.kind == "list" else "single value"
    message = f'"<<" merges a mapping or a list of mappings, not a {shape}'
    return codes.SYNTAX.make_problem(source.place, message, help="name an anchor, as in `<<: *defaults`")


def _is_merge_key(key: Node) -> bool:
    return key.value == "<<" and key.style == ""
