"""Jobs: workflows that run without a host, since no phase has a prompt."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, find_nearest, quote_names
from aurora.tools.core import JOB_TOOLS, resolve_alias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter import Definition
    from aurora.interpreter.language.model import InputSpec
    from aurora.tools.core import Project


def find_jobs(project: Project) -> dict[str, Definition]:
    """Find the project's jobs by name, without those with errors, which `aur workflow validate` lists."""
    found = {}
    for name in project.workflows.list_names():
        with contextlib.suppress(Fault):
            definition = project.workflows.open(name)
            if is_job(definition):
                found[name] = project.workflows.load(name)
    return found


def is_job(definition: Definition) -> bool:
    """Return whether all phases run without a host."""
    return definition.workflow.is_job


def needs_job_tools(definition: Definition) -> bool:
    """Return whether a phase uses a tool that only jobs may use."""
    phases = definition.workflow.phases.values()
    return any(phase.uses is not None and resolve_alias(phase.uses) in JOB_TOOLS for phase in phases)


def load_job(project: Project, name: str) -> Definition:
    """Load a job by name, and check it.

    Raises:
        Fault: NOT_FOUND, with the nearest name; INVALID_INPUT for a workflow that needs a host, or has errors;
            FORBIDDEN for one of a project that is not trusted.
    """
    if name not in project.workflows.list_names():
        project.workflows.reject_untrusted(name)
        jobs = find_jobs(project)
        guess = find_nearest(name, jobs)
        raise Fault(
            Code.NOT_FOUND,
            f'there is no job "{name}"' + (f'; did you mean "{guess}"?' if guess else ""),
            help=f"the jobs are {quote_names(jobs)}" if jobs else "a job is a workflow without prompts",
            details={"job": name, "suggestion": guess, "choices": sorted(jobs)},
        )
    definition = project.workflows.load(name)
    if not is_job(definition):
        phases = definition.workflow.phases.items()
        asks = [key for key, phase in phases if phase.asks]
        raise Fault(
            Code.INVALID_INPUT,
            f'"{name}" is not a job: its phase "{asks[0]}" asks for an answer',
            help=f"run `aur workflow run {name}` to answer its prompts yourself",
            details={"workflow": name, "asks": asks},
        )
    return definition


def list_inputs(definition: Definition) -> Mapping[str, bool]:
    """List a job's inputs with True for a required one."""
    return {name: not (spec.optional or spec.has_default) for name, spec in find_first_inputs(definition).items()}


def find_first_inputs(definition: Definition) -> Mapping[str, InputSpec]:
    """Find the inputs of the first phase that only a caller can pass."""
    flow = definition.workflow
    return {
        name: spec
        for name, spec in flow.phases[flow.map_phase_names()[flow.start]].inputs.items()
        if spec.from_ is None
    }
