"""Two editions of a workflow: which phases came and went, and what changed in those that stayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.language.build import find_key

from .change import Change
from .phases import Edition, phase_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.interpreter.language.definition import Definition


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing two editions.

    Attributes:
        changes: the workflow's own first, then phase by phase in the later edition's order.
        renamed: from a phase's earlier id to its later one, where nothing else of it changed.
        stale: phases that both have, and that a run which finished them must go back to.
    """

    changes: tuple[Change, ...]
    renamed: Mapping[str, str]
    stale: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether both do the same, whatever words they use."""
        return all(change.sign == "words" for change in self.changes)


def compare(before: Definition, after: Definition) -> Comparison:
    """Hold two editions against each other; neither need be without problems."""
    renamed = _renamed(before, after)
    old, new = before.workflow, after.workflow
    was, is_ = _leads(before, renamed), _leads(after, {})
    changes = [*_whole(before, after, was, is_)]
    earlier = {renamed.get(name, name): name for name in old.phases}
    for name in new.phases:
        if name not in earlier:
            changes.append(Change(name, "phase", "added", "is new", is_at=_at(after, name)))
            continue
        if earlier[name] != name:
            text = f'was called "{earlier[name]}"'
            places = {"was_at": _at(before, earlier[name]), "is_at": _at(after, name)}
            changes.append(Change(name, "phase", "changed", text, breaking=True, **places))
        changes += phase_changes(Edition(before, earlier[name], was), Edition(after, name, is_))
    for later, name in earlier.items():
        if later not in new.phases:
            changes.append(Change(name, "phase", "removed", "is gone", breaking=True, was_at=_at(before, name)))
    stale = (name for name in new.phases if name in old.phases and before.fingerprint(name) != after.fingerprint(name))
    return Comparison(tuple(changes), renamed, tuple(stale))


def _renamed(before: Definition, after: Definition) -> dict[str, str]:
    """Phases that only one of them has, and that are the same in all but their id."""
    gone = [name for name in before.workflow.phases if name not in after.workflow.phases]
    new = {after.fingerprint(name): name for name in after.workflow.phases if name not in before.workflow.phases}
    return {name: new[key] for name in gone if (key := before.fingerprint(name)) in new}


def _leads(definition: Definition, renamed: Mapping[str, str]) -> Callable[[str], str]:
    names = definition.workflow.names()

    def lead(name: str) -> str:
        target = names.get(name, name)
        return renamed.get(target, target)

    return lead


def _whole(
    before: Definition, after: Definition, was: Callable[[str], str], is_: Callable[[str], str]
) -> Iterator[Change]:
    old, new = before.workflow, after.workflow
    if was(old.start) != is_(new.start):
        at = find_key(after.root, ("start",)).place.at
        yield Change("", "start", "changed", "begins elsewhere", old.start, new.start, breaking=True, is_at=at)
    if old.name != new.name:
        yield Change("", "name", "changed", "is called otherwise", old.name, new.name, breaking=True)
    if (old.title, old.description, old.suits) != (new.title, new.description, new.suits):
        yield Change("", "title", "words", "its title, its description, or what it suits")


def _at(definition: Definition, phase: str) -> str:
    return find_key(definition.root, ("phases", phase)).place.at
