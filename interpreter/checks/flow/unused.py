"""Inputs and answers that nothing reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import check as expressions
from aurora.interpreter.checks.expressions.sites import sites
from aurora.interpreter.checks.expressions.tree import paths
from aurora.interpreter.language.model import RESERVED_INPUTS
from aurora.interpreter.language.prompts import PromptError
from aurora.interpreter.language.prompts import check as named_in
from aurora.interpreter.problems import codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.checks.view import View
    from aurora.interpreter.problems.problem import Problem

_WHOLE = "*"


@dataclass(slots=True)
class _Reads:
    """What is read: inputs of the whole run by name, inputs of a phase by phase and name, answers by phase."""

    given: set[str] = field(default_factory=set)
    inputs: set[tuple[str, str]] = field(default_factory=set)
    answers: set[str] = field(default_factory=set)
    unsure: bool = False


def problems(view: View) -> Iterator[Problem]:
    """Each input and each answer that no tool, no prompt and no expression reads."""
    found = _reads(view)
    if found.unsure:
        return
    ending = {arrow.source for arrow in view.arrows() if arrow.target is None}
    for name, phase in view.phases.items():
        handed = phase.uses is not None and phase.with_ is None
        for key in sorted(set(phase.inputs) - RESERVED_INPUTS) if not handed else ():
            if not found.inputs & {(name, key), (name, _WHOLE)} and not found.given & {key, _WHOLE}:
                message = f'nothing reads input "{key}" of phase "{name}": no tool, no prompt and no expression'
                place = view.key("phases", name, "inputs", key)
                yield codes.UNUSED_INPUT.at(place, message, help="use it in the prompt, or remove it")
        if view.definition.answers.get(name) and name not in ending and name not in found.answers:
            message = f'phase "{name}" asks for an answer that nothing reads'
            help_ = f"recall it where it is needed: `from: phases.{name}.answer`"
            yield codes.UNREAD.at(view.key("phases", name, "answer"), message, help=help_)


def _reads(view: View) -> _Reads:
    found = _Reads()
    found.unsure = bool(expressions.wrong(view))  # a misspelt name may have meant what seems to be unread
    for site in sites(view) if not found.unsure else ():
        if site.tree is None:
            continue
        for path in paths(site.tree):
            _expression(found, site.phase, site.kind, path)
    names = Counter(key for phase in view.phases.values() for key in phase.inputs)
    for name, phase in view.phases.items():
        _prompt(view, found, name)
        # what a caller gave under a name is recalled by every later input of that name that says no `from`
        found.given |= {key for key, spec in phase.inputs.items() if spec.from_ is None and names[key] > 1}
    return found


def _expression(found: _Reads, phase: str, kind: str, path: tuple[str, ...]) -> None:
    match path:
        case ("inputs", *rest):
            name = rest[0] if rest else _WHOLE
            if kind == "from":
                found.given.add(name)
            else:
                found.inputs.add((phase, name))
        case ("phases", *rest):
            _of_phase(found, rest)
        case (name, *_) if kind == "with":
            found.inputs.add((phase, name))
        case _:
            pass


def _of_phase(found: _Reads, rest: list[str]) -> None:
    match rest:
        case []:
            found.unsure = True
        case [phase]:
            found.answers.add(phase)
            found.inputs.add((phase, _WHOLE))
        case [phase, "answer", *_]:
            found.answers.add(phase)
        case [phase, "inputs"]:
            found.inputs.add((phase, _WHOLE))
        case [phase, "inputs", name, *_]:
            found.inputs.add((phase, name))
        case _:
            pass


def _prompt(view: View, found: _Reads, phase: str) -> None:
    prompt = view.definition.prompts.get(phase)
    if prompt is None:
        found.inputs |= {(phase, _WHOLE)} if view.phases[phase].prompt_template is not None else set()
        return
    try:
        names = named_in(prompt.text, prompt.name)
    except PromptError:
        names = frozenset({"inputs"})
    if "debug" in prompt.text:
        names |= {"inputs"}
    spec = view.phases[phase]
    known = {*spec.inputs, "result", "run", *([spec.for_each.as_] if spec.for_each else [])}
    for name in names:
        parts = name.split(".")
        if parts[0] == "inputs":
            found.inputs.add((phase, parts[1] if len(parts) > 1 else _WHOLE))
        elif parts[0] not in known:  # a misspelt name, told at its own place, may have meant what seems to be unread
            found.inputs.add((phase, _WHOLE))
        found.inputs.add((phase, parts[0]))
