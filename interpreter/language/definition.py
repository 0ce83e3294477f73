"""A workflow definition: the workflow with its schemas, prompts and source places."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aurora.interpreter.schema import to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Node

    from .model import Workflow

WorkflowSource = Literal["shipped", "project", "file"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template, named in problems by its file or `prompt of "phase"`."""

    text: str
    name: str
    from_file: bool


@dataclass(frozen=True, slots=True)
class Definition:
    """A workflow that was read.

    Attributes:
        workflow: what the file says.
        root: the document's tree, after `extends`.
        path: the workflow's own file.
        outputs, answers: the JSON Schema by phase, where the phase has one.
        prompts: the template by phase, where the phase has one.
        digest: SHA-256 over the workflow, its schemas and its prompts; comments and layout left out.
        files: everything that was read, so that an edit is noticed.
        stands_in: empty; or the first problem of the file as it is now, when this is the last edition that was good.
    """

    workflow: Workflow
    root: Node
    path: Path
    source: WorkflowSource
    outputs: Mapping[str, Mapping[str, Any]]
    answers: Mapping[str, Mapping[str, Any]]
    prompts: Mapping[str, Prompt]
    digest: str
    files: tuple[Path, ...]
    fallback_reason: str = ""
    _fingerprints: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def label(self) -> str:
        """`name@version`."""
        return f"{self.workflow.name}@{self.workflow.version}"

    def fingerprint_phase(self, phase: str) -> str:
        """Hash all that defines the phase, without titles and descriptions.

        A step keeps the fingerprint that its phase had, so that a run knows after an edit what is still as it was.
        """
        if phase not in self._fingerprints:
            self._fingerprints[phase] = self._hash_phase(phase)
        return self._fingerprints[phase]

    def _hash_phase(self, phase: str) -> str:
        spec = self.workflow.phases[phase]
        said = spec.model_dump(by_alias=True, exclude={"title", "description", "aliases"}, mode="json")
        inputs = {name: [given.model_dump(by_alias=True, mode="json")] for name, given in spec.inputs.items()}
        targets = [self.workflow.map_phase_names().get(rule.then, rule.then) for rule in spec.next_action]
        prompt = self.prompts[phase].text if phase in self.prompts else ""
        whole = [said, inputs, targets, self.outputs.get(phase), self.answers.get(phase), prompt]
        return hashlib.sha256(to_canonical_json(whole).encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def format_progress(self, phase: str) -> str:
        """Format the phase's position in the file, as `3/9 decompose`."""
        names = list(self.workflow.phases)
        return f"{names.index(phase) + 1}/{len(names)} {phase}"


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of reading a file: a definition, unless its problems prevent one."""

    definition: Definition | None
    problems: tuple[Problem, ...]
    path: Path
    name: str | None
    """The workflow's name as the file gives it, be the rest broken."""
    partial: Definition | None = None
    """Where the file's shape is wrong in places: what can be read besides them; to be looked at, never to be run."""
    broken_phases: frozenset[str] = frozenset()
    """The phases of `rest` of which only the name is known."""
    connected: bool = False
    """Whether the phases of `rest` hang together as they were meant to."""
