"""Differences in behaviour between two versions of a workflow, phase by phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find_key, find_node
from aurora.interpreter.templates.engine import PromptError
from aurora.interpreter.templates.render import check_template

from .differences import (
    Change,
    compare_further_keys,
    compare_rules,
    compare_schemas,
    compare_workflow_keys,
    format_value,
    normalise_condition,
    resolve_rules,
)
from .proof import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec, Phase


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
    # A phase that only got another name is compared under the new
    # one; otherwise it would be told as one removed and one added.
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
    # The fingerprints are equal, so both have the same number of rules.
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


@dataclass(frozen=True, slots=True)
class PhaseVersion:
    """A phase in one version of the workflow.

    Attributes:
        definition: the version of the workflow.
        name: the phase's id in this version.
        resolve_name: maps a name to its phase, by the id of the later version.
    """

    definition: Definition
    name: str
    resolve_name: Callable[[str], str]

    @property
    def phase(self) -> Phase:
        """The phase in this version."""
        return self.definition.workflow.phases[self.name]

    def locate_key(self, *keys: str | int) -> str:
        """Return `path:line:column` of a key of the phase, else of the phase."""
        whole = ("phases", self.name)
        if keys and isinstance(keys[-1], int):
            rules = find_node(self.definition.root, (*whole, *keys[:-1]))
            return find_node(rules, keys[-1:]).place.label if rules.kind == "list" else rules.place.label
        return find_key(self.definition.root, (*whole, *keys)).place.label


def compare_phases(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    """Yield every difference of a phase."""
    yield from _compare_inputs(was, is_)
    yield from _compare_tools(was, is_)
    yield from _compare_prompts(was, is_)
    yield from _compare_phase_schemas("answer", was, is_, was.definition.answers, is_.definition.answers)
    yield from _compare_phase_schemas("result", was, is_, was.definition.outputs, is_.definition.outputs)
    yield from _compare_loops(was, is_)
    yield from _compare_aliases(was, is_)
    places = [
        [one.locate_key("next_action", index) for index in range(len(one.phase.next_action))] for one in (was, is_)
    ]
    yield from compare_rules(
        is_.name,
        resolve_rules(was.phase.next_action, places[0], was.resolve_name),
        resolve_rules(is_.phase.next_action, places[1], is_.resolve_name),
    )
    yield from _compare_failures(was, is_)
    yield from compare_further_keys(is_.name, was.phase, is_.phase, is_.locate_key)


def _compare_inputs(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase.inputs, is_.phase.inputs
    for name in [*after, *(name for name in before if name not in after)]:
        if name not in before:
            given = after[name]
            needed = given.from_ is None and not given.optional and not given.has_default
            text = f'takes "{name}"' + (", which the caller must give" if needed else "")
            yield Change(is_.name, "input", "added", text, breaking=needed, is_at=is_.locate_key("inputs", name))
        elif name not in after:
            text = f'no longer takes "{name}"'
            yield Change(is_.name, "input", "removed", text, breaking=True, was_at=was.locate_key("inputs", name))
        else:
            yield from _compare_input(name, before[name], after[name], was, is_)


def _compare_input(
    name: str, before: InputSpec, after: InputSpec, was: PhaseVersion, is_: PhaseVersion
) -> Iterator[Change]:
    where = was.locate_key("inputs", name), is_.locate_key("inputs", name)
    if normalise_condition(before.from_) != normalise_condition(after.from_):
        said = (before.from_ or "the caller", after.from_ or "the caller")
        yield Change(is_.name, "input", "changed", f'"{name}" has another source', *said).with_places(*where)
    defaults = [format_value(one.default) if one.has_default else "none" for one in (before, after)]
    if defaults[0] != defaults[1]:
        yield Change(is_.name, "input", "changed", f'the default of "{name}"', defaults[0], defaults[1]).with_places(
            *where
        )
    if before.optional != after.optional:
        text = f'"{name}" {"may be left out" if after.optional else "is needed"} now'
        yield Change(is_.name, "input", "changed", text, breaking=not after.optional).with_places(*where)
    for one in compare_schemas(before.json_schema, after.json_schema, name):
        yield Change(is_.name, "input", "changed", one.text, breaking=one.narrower).with_places(*where)


def _compare_tools(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase, is_.phase
    if before.uses != after.uses:
        said = (before.uses or "no tool", after.uses or "no tool")
        yield Change(is_.name, "tool", "changed", "uses another tool", *said, is_at=is_.locate_key("uses"))
    yield from _compare_mappings(before.params, after.params, was, is_, "params")
    old, new = dict(before.with_ or {}), dict(after.with_ or {})
    for name in _find_equal_arguments(old, new):
        del old[name]
        new.pop(name, None)
    yield from _compare_mappings(old, new, was, is_, "with")


def _find_equal_arguments(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """Find the arguments with equal expressions; an absent one equals an empty one."""
    return {
        name for name, text in before.items() if normalise_condition(text) == normalise_condition(after.get(name, ""))
    }


def _compare_mappings(
    before: Mapping[str, Any], after: Mapping[str, Any], was: PhaseVersion, is_: PhaseVersion, key: str
) -> Iterator[Change]:
    word = {"params": "setting", "with": "argument"}[key]
    for name in [*after, *(name for name in before if name not in after)]:
        if name not in after:
            text = f'{word} "{name}" is removed'
            yield Change(
                is_.name, "tool", "removed", text, format_value(before[name]), was_at=was.locate_key(key, name)
            )
        elif name not in before:
            text = f'{word} "{name}"'
            yield Change(
                is_.name, "tool", "added", text, after=format_value(after[name]), is_at=is_.locate_key(key, name)
            )
        elif before[name] != after[name]:
            text, said = f'{word} "{name}"', (format_value(before[name]), format_value(after[name]))
            where = was.locate_key(key, name), is_.locate_key(key, name)
            yield Change(is_.name, "tool", "changed", text, *said).with_places(*where)


def _compare_prompts(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.definition.prompts.get(was.name), is_.definition.prompts.get(is_.name)
    if before is None and after is None:
        return
    if before is None or after is None:
        if after is None:
            yield Change(is_.name, "prompt", "removed", "no longer asks the host", breaking=True)
        else:
            is_at = is_.locate_key("prompt_template")
            yield Change(is_.name, "prompt", "added", "asks the host now", breaking=True, is_at=is_at)
        return
    names = _read_variables(before.text, before.name), _read_variables(after.text, after.name)
    gone, new = sorted(names[0] - names[1]), sorted(names[1] - names[0])
    if gone or new:
        parts = [f"reads {_join_names(new)}"] * bool(new) + [f"no longer reads {_join_names(gone)}"] * bool(gone)
        text = f"the prompt {', and '.join(parts)}"
        yield Change(is_.name, "prompt", "changed", text, is_at=is_.locate_key("prompt_template"))
    elif before.text != after.text:
        tokens = estimate_tokens(before.text), estimate_tokens(after.text)
        text = f"the text of the prompt: about {tokens[1]:,} tokens, and {tokens[0]:,} before"
        yield Change(is_.name, "prompt", "words", text, is_at=is_.locate_key("prompt_template"))


def _compare_phase_schemas(
    about: str, was: PhaseVersion, is_: PhaseVersion, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the differences of the answer's or the result's schema."""
    key = {"answer": "answer", "result": "output"}[about]
    for one in compare_schemas(before.get(was.name, {}), after.get(is_.name, {})):
        text = f"in the {about}, {one.text}"
        # Hosts send answers; a result comes from the phase's own tool, so no caller is refused.
        breaking = one.narrower and about == "answer"
        yield Change(is_.name, about, "changed", text, breaking=breaking, is_at=is_.locate_key(key))


def _compare_loops(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase.for_each, is_.phase.for_each
    if (before is None) != (after is None):
        text = "asks once for each item now" if after else "asks once, and no longer for each item"
        yield Change(is_.name, "loop", "changed", text, breaking=True, is_at=is_.locate_key("for_each"))
    elif before is not None and after is not None:
        said = [f"{one.as_} in {one.in_}" + (f", {one.max} at once" if one.max else "") for one in (before, after)]
        keys = [(normalise_condition(one.in_), one.as_, one.max, one.limit, one.else_) for one in (before, after)]
        if keys[0] != keys[1]:
            yield Change(
                is_.name, "loop", "changed", "asks for other items", said[0], said[1], is_at=is_.locate_key("for_each")
            )


def _compare_aliases(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    before, after = was.phase.aliases, is_.phase.aliases
    for alias in (name for name in after if name not in before):
        yield Change(is_.name, "alias", "added", f'may be called "{alias}"', is_at=is_.locate_key("aliases"))
    for alias in (name for name in before if name not in after):
        text = f'may no longer be called "{alias}"'
        yield Change(is_.name, "alias", "removed", text, breaking=True, was_at=was.locate_key("aliases"))


def _compare_failures(was: PhaseVersion, is_: PhaseVersion) -> Iterator[Change]:
    leads = [one.definition.workflow.find_error_target(one.name) for one in (was, is_)]
    before, after = (one.resolve_name(name) if name else "" for one, name in zip((was, is_), leads, strict=True))
    if before != after:
        said = [f'to "{name}"' if name else "nowhere: the run stops" for name in (before, after)]
        yield Change(
            is_.name, "failure", "changed", "a failure has another target", said[0], said[1], is_at=is_.locate_key()
        )


def _read_variables(text: str, name: str) -> frozenset[str]:
    try:
        return check_template(text, name)
    except PromptError:
        return frozenset()


def _join_names(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
