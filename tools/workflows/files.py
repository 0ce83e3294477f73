"""Workflows named by a caller: names, files, folders, or all of them; and jobs, which need no host."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault, find_nearest, list_names, quote_names
from aurora.interpreter.catalog.paths import list_workflow_files
from aurora.interpreter.yaml import display_path
from aurora.system.paths.resolve import file_exists, resolve_inside
from aurora.tools.core import JOB_TOOLS, resolve_alias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.language.model import InputSpec
    from aurora.tools.core import Context, Project


_MAX_PATH_CHARS = 200
NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def resolve_targets(files: Sequence[str], context: Context) -> tuple[tuple[str, str], ...]:
    """Resolve names, files and folders to pairs of a label and the catalog's name or path.

    Without names, these are the workflows in use, and the project's own files while the project is not trusted. A name
    means the project's own file then, too: nothing that takes targets runs a tool.

    Raises:
        Fault: NOT_FOUND for a missing file or a folder without workflows, FORBIDDEN for a path outside the project.
    """
    if not files:
        catalog = context.project.workflows
        unused = ((display_path(path), str(path)) for path in catalog.list_untrusted_files())
        return (*((name, name) for name in catalog.list_names()), *unused)
    found: dict[str, tuple[str, str]] = {}
    for name in files:
        found.update((target, (label, target)) for label, target in _resolve_name(name, context))
    return tuple(found.values())


def _resolve_name(name: str, context: Context) -> Iterator[tuple[str, str]]:
    root = context.root
    if NAME_PATTERN.fullmatch(name) and not file_exists(root / name):
        unused = context.project.workflows.find_untrusted_file(name)
        yield (name, name) if unused is None else (display_path(unused), str(unused))
        return
    # Asked before it is resolved, so that a misspelt name gets the nearest one and not a word on paths.
    if not _may_exist(root, name):
        raise build_not_found_fault(root, name)
    path = resolve_inside(root, name)
    if not path.is_dir():
        yield display_path(path) if PurePath(name).is_absolute() else name, str(path)
        return
    workflow_files = list_workflow_files(path)
    if not workflow_files:
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow in "{display_path(path)}"',
            help='A workflow is a file with the suffix ".yaml" or ".yml"; subfolders are not searched.',
        )
    for file in workflow_files:
        # a broken link is a problem of that file, and must not hide the others
        yield display_path(file), str(resolve_inside(root, str(file)) if file.exists() else file)


def _may_exist(root: Path, name: str) -> bool:
    """Return whether the path exists, or is outside the project, where `resolve_inside` rejects it."""
    try:
        path = Path(os.path.normpath(root / name))
        return os.path.lexists(path) or not path.parent.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return True


def build_not_found_fault(root: Path, name: str) -> Fault:
    """Build the fault for a missing file, with the nearest or all files of its folder as help."""
    wanted = Path(os.path.normpath(root / name))
    shown = display_path(wanted)
    if len(shown) > _MAX_PATH_CHARS:
        shown = f"{shown[:_MAX_PATH_CHARS]}…"
    # A shell passes a pattern on as it is when it matches nothing.
    if any(sign in name for sign in "*?["):
        help_ = "Name a folder to check all of its workflows."
        return Fault(Code.NOT_FOUND, f'no file matches "{shown}"', help=help_, details={"path": shown})
    files = {path.name: display_path(path) for path in list_workflow_files(wanted.parent)}
    names = {path.stem: display_path(path) for path in list_workflow_files(root / ".aurora" / "workflows")}
    near = find_nearest(wanted.name, files)
    other = find_nearest(wanted.stem, names)
    if near or other:
        help_ = f'did you mean "{files[near] if near else names[str(other)]}"?'
    elif files:
        help_ = f"the workflows in that folder are {list_names(files.values())}"
    else:
        help_ = "run `aur workflow list` for all workflows with their files"
    return Fault(Code.NOT_FOUND, f'there is no file "{shown}"', help=help_, details={"path": shown})


def find_jobs(project: Project) -> dict[str, Definition]:
    """Find the project's jobs by name, without those with errors, which `aur workflow validate` lists."""
    found = {}
    for name in project.workflows.list_names():
        with contextlib.suppress(Fault):
            definition = project.workflows.open(name)
            if definition.workflow.is_job:
                # Only a job is checked as a whole, which takes longer than to open a workflow.
                found[name] = project.workflows.load(name)
    return found


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
    if not definition.workflow.is_job:
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
