"""`workflow.new`: new workflow of the project, from a template or as a copy."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter.catalog.starter import NAME_PATTERN, create_blank, create_copy
from aurora.interpreter.language.json_schema import SCHEMA_FILE, build_language_schema
from aurora.memory import files
from aurora.system.files import choose_write_remedy
from aurora.system.paths.write import create_folder_inside
from aurora.tools.core import PROJECT_WORKFLOWS, Command, Example, StrictModel, Tool
from aurora.tools.files import refuse_existing, select_missing, write_all

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.tools.core import Context


class NewInput(StrictModel):
    """Name of the new workflow, and the one to copy."""

    name: str = Field(min_length=1, max_length=40, description="Name of the new workflow.")
    from_: str | None = Field(
        default=None, alias="from", min_length=1, max_length=80, description="A workflow to copy; else a small example."
    )
    force: bool = Field(default=False, description="Overwrite existing files.")


class NewOutput(StrictModel):
    """Written files, relative to the project, the workflow's own first."""

    workflow: str
    path: str
    files: tuple[str, ...]
    start: str
    needs: tuple[str, ...]
    problems: int


def create_workflow(given: NewInput, context: Context) -> NewOutput:
    """Create a workflow of the project.

    Raises:
        Fault: INVALID_INPUT for an invalid name, NOT_FOUND for an unknown workflow to copy, CONFLICT for existing files
            or an existing workflow, FORBIDDEN where nothing may be written.
    """
    _check_name(given.name)
    catalog = context.project.workflows
    template = catalog.load(given.from_) if given.from_ else None
    if given.name in catalog.list_names() and not given.force:
        raise Fault(
            Code.CONFLICT,
            f'a workflow "{given.name}" exists already',
            help="Choose another name; or, to change only a part of it, write a file with "
            f"`extends: {given.name}`. --force overwrites the project's own, or replaces the shipped one.",
            details={"workflow": given.name},
        )
    starter = create_copy(given.name, template) if template else create_blank(given.name)
    folder = _create_folder(context)
    files = select_missing(folder, starter.files)  # a copy can use the prompts of its original
    if not given.force:
        refuse_existing(folder, dict.fromkeys((f"{given.name}.yaml", *files)))  # of an untrusted folder, too
    schema = json.dumps(build_language_schema(), indent=2) + "\n"
    # The workflow's own file comes last: until then none names prompts that are not there yet.
    write_all(folder, {SCHEMA_FILE: schema, **dict(reversed(files.items()))})
    path = folder / f"{given.name}.yaml"
    made = catalog.load_file(path).workflow  # by its file: the project need not be trusted
    inputs = made.phases[made.map_phase_names()[made.start]].inputs
    return NewOutput(
        workflow=given.name,
        path=f"{PROJECT_WORKFLOWS}/{given.name}.yaml",
        files=tuple(f"{PROJECT_WORKFLOWS}/{path}" for path in (*files, SCHEMA_FILE)),
        start=made.start,
        needs=tuple(name for name, spec in inputs.items() if not spec.optional and not spec.has_default),
        problems=len(catalog.find_problems(str(path))),
    )


def _check_name(name: str) -> None:
    if NAME_PATTERN.fullmatch(name):
        return
    suggestion = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    raise Fault(
        Code.INVALID_INPUT,
        f'"{name}" is not a valid name: use lower-case letters, digits, "_" and "-", with a letter first',
        help=f'For example "{suggestion}".' if NAME_PATTERN.fullmatch(suggestion) else 'For example "release-notes".',
        details={"name": name},
    )


def _create_folder(context: Context) -> Path:
    """Create the folder of the project's workflows; it must be inside the project."""
    try:
        files.prepare_folder(
            context.root / PROJECT_WORKFLOWS.partition("/")[0] / files.database_path(context.root).name
        )
        return create_folder_inside(context.root, PROJECT_WORKFLOWS)
    except (OSError, RuntimeError) as error:
        raise Fault(
            Code.FORBIDDEN,
            f'"{PROJECT_WORKFLOWS}" cannot be created: {getattr(error, "strerror", None) or error}',
            help=choose_write_remedy(
                error, "Give yourself write permission for the project's folder.", PROJECT_WORKFLOWS.partition("/")[0]
            ),
        ) from None


TOOL = Tool(
    name="workflow.new",
    title="Create a workflow",
    description=(
        "Create a workflow in .aurora/workflows/ that is valid and runs, with its prompts next to it: a small example, "
        "or a copy of another workflow. It overwrites existing files only with force."
    ),
    input=NewInput,
    output=NewOutput,
    run=create_workflow,
    family="workflow",
    risk="write",
    idempotent=False,
    timeout=30.0,
    constraints=("It writes only under .aurora/workflows/, and overwrites a file only with force.",),
    examples=(
        Example("A small example", {"name": "release-notes"}),
        Example("A copy", {"name": "our-review", "from": "code-review"}),
    ),
    command=Command("workflow new", "Create a workflow from a template.", arguments=("name",)),
)
