"""Check of inputs and answers that nothing reads."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions.check import find_faulty_sites
from aurora.interpreter.checks.expressions.scopes import collect_sites
from aurora.interpreter.checks.expressions.sites import find_root_paths
from aurora.interpreter.checks.schemas import KEYWORDS
from aurora.interpreter.checks.templates import read_template
from aurora.interpreter.checks.view import Check
from aurora.interpreter.language.model import RESERVED_INPUTS
from aurora.interpreter.problems import codes, find_nearest
from aurora.interpreter.templates.engine import PromptError
from aurora.interpreter.templates.render import check_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurora.interpreter.checks.expressions.sites import ExpressionSite
    from aurora.interpreter.checks.view import WorkflowView
    from aurora.interpreter.language.definition import Prompt
    from aurora.interpreter.problems import Problem

_ALL_FIELDS = "*"


@dataclass(slots=True)
class _ReadValues:
    """The values that something reads: inputs of the run, inputs of a phase, answers."""

    run_inputs: set[str] = field(default_factory=set)
    phase_inputs: set[tuple[str, str]] = field(default_factory=set)
    answers: set[str] = field(default_factory=set)
    answer_fields: set[tuple[str, str]] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    names_by_template: dict[str, frozenset[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    """The words of faulty expressions, which may mean what seems unread."""
    is_unsure: bool = False
    has_unknown_name: bool = False

    def has_input(self, phase: str, name: str) -> bool:
        """Return whether something reads the input of the phase, or of the whole run."""
        of_phase = {(phase, name), (phase, _ALL_FIELDS)}
        return bool(self.phase_inputs & of_phase or self.run_inputs & {name, _ALL_FIELDS}) or self.may_mean(name)

    def may_mean(self, name: str) -> bool:
        """Return whether a faulty expression names a value, or one that is spelt like it."""
        return name in self.words or find_nearest(name, self.words) is not None


def check_unused_values(view: WorkflowView) -> Iterator[Problem]:
    """Report each input and answer that no tool, prompt or expression reads."""
    found = _collect_reads(view)
    if found.is_unsure:
        return
    yield from _check_unused_items(view, found)
    yield from _check_unread_forms(view, found)
    yield from _check_unread_constants(view, found)
    ending = {transition.source for transition in view.transitions if transition.target is None}
    for name, phase in view.phases.items():
        all_go_to_tool = (phase.uses is not None or phase.workflow is not None) and phase.with_ is None
        for key in sorted(set(phase.inputs) - RESERVED_INPUTS) if not all_go_to_tool else ():
            if not found.has_input(name, key):
                message = f'nothing reads input "{key}" of phase "{name}": no tool, no prompt and no expression'
                place = view.locate_key("phases", name, "inputs", key)
                yield codes.UNUSED_INPUT.make_problem(place, message, help="use it in the prompt, or remove it")
        if _is_acknowledgement(view.definition.answers.get(name) or {}):
            continue
        asks_host = phase.prompt_template is not None or phase.branches is not None
        schema = view.definition.answers.get(name)
        is_read = name in ending or name in found.answers or found.has_unknown_name or found.may_mean(name)
        if asks_host and schema and not is_read:
            message = f'phase "{name}" asks for an answer that nothing reads'
            help_ = f"recall it where it is needed: `from: phases.{name}.answer`; where the phase only acts, "
            help_ += "`answer: { const: true }` says that it is done"
            place = view.locate_key("phases", name, "answer" if phase.branches is None else "branches")
            yield codes.UNREAD_ANSWER.make_problem(place, message, help=help_)


def _check_unread_forms(view: WorkflowView, found: _ReadValues) -> Iterator[Problem]:
    """Report a form with a question that a person may answer with no, and that nothing reads."""
    for name, phase in view.phases.items():
        form = phase.person.form if phase.person is not None else {}
        flags = [key for key, spec in form.items() if spec.get("type") == "boolean"]
        read = {key for reader, key in found.answer_fields if reader == name} if flags else set()
        unread = [key for key in flags if not read & {key, _ALL_FIELDS} and not found.may_mean(key)]
        if unread and all(edge.target is None for edge in view.transitions if edge.source == name):
            continue  # the run ends, whatever the person answers
        for key in unread:
            message = f'nothing reads what the person answers: "{key}" may be false, and "{name}" goes on'
            place = view.locate_key("phases", name, "person", "form", key)
            help_ = f"decide by it: `when: answer.{key}`, or leave it out, since a person may decline"
            yield codes.UNREAD_ANSWER.make_problem(place, message, help=help_)


def _check_unread_constants(view: WorkflowView, found: _ReadValues) -> Iterator[Problem]:
    """Report each constant under `vars` that no expression and no prompt reads."""
    unread = set(view.definition.workflow.vars) - found.constants if _ALL_FIELDS not in found.constants else set()
    for name in sorted(one for one in unread if not found.may_mean(one)):
        message = f'nothing reads "{name}" of "vars": no prompt and no expression'
        help_ = f"use it, as `vars.{name}`, or remove it"
        yield codes.UNUSED_INPUT.make_problem(view.locate_key("vars", name), message, help=help_)


def _check_unused_items(view: WorkflowView, found: _ReadValues) -> Iterator[Problem]:
    """Report each item of a list that its prompt does not name, so that all prompts are the same."""
    for name, phase in view.phases.items():
        loop = phase.for_each
        if loop is None or phase.prompt_template is None or phase.uses is not None or loop.as_ in RESERVED_INPUTS:
            continue
        if not found.phase_inputs & {(name, loop.as_), (name, "loop"), (name, _ALL_FIELDS)}:
            message = f'the prompt of phase "{name}" does not name its item "{loop.as_}", so all prompts are the same'
            place = view.locate_value("phases", name, "for_each", "as")
            yield codes.UNUSED_INPUT.make_problem(place, message, help=f"use it in the prompt: `{{{{ {loop.as_} }}}}`")


def _is_acknowledgement(schema: Mapping[str, Any]) -> bool:
    """Return whether an answer says only that something is done."""
    if "const" in schema:
        return True
    properties = schema.get("properties")
    if not isinstance(properties, dict) or len(properties) != 1:
        return False
    ((name, inner),) = properties.items()
    is_constant = isinstance(inner, dict) and ("const" in inner or len(inner.get("enum", ())) == 1)
    is_boolean = isinstance(inner, dict) and inner.get("type") == "boolean"
    return is_constant or (is_boolean and name in _DONE_WORDS)


_DONE_WORDS = frozenset({"acknowledged", "complete", "completed", "done", "finished", "ok", "ready", "seen"})


def _collect_reads(view: WorkflowView) -> _ReadValues:
    found = _ReadValues()
    faulty = find_faulty_sites(view)
    found.is_unsure = _has_unknown_keys(view) or _names_phases(faulty)  # both may mean what seems unread
    if found.is_unsure:
        return found
    for site in faulty:
        found.words |= _list_words(view, site.text)
        found.phase_inputs.add((site.phase, _ALL_FIELDS))
        _record_answer(found, site.phase, [])
    for site in collect_sites(view):
        for path in find_root_paths(site.tree) if site.tree is not None else ():
            _record_path(found, site.phase, site.kind, path)
    names = Counter(key for phase in view.phases.values() for key in phase.inputs)
    prompts = _group_prompts(view)
    for name, phase in view.phases.items():
        _record_prompts(view, found, name, prompts.get(name, ()))
        # every later input of a name without a `from` recalls what a caller passed under that name
        found.run_inputs |= {key for key, spec in phase.inputs.items() if spec.from_ is None and names[key] > 1}
    return found


def _names_phases(faulty: Iterable[ExpressionSite]) -> bool:
    return any("phases." in site.text for site in faulty)


def _list_words(view: WorkflowView, text: str) -> set[str]:
    """List the words of a faulty expression, with the phases whose aliases it names."""
    words = set(re.findall(r"\w+", text))
    return words | {name for name, phase in view.phases.items() if not words.isdisjoint(phase.aliases)}


def _has_unknown_keys(view: WorkflowView) -> bool:
    """Return whether an input has a key that is neither its own nor one of JSON Schema, such as `form`."""
    specs = [spec for phase in view.phases.values() for spec in phase.inputs.values()]
    return any(key not in KEYWORDS and not key.startswith("x-") for spec in specs for key in spec.json_schema)


def _record_path(found: _ReadValues, phase: str, kind: str, path: tuple[str, ...]) -> None:
    match path:
        case ("inputs", *rest):
            name = rest[0] if rest else _ALL_FIELDS
            if kind in ("from", "skip", "output"):
                found.run_inputs.add(name)
            else:
                found.phase_inputs.add((phase, name))
        case ("phases", *rest):
            _record_phase_path(found, rest)
        case ("vars", *rest):
            found.constants.add(rest[0] if rest else _ALL_FIELDS)
        case ("answer" | "answers", *rest) if kind == "when":
            _record_answer(found, phase, rest)
        case (name, *_) if kind == "with":
            found.phase_inputs.add((phase, name))
        case _:
            pass


def _record_phase_path(found: _ReadValues, rest: list[str]) -> None:
    match rest:
        case []:
            found.is_unsure = True
        case [phase]:
            _record_answer(found, phase, [])
            found.phase_inputs.add((phase, _ALL_FIELDS))
        case [phase, "answers", *_]:
            _record_answer(found, phase, [])
        case [phase, "answer", *inner]:
            _record_answer(found, phase, inner)
        case [phase, "inputs"]:
            found.phase_inputs.add((phase, _ALL_FIELDS))
        case [phase, "inputs", name, *_]:
            found.phase_inputs.add((phase, name))
        case _:
            pass


def _record_answer(found: _ReadValues, phase: str, path: Sequence[str]) -> None:
    """Record the field of an answer at a path; all of them where the path is empty."""
    found.answers.add(phase)
    found.answer_fields.add((phase, path[0] if path else _ALL_FIELDS))


def _group_prompts(view: WorkflowView) -> dict[str, list[Prompt]]:
    """Group the prompts by phase."""
    grouped: dict[str, list[Prompt]] = {}
    for key, prompt in view.definition.prompts.items():
        grouped.setdefault(key.partition(".")[0], []).append(prompt)
    return grouped


def _record_prompts(view: WorkflowView, found: _ReadValues, phase: str, prompts: Sequence[Prompt]) -> None:
    if not prompts and view.phases[phase].prompt_template is not None:  # a file that cannot be read
        found.phase_inputs.add((phase, _ALL_FIELDS))
    for prompt in prompts:
        _record_template(view, found, phase, prompt)


def _list_names(found: _ReadValues, prompt: Prompt) -> frozenset[str]:
    """List the names that a template reads; those of a text are collected once."""
    if prompt.text not in found.names_by_template:
        try:
            names = check_template(prompt.text, prompt.name)
        except PromptError:
            names = frozenset({"inputs"})
        names |= {".".join(read.path.parts) for read in read_template(prompt.text, {}) if not read.is_own}
        found.names_by_template[prompt.text] = names | ({"inputs", "vars"} if "debug" in prompt.text else set())
    return found.names_by_template[prompt.text]


def _record_template(view: WorkflowView, found: _ReadValues, phase: str, prompt: Prompt) -> None:
    spec = view.phases[phase]
    known = {*spec.inputs, "result", "run", "vars", "loop", *([spec.for_each.as_] if spec.for_each else [])}
    for name in _list_names(found, prompt):
        _record_name(view, found, phase, name.split("."), is_known=name.split(".")[0] in known)


def _record_name(view: WorkflowView, found: _ReadValues, phase: str, parts: list[str], *, is_known: bool) -> None:
    """Record a name that a template reads."""
    root, inner = parts[0], parts[1] if len(parts) > 1 else _ALL_FIELDS
    if root == "phases" and not is_known:  # reported elsewhere: an input can recall it
        _record_phase_path(found, parts[1:])
    elif not is_known and root in view.definition.workflow.vars:  # reported elsewhere: `vars` is missing
        found.constants.add(root)
    elif root == "vars":
        found.constants.add(inner if inner in view.definition.workflow.vars else _ALL_FIELDS)
    if root == "inputs":
        found.phase_inputs.add((phase, inner))
    elif not is_known:  # a name that is missing, reported elsewhere, may be meant for a value that seems unread
        found.phase_inputs.add((phase, _ALL_FIELDS))
        found.has_unknown_name = True
    found.phase_inputs.add((phase, root))


CHECK = Check(check_unused_values, can_refuse=False)
