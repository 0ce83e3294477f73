"""A phase in two editions: its tool, inputs, prompt, answer, loop, names and failure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.analysis.proof import prompt_tokens
from aurora.interpreter.language.build import find, find_key
from aurora.interpreter.language.prompts import PromptError, check

from .change import Change
from .conditions import normal
from .schemas import differences
from .transitions import transitions, ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.language.model import InputSpec, Phase

_SHORT = 120


@dataclass(frozen=True, slots=True)
class Edition:
    """One phase of one edition.

    Attributes:
        definition: the edition.
        name: the phase's id in it.
        lead: from a name to the phase that it means, as the later edition calls it.
    """

    definition: Definition
    name: str
    lead: Callable[[str], str]

    @property
    def phase(self) -> Phase:
        """What the edition says of it."""
        return self.definition.workflow.phases[self.name]

    def at(self, *keys: str | int) -> str:
        """`path:line:column` of a key of the phase, or of the phase where the key is not written."""
        whole = ("phases", self.name)
        if keys and isinstance(keys[-1], int):
            rules = find(self.definition.root, (*whole, *keys[:-1]))
            return find(rules, keys[-1:]).place.at if rules.kind == "list" else rules.place.at
        return find_key(self.definition.root, (*whole, *keys)).place.at


def phase_changes(was: Edition, is_: Edition) -> Iterator[Change]:
    """All that changed in one phase."""
    yield from _inputs(was, is_)
    yield from _tool(was, is_)
    yield from _prompt(was, is_)
    yield from _schema("answer", was, is_, was.definition.answers, is_.definition.answers)
    yield from _schema("result", was, is_, was.definition.outputs, is_.definition.outputs)
    yield from _loop(was, is_)
    yield from _names(was, is_)
    places = [[one.at("next_action", index) for index in range(len(one.phase.next_action))] for one in (was, is_)]
    yield from transitions(
        is_.name,
        ways(was.phase.next_action, places[0], was.lead),
        ways(is_.phase.next_action, places[1], is_.lead),
    )
    yield from _failure(was, is_)


def _inputs(was: Edition, is_: Edition) -> Iterator[Change]:
    before, after = was.phase.inputs, is_.phase.inputs
    for name in [*after, *(name for name in before if name not in after)]:
        if name not in before:
            given = after[name]
            needed = given.from_ is None and not given.optional and not given.has_default
            text = f'takes "{name}"' + (", which the caller must give" if needed else "")
            yield Change(is_.name, "input", "added", text, breaking=needed, is_at=is_.at("inputs", name))
        elif name not in after:
            text = f'no longer takes "{name}"'
            yield Change(is_.name, "input", "removed", text, breaking=True, was_at=was.at("inputs", name))
        else:
            yield from _input(name, before[name], after[name], was, is_)


def _input(name: str, before: InputSpec, after: InputSpec, was: Edition, is_: Edition) -> Iterator[Change]:
    where = was.at("inputs", name), is_.at("inputs", name)
    if normal(before.from_) != normal(after.from_):
        said = (before.from_ or "the caller", after.from_ or "the caller")
        yield Change(is_.name, "input", "changed", f'"{name}" comes from elsewhere', *said).at(*where)
    defaults = [_json(one.default) if one.has_default else "none" for one in (before, after)]
    if defaults[0] != defaults[1]:
        yield Change(is_.name, "input", "changed", f'the default of "{name}"', defaults[0], defaults[1]).at(*where)
    if before.optional != after.optional:
        text = f'"{name}" {"may be left out" if after.optional else "is needed"} now'
        yield Change(is_.name, "input", "changed", text, breaking=not after.optional).at(*where)
    for one in differences(before.json_schema, after.json_schema, name):
        yield Change(is_.name, "input", "changed", one.text, breaking=one.narrower).at(*where)


def _tool(was: Edition, is_: Edition) -> Iterator[Change]:
    before, after = was.phase, is_.phase
    if before.uses != after.uses:
        said = (before.uses or "no tool", after.uses or "no tool")
        yield Change(is_.name, "tool", "changed", "uses another tool", *said, is_at=is_.at("uses"))
    yield from _table("setting", before.params, after.params, was, is_, "params")
    arguments = [one.with_ or {} for one in (before, after)]
    same = {name for name in arguments[0] if normal(arguments[0][name]) == normal(arguments[1].get(name, ""))}
    kept = [{name: text for name, text in one.items() if name not in same} for one in arguments]
    yield from _table("argument", kept[0], kept[1], was, is_, "with")


def _table(  # noqa: PLR0913, PLR0917 - two tables and where each stands
    word: str, before: Mapping[str, Any], after: Mapping[str, Any], was: Edition, is_: Edition, key: str
) -> Iterator[Change]:
    for name in [*after, *(name for name in before if name not in after)]:
        if name not in after:
            text = f'{word} "{name}" is gone'
            yield Change(is_.name, "tool", "removed", text, _json(before[name]), was_at=was.at(key, name))
        elif name not in before:
            text = f'{word} "{name}"'
            yield Change(is_.name, "tool", "added", text, after=_json(after[name]), is_at=is_.at(key, name))
        elif before[name] != after[name]:
            text, said = f'{word} "{name}"', (_json(before[name]), _json(after[name]))
            where = was.at(key, name), is_.at(key, name)
            yield Change(is_.name, "tool", "changed", text, *said).at(*where)


def _prompt(was: Edition, is_: Edition) -> Iterator[Change]:
    before, after = was.definition.prompts.get(was.name), is_.definition.prompts.get(is_.name)
    if before is None and after is None:
        return
    if before is None or after is None:
        text = "asks the host now" if after else "no longer asks the host"
        sign, place = ("added", {"is_at": is_.at("prompt_template")}) if after else ("removed", {})
        yield Change(is_.name, "prompt", sign, text, breaking=True, **place)  # type: ignore[arg-type]
        return
    names = _variables(before.text, before.name), _variables(after.text, after.name)
    gone, new = sorted(names[0] - names[1]), sorted(names[1] - names[0])
    if gone or new:
        parts = [f"reads {_listed(new)}"] * bool(new) + [f"no longer reads {_listed(gone)}"] * bool(gone)
        text = f"the prompt {', and '.join(parts)}"
        yield Change(is_.name, "prompt", "changed", text, is_at=is_.at("prompt_template"))
    elif before.text != after.text:
        tokens = prompt_tokens(before.text), prompt_tokens(after.text)
        text = f"the words of the prompt: about {tokens[1]:,} tokens, and {tokens[0]:,} before"
        yield Change(is_.name, "prompt", "words", text, is_at=is_.at("prompt_template"))


def _schema(
    about: str, was: Edition, is_: Edition, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    """Changes of what a host must answer, or of what a tool gives."""
    key = {"answer": "answer", "result": "output"}[about]
    for one in differences(before.get(was.name, {}), after.get(is_.name, {})):
        text = f"in the {about}, {one.text}"
        breaking = one.narrower and about == "answer"
        yield Change(is_.name, about, "changed", text, breaking=breaking, is_at=is_.at(key))


def _loop(was: Edition, is_: Edition) -> Iterator[Change]:
    before, after = was.phase.for_each, is_.phase.for_each
    if (before is None) != (after is None):
        text = "asks once for each item now" if after else "asks once, and no longer for each item"
        yield Change(is_.name, "loop", "changed", text, breaking=True, is_at=is_.at("for_each"))
    elif before is not None and after is not None:
        said = [f"{one.as_} in {one.in_}, {one.max} at the most" for one in (before, after)]
        same = (normal(before.in_), before.as_, before.max) == (normal(after.in_), after.as_, after.max)
        if not same:
            yield Change(
                is_.name, "loop", "changed", "asks for other items", said[0], said[1], is_at=is_.at("for_each")
            )


def _names(was: Edition, is_: Edition) -> Iterator[Change]:
    before, after = was.phase.aliases, is_.phase.aliases
    for alias in (name for name in after if name not in before):
        yield Change(is_.name, "alias", "added", f'may be called "{alias}"', is_at=is_.at("aliases"))
    for alias in (name for name in before if name not in after):
        text = f'may no longer be called "{alias}"'
        yield Change(is_.name, "alias", "removed", text, breaking=True, was_at=was.at("aliases"))


def _failure(was: Edition, is_: Edition) -> Iterator[Change]:
    leads = [one.definition.workflow.failing_leads_to(one.name) for one in (was, is_)]
    before, after = (one.lead(name) if name else "" for one, name in zip((was, is_), leads, strict=True))
    if before != after:
        said = [f'to "{name}"' if name else "nowhere: the run stops" for name in (before, after)]
        yield Change(is_.name, "failure", "changed", "a failure leads elsewhere", said[0], said[1], is_at=is_.at())


def _variables(text: str, name: str) -> frozenset[str]:
    try:
        return check(text, name)
    except PromptError:
        return frozenset()


def _listed(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _json(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
