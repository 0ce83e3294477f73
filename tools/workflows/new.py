"""workflow.new: a new workflow of the project, from nothing or as a copy, that validates and runs as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.faults import Code, Fault, check_cancelled
from aurora.interpreter.catalog import NAME_PATTERN, create_blank, create_copy
from aurora.interpreter.language import SCHEMA_FILE, build_language_schema
from aurora.tools.core import PROJECT_WORKFLOWS, Command, Example, StrictModel, Tool
from aurora.tools.files import refuse_existing, select_missing, write_all

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Context


class NewInput(StrictModel):
    """What it is called, and what it is made from."""

    name: str = Field(min_length=1, max_length=40, description="What the new workflow is called.")
    from_: str | None = Field(
        default=None, alias="from", min_length=1, max_length=80, description="A workflow to copy; else a small example."
    )
    force: bool = Field(default=False, description="Write over what is there.")


class NewOutput(StrictModel):
    """The files that were written, relative to the project, the workflow's own first."""

    workflow: str
    path: str
    files: tuple[str, ...]
    start: str
    needs: tuple[str, ...]
    problems: int


def create_workflow(given: NewInput, context: Context) -> NewOutput:
    """Write it.

    Raises:
        Fault: INVALID_INPUT for what is no name, NOT_FOUND for a workflow to copy that is not there, CONFLICT for files
            or a workflow of that name that are, FORBIDDEN where nothing may be written.
    """
    _check_name(given.name)
    catalog = context.project.workflows
    template = catalog.load(given.from_) if given.from_ else None
    if given.name in catalog.list_names() and not given.force:
        raise Fault(
            Code.CONFLICT,
            f'there is a workflow "{given.name}" already',
            help="Choose another name; or, to change only a part of it, write a file that says "
            f"`extends: {given.name}`. --force writes over the project's own, or stands before the shipped one.",
            details={"workflow": given.name},
        )
    starter = create_copy(given.name, template) if template else create_blank(given.name)
    folder = _create_folder(context)
    files = select_missing(folder, starter.files)  # a patch's own prompts serve its copy too
    if not given.force:
        refuse_existing(folder, files)
    schema = json.dumps(build_language_schema(), indent=2) + "\n"
    write_all(folder, {SCHEMA_FILE: schema, **dict(reversed(files.items()))})
    made = catalog.open(given.name).workflow
    inputs = made.phases[made.map_phase_names()[made.start]].inputs
    return NewOutput(
        workflow=given.name,
        path=f"{PROJECT_WORKFLOWS}/{given.name}.yaml",
        files=tuple(f"{PROJECT_WORKFLOWS}/{path}" for path in (*files, SCHEMA_FILE)),
        start=made.start,
        needs=tuple(name for name, spec in inputs.items() if not spec.optional and not spec.has_default),
        problems=len(catalog.find_problems(given.name)),
    )


def _check_name(name: str) -> None:
    if NAME_PATTERN.fullmatch(name):
        return
    near = "-".join("".join(char if char.isascii() and char.isalnum() else " " for char in name.lower()).split())
    raise Fault(
        Code.INVALID_INPUT,
        f'"{name}" is no name for a workflow: small letters, digits, "_" and "-", a letter first',
        help=f'For example "{near}".' if NAME_PATTERN.fullmatch(near) else 'For example "release-notes".',
        details={"name": name},
    )


def _create_folder(context: Context) -> Path:
    """The folder of the project's workflows, made when it is missing; it must lie in the project."""
    from aurora.memory.files import database_path, prepare_folder  # noqa: PLC0415 - only who writes needs it

    folder = context.root / PROJECT_WORKFLOWS
    try:
        if not folder.resolve().is_relative_to(context.root):
            raise Fault(
                Code.FORBIDDEN,
                f'"{PROJECT_WORKFLOWS}" is a link that leads out of the project',
                help="Put a folder in its place.",
            )
        prepare_folder(context.root / PROJECT_WORKFLOWS.partition("/")[0] / database_path(context.root).name)
        check_cancelled()
        folder.mkdir(exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise Fault(
            Code.FORBIDDEN,
            f'"{PROJECT_WORKFLOWS}" cannot be made: {getattr(error, "strerror", None) or error}',
            help="Give yourself permission to write in the project's folder.",
        ) from None
    return folder


TOOL = Tool(
    name="workflow.new",
    title="Begin a workflow",
    description=(
        "A new workflow in .aurora/workflows/ that validates and runs as it is, with its prompts beside it: a small "
        "example, or a copy of another one. Nothing that is there is written over unless that is asked for."
    ),
    input=NewInput,
    output=NewOutput,
    run=create_workflow,
    family="workflow",
    risk="write",
    idempotent=False,
    timeout=30.0,
    constraints=("It writes under .aurora/workflows/ alone, and never over a file that is there.",),
    examples=(
        Example("From nothing", {"name": "release-notes"}),
        Example("From another one", {"name": "our-review", "from": "code-review"}),
    ),
    command=Command("workflow new", "Create a workflow from a template.", arguments=("name",)),
)
