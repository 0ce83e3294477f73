"""Comparison of two versions of a workflow, phase by phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora.interpreter.language.build import find_key

from .change import Change
from .further import compare_workflow_keys
from .phases import PhaseVersion, compare_phases
from .schemas import compare_schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.interpreter.language.definition import Definition


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing two versions.

    Attributes:
        changes: those of the workflow first, then by phase in the order of the later version.
        renamed: from a phase's earlier id to its later one, where nothing else of the phase changed.
        stale: phases of both versions that a run must repeat after it finished them.
    """

    changes: tuple[Change, ...]
    renamed: Mapping[str, str]
    stale: tuple[str, ...]

    @property
    def is_equivalent(self) -> bool:
        """True when both versions do the same, apart from their words."""
        return all(change.kind == "words" for change in self.changes)


def compare_definitions(before: Definition, after: Definition) -> Comparison:
    """Compare two versions; either may have problems."""
    renamed = _find_renamed_phases(before, after)
    old, new = before.workflow, after.workflow
    was, is_ = _build_resolver(before, renamed), _build_resolver(after, {})
    changes = [*_compare_workflow(before, after, was, is_)]
    earlier = {renamed.get(name, name): name for name in old.phases}
    for name in new.phases:
        if name not in earlier:
            changes.append(Change(name, "phase", "added", "is new", is_at=_locate_phase(after, name)))
            continue
        if earlier[name] != name:
            text = f'was called "{earlier[name]}"'
            places = {"was_at": _locate_phase(before, earlier[name]), "is_at": _locate_phase(after, name)}
            changes.append(Change(name, "phase", "changed", text, breaking=True, **places))
        changes += compare_phases(PhaseVersion(before, earlier[name], was), PhaseVersion(after, name, is_))
    for later, name in earlier.items():
        if later not in new.phases:
            changes.append(
                Change(name, "phase", "removed", "is removed", breaking=True, was_at=_locate_phase(before, name))
            )
    stale = (name for name in new.phases if name in old.phases and _is_stale(before, after, name))
    return Comparison(tuple(changes), renamed, tuple(stale))


def _is_stale(before: Definition, after: Definition, name: str) -> bool:
    """Return whether a finished step of the phase may not count any more."""
    if before.fingerprint_phase(name) != after.fingerprint_phase(name):
        return True
    old, new = before.workflow.phases[name], after.workflow.phases[name]
    limits = zip(old.next_action, new.next_action, strict=True)
    schemas = [(before.answers.get(name, {}), after.answers.get(name, {}))]
    schemas += [(old.inputs[key].json_schema, new.inputs[key].json_schema) for key in new.inputs]
    return any((was.max or 0) > (is_.max or 0) for was, is_ in limits) or any(
        change.narrower for one in schemas for change in compare_schemas(*one)
    )


def _find_renamed_phases(before: Definition, after: Definition) -> dict[str, str]:
    """Find phases that are the same in both versions, except for their id."""
    gone = [name for name in before.workflow.phases if name not in after.workflow.phases]
    new = {after.hash_phase(name): name for name in after.workflow.phases if name not in before.workflow.phases}
    return {name: new[key] for name in gone if (key := before.hash_phase(name)) in new}


def _build_resolver(definition: Definition, renamed: Mapping[str, str]) -> Callable[[str], str]:
    names = definition.workflow.map_phase_names()

    def resolve_name(name: str) -> str:
        target = names.get(name, name)
        return renamed.get(target, target)

    return resolve_name


def _compare_workflow(
    before: Definition, after: Definition, was: Callable[[str], str], is_: Callable[[str], str]
) -> Iterator[Change]:
    old, new = before.workflow, after.workflow
    if was(old.start) != is_(new.start):
        at = find_key(after.root, ("start",)).place.label
        yield Change("", "start", "changed", "starts at another phase", old.start, new.start, breaking=True, is_at=at)
    if old.name != new.name:
        yield Change("", "name", "changed", "has another name", old.name, new.name, breaking=True)
    if (old.title, old.description, old.suits) != (new.title, new.description, new.suits):
        yield Change("", "title", "words", "title, description or suits")
    yield from compare_workflow_keys(before, after)


def _locate_phase(definition: Definition, phase: str) -> str:
    return find_key(definition.root, ("phases", phase)).place.label
