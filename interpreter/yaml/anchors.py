"""Anchors, aliases and merge keys of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.interpreter.problems import Fix, codes

from .node import MAX_MERGED_KEYS, MAX_UNUSED_ANCHORS, make_limit_error, to_key_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.problems import Place, Problem

    from .node import Node


@dataclass(slots=True)
class _Anchor:
    """One anchor: its name, the place of its `&`, the value it names."""

    name: str
    place: Place
    node: Node
    spaced: bool
    used: bool = False


@dataclass(slots=True)
class Anchors:
    """The anchors of one document, in the order of the file."""

    _anchors: list[_Anchor] = field(default_factory=list)
    _current: dict[str, _Anchor] = field(default_factory=dict)

    def add(self, name: str, place: Place, node: Node, *, spaced: bool) -> int:
        """Bind the name to this node, and return the number of anchors.

        Args:
            name: the anchor's name.
            place: the place of its `&`.
            node: the value that it names.
            spaced: True when a space follows the anchor.
        """
        anchor = _Anchor(name, place, node, spaced)
        self._anchors.append(anchor)
        self._current[name] = anchor
        return len(self._anchors)

    def resolve_alias(self, name: str) -> Node | None:
        """Return the node of the last anchor with this name, or None."""
        anchor = self._current.get(name)
        if anchor is None:
            return None
        anchor.used = True
        return anchor.node

    def list_names(self) -> list[str]:
        """List the names that an alias can refer to here."""
        return list(self._current)

    def find_unused(self) -> Iterator[Problem]:
        """Report each anchor that no alias refers to; many further ones as one problem."""
        unused = [anchor for anchor in self._anchors if not anchor.used]
        yield from (self._make_unused_problem(anchor) for anchor in unused[:MAX_UNUSED_ANCHORS])
        rest = unused[MAX_UNUSED_ANCHORS:]
        if rest:
            message = f"from here on, {len(rest):,} more anchors are never used"
            yield codes.UNUSED_ANCHOR.make_problem(rest[0].place, message, help="remove them")

    def _make_unused_problem(self, anchor: _Anchor) -> Problem:
        later = self._current[anchor.name]
        again = later is not anchor
        message = f'anchor "&{anchor.name}" is never used'
        return codes.UNUSED_ANCHOR.make_problem(
            anchor.place,
            f"{message} before the name is given again" if again else message,
            help=f'remove it, or use the value with "*{anchor.name}"',
            note=f"it is given again at {later.place.label}" if again else "",
            fix=Fix(f"&{anchor.name}{' ' if anchor.spaced else ''}", ""),
        )


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
    # In quotes it is a key like any other.
    return key.value == "<<" and key.style == ""
