"""A workflow definition: the workflow with its schemas, prompts and source places."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aurora.interpreter.schema.json_values import to_canonical_json
from aurora.interpreter.yaml import display_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

    from .document import Document
    from .model import InputSpec, Workflow

WorkflowSource = Literal["shipped", "project", "file"]


class Segment(NamedTuple):
    """A stretch of a template with its source.

    Attributes:
        start: its offset in the template.
        name: the included file that it comes from; empty for the template itself.
        source: the text of that file, or of the template before its includes were put in.
        offset: its offset in the source.
    """

    start: int
    name: str
    source: str
    offset: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template, named in problems by its file or `prompt of "phase"`.

    Attributes:
        text: the template, with the files that it includes.
        segments: the sources of its stretches, in order; none without includes.
    """

    text: str
    name: str
    from_file: bool
    segments: tuple[Segment, ...] = ()

    def find_source(self, offset: int) -> Segment:
        """Find the source of a character of the template, with its offset there."""
        found = Segment(0, "", self.text, 0)
        for segment in self.segments:
            if segment.start > offset:
                break
            found = segment
        return Segment(offset, found.name, found.source, found.offset + offset - found.start)


@dataclass(frozen=True, slots=True)
class Definition:
    """A workflow that was read.

    Attributes:
        workflow: the model of the file.
        document: the document, after `extends`.
        path: the workflow's own file.
        outputs, answers: the JSON Schemas by phase, if the phase has one.
        prompts: the templates by phase, if the phase has one.
        digest: SHA-256 of the workflow, its schemas and its prompts, without comments and layout.
        files: every file that was read, to detect edits.
        hashes: the SHA-256 of each of them.
        bases: the number of files that it extends.
        run_names: which of `run.folder` and `run.branch` the workflow may read: `folder`, `branch`.
        fallback_reason: empty, or the first problem of the file if this is its last valid version.
        is_kept: True if it was read and checked before, and only recalled.
    """

    workflow: Workflow
    document: Document
    path: Path
    source: WorkflowSource
    outputs: Mapping[str, Mapping[str, Any]]
    answers: Mapping[str, Mapping[str, Any]]
    prompts: Mapping[str, Prompt]
    digest: str
    files: tuple[Path, ...]
    hashes: tuple[str, ...] = ()
    bases: int = 0
    run_names: frozenset[str] = frozenset()
    fallback_reason: str = ""
    is_kept: bool = field(default=False, compare=False)
    _order: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    _fingerprints: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def root(self) -> Node:
        """The document's tree, after `extends`."""
        return self.document.root

    def without_places(self) -> Definition:
        """Return the definition with a document that has no places, since it is only examined for errors."""
        return replace(self, document=self.document.without_places(display_path(self.path)))

    @property
    def label(self) -> str:
        """`name@version`."""
        return f"{self.workflow.name}@{self.workflow.version}"

    def remember(self, kind: str, phase: str, compute: Callable[[], str]) -> str:
        """Return what was computed for a phase before, else compute it; a definition never changes."""
        key = f"{kind} {phase}"
        if key not in self._fingerprints:
            self._fingerprints[key] = compute()
        return self._fingerprints[key]

    def fingerprint_phase(self, phase: str) -> str:
        """Hash what a finished step of the phase depends on.

        A step stores the fingerprint of its phase, so that a run knows after an edit which steps to repeat. Titles,
        `say`, blanks of a prompt and the number of a `max` are left out. So are the schemas of inputs and of a single
        answer, because recorded values can be validated again.
        """
        if phase not in self._fingerprints:
            self._fingerprints[phase] = self._hash_step_basis(phase)
        return self._fingerprints[phase]

    def has_fingerprint(self, phase: str, fingerprint: str) -> bool:
        """Return whether a step with this fingerprint ran this phase."""
        return fingerprint == self.fingerprint_phase(phase)

    def _hash_step_basis(self, phase: str) -> str:
        spec = self.workflow.phases[phase]
        names = self.workflow.map_phase_names()
        # After an edit of one of these, a finished step need not be
        # repeated; those that decide it are added below.
        skipped = {"title", "description", "aliases", "inputs", "next_action", "prompt_template", "answer"}
        skipped |= {"hints", "allows"}
        settings = spec.model_dump(by_alias=True, exclude=skipped, exclude_defaults=True, mode="json")
        inputs = {
            name: given.model_dump(
                include={"from_", "default", "optional", "override"}, exclude_unset=True, mode="json"
            )
            for name, given in spec.inputs.items()
        }
        rules = [
            [rule.when, names.get(rule.then, rule.then), rule.max is None, names.get(rule.else_ or "", rule.else_)]
            + [rule.early_exit] * rule.early_exit
            for rule in spec.next_action
        ]
        prompts = [" ".join(self.prompts[key].text.split()) for key in self._list_prompt_keys(phase)]
        # The answers to several prompts are put together by their
        # schema, and cannot be validated again one by one.
        asks_once = not (spec.for_each or spec.branches or spec.person)
        answer = phase in self.answers if asks_once else self.answers.get(phase)
        return _hash_parts(["2", settings, inputs, rules, self.outputs.get(phase), answer, prompts])

    def _list_prompt_keys(self, phase: str) -> list[str]:
        return [key for key in self.prompts if key == phase or key.startswith(f"{phase}.")]

    def hash_phase(self, phase: str) -> str:
        """Hash all that defines the phase, without titles and descriptions."""
        settings = self.workflow.phases[phase].model_dump(
            by_alias=True, exclude={"title", "description", "aliases"}, mode="json"
        )
        prompts = [self.prompts[key].text for key in self._list_prompt_keys(phase)]
        return _hash_parts([settings, self.outputs.get(phase), self.answers.get(phase), prompts])

    def format_progress(self, phase: str) -> str:
        """Format the phase's place on the way from the start, as `3/9 decompose`; empty for none of its own."""
        names, own = self._order_phases(), phase.partition("/")[0]
        return f"{names.index(own) + 1}/{len(names)} {phase}" if own in names else ""

    def _order_phases(self) -> tuple[str, ...]:
        """Order the phases as a run meets them, and those that it cannot reach last."""
        if not self._order:
            flow = self.workflow
            names = flow.map_phase_names()
            routes: dict[str, list[str]] = {}
            for phase, spec in flow.phases.items():
                tokens = [token for rule in spec.next_action for token in (rule.then, rule.else_)]
                tokens.append(flow.find_error_target(phase))
                # the last route first: a postorder is read backwards
                routes[phase] = [names[token] for token in reversed(tokens) if token is not None and token in names]
            reached = list_postorder(names.get(flow.start, flow.start), routes, set())
            self._order[:] = dict.fromkeys([*reversed(list(reached)), *flow.phases])  # whole: threads may do it twice
        return tuple(self._order)


def fill_input_schemas(
    workflow: Workflow, outputs: Mapping[str, Mapping[str, Any]], answers: Mapping[str, Mapping[str, Any]]
) -> Workflow:
    """Give each input without a schema that of what its `from` reads, where `from` is a plain path.

    So a caller that brings the value itself is told what it must be, as one is of an input with its own schema.

    Args:
        workflow: the model of the file.
        outputs: the JSON Schemas of the results by phase.
        answers: those of the answers.
    """
    own = {name: one for phase in workflow.phases.values() for name, one in phase.inputs.items() if one.json_schema}
    changed = {}
    for name, phase in workflow.phases.items():
        found = {
            key: schema
            for key, spec in phase.inputs.items()
            if spec.from_ is not None
            and not spec.json_schema
            and (schema := _find_source_schema(spec, workflow, own, outputs, answers))
        }
        if found:
            inputs = {
                key: spec.model_copy(update=dict(found[key])) if key in found else spec
                for key, spec in phase.inputs.items()
            }
            changed[name] = phase.model_copy(update={"inputs": inputs})
    return workflow.model_copy(update={"phases": {**workflow.phases, **changed}}) if changed else workflow


_NO_SCHEMA = ("$schema", "$id", "title", "from", "default", "optional", "override")
"""Keys of a source's schema that an input does not take over: labels, and its own keys."""


def _find_source_schema(
    spec: InputSpec,
    workflow: Workflow,
    own: Mapping[str, InputSpec],
    outputs: Mapping[str, Mapping[str, Any]],
    answers: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    whole: Mapping[str, Any] = {}
    steps: list[str] = []
    match str(spec.from_).split("."):
        case ["inputs", name] if name in own:
            whole = own[name].json_schema
        case ["phases", phase, "result", *steps]:
            whole = outputs.get(phase, {})
        case ["phases", phase, "answer", *steps] if phase in workflow.phases:
            asks_once = workflow.phases[phase].for_each is None and workflow.phases[phase].branches is None
            whole = answers.get(phase, {}) if asks_once else {}
    part = _select_part(whole, steps)
    if spec.has_default:  # it may be what the source itself never is, as an empty text
        return {"type": part["type"]} if "type" in part and spec.default is not None else {}
    # A part of a schema may refer to definitions at its root.
    definitions = {"$defs": whole["$defs"]} if part and "$defs" in whole else {}
    return definitions | {key: value for key, value in part.items() if key not in _NO_SCHEMA}


def _select_part(schema: Mapping[str, Any], steps: Iterable[str]) -> Mapping[str, Any]:
    """Select the schema of a field by its path; empty where a path does not tell it."""
    part: Any = schema
    for step in steps:
        fields = part.get("properties") if isinstance(part, dict) else None
        part = fields.get(step) if isinstance(fields, dict) else None
    return part if isinstance(part, dict) and "$ref" not in part else {}


def _hash_parts(parts: list[Any]) -> str:
    return hashlib.sha256(to_canonical_json(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def measure_distances(goal: str | None, back: Mapping[str | None, Collection[str]]) -> Mapping[str | None, int]:
    """Count the edges from each name to a goal, by the shortest way; a name without a way is left out.

    Args:
        goal: where the ways end; None for the end of a run.
        back: by name, the names with an edge to it.
    """
    found: dict[str | None, int] = {goal: 0}
    todo = [goal]
    for here in todo:  # it grows while it is read
        for before in back.get(here, ()):
            if before not in found:
                found[before] = found[here] + 1
                todo.append(before)
    return found


def list_postorder(start: str, edges: Mapping[str, Collection[str]], seen: set[str]) -> list[str]:
    """List the names that a depth-first search reaches, in postorder.

    Args:
        start: where to begin; nothing is listed when it is in `seen`.
        edges: by name, the names that its edges lead to, in the order in which to follow them.
        seen: names to leave out; the search adds those that it reaches.
    """
    if start in seen:
        return []
    seen.add(start)
    order: list[str] = []
    stack = [(start, iter(edges.get(start, ())))]
    while stack:
        name, targets = stack[-1]
        target = next((candidate for candidate in targets if candidate not in seen), None)
        if target is None:
            order.append(name)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(edges.get(target, ()))))
    return order


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of reading a file: a definition, unless its problems prevent one."""

    definition: Definition | None
    problems: tuple[Problem, ...]
    path: Path
    name: str | None
    """The workflow's name in the file, even if the rest is invalid."""
    partial: Definition | None = None
    """The valid part of a file with an invalid structure, to inspect and never to run."""
    broken_phases: frozenset[str] = frozenset()
    """The phases of `partial` of which only the name is known."""
    connected: bool = False
    """True if the transitions of `partial` are known to be complete."""


def find_reachable(starts: Iterable[str], edges: Mapping[str, Collection[str]]) -> set[str]:
    """Return the starts and every name that a path leads to from one of them.

    Args:
        starts: where to begin.
        edges: by name, the names that its edges lead to; a name without edges may be left out.
    """
    reached: set[str] = set()
    stack = list(starts)
    while stack:
        name = stack.pop()
        if name not in reached:
            reached.add(name)
            stack.extend(edges.get(name, ()))
    return reached
