"""`workflow.diff`: changes in behaviour between two revisions of a workflow."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora.errors import Code, Fault
from aurora.interpreter import Catalog, problems
from aurora.interpreter.lab.diff import compare_definitions
from aurora.interpreter.lab.proof import prove_workflow
from aurora.system.files import open_temporary_folder
from aurora.system.paths.resolve import path_exists
from aurora.tools.core import Command, CompactModel, Example, StrictModel, Tool
from aurora.tools.files import open_worktree

from .files import resolve_targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language.definition import Definition
    from aurora.tools.core import Context


class DiffInput(StrictModel):
    """Two revisions to compare."""

    before: str = Field(
        min_length=1, max_length=4096, description="A workflow's name, its file, or REVISION:file for a file in git."
    )
    after: str = Field(
        default="",
        max_length=4096,
        description="The later revision. Without it, `before` is the later one, and the earlier is its file in git, or "
        "the shipped workflow that it replaces or extends.",
    )


class WorkflowChange(CompactModel):
    """Change in behaviour."""

    phase: str = Field(description="Empty for the workflow as a whole.")
    about: str
    sign: Literal["added", "removed", "changed", "words"]
    text: str
    before: str = ""
    after: str = ""
    breaking: bool = Field(default=False, description="True when a caller, or a recorded run, may no longer fit.")
    was_at: str = ""
    is_at: str = ""


class RevisionProof(StrictModel):
    """Proved bounds, which no run of a revision exceeds; null when there is none."""

    called: str
    phases: int
    paths: int | None
    longest_run: int | None


class DiffOutput(StrictModel):
    """Changes between the revisions, and their consequences."""

    same: bool = Field(description="True when both behave the same, whatever their texts.")
    before: RevisionProof
    after: RevisionProof
    changes: tuple[WorkflowChange, ...]
    stale: tuple[str, ...] = Field(description="Finished phases to which an open run must return.")


def diff_workflows(given: DiffInput, context: Context) -> DiffOutput:
    """Compare two revisions, also such with problems.

    Raises:
        Fault: NOT_FOUND for what does not exist, FORBIDDEN for a path outside the project, INVALID_INPUT for what
            cannot be read, or when there is nothing to compare with.
    """
    with ExitStack() as stack:
        if given.after:
            was, is_ = (stack.enter_context(open_revision(name, context)) for name in (given.before, given.after))
        else:
            is_ = stack.enter_context(open_revision(given.before, context))
            was = _find_earlier(is_, context, stack)
        found = compare_definitions(was.definition, is_.definition)
        return DiffOutput(
            same=found.is_equivalent,
            before=_prove_revision(was, context),
            after=_prove_revision(is_, context),
            changes=tuple(WorkflowChange.from_value(change, sign=change.kind) for change in found.changes),
            stale=found.stale,
        )


def _find_earlier(later: WorkflowRevision, context: Context, stack: ExitStack) -> WorkflowRevision:
    """Find the revision to compare a single one with."""
    definition = later.definition
    path, root = definition.path.resolve(), context.root.resolve()
    if path.is_relative_to(root) and definition.source != "shipped":
        try:
            return stack.enter_context(open_committed("HEAD", path, context))
        except Fault as fault:
            if fault.code is not Code.NOT_FOUND:
                raise
    # A file that git does not know yet replaces, or extends, the shipped workflow of its name.
    original = load_shipped(definition.workflow.name, context)
    if original is not None and original.definition.path.resolve() != Path(path):
        return original
    raise Fault(
        Code.INVALID_INPUT,
        f'there is nothing to compare "{later.label}" with: git has no earlier revision of it, and it replaces no '
        "shipped workflow",
        help="Name two revisions: names, files, or REVISION:file for a file in git.",
    )


def _prove_revision(revision: WorkflowRevision, context: Context) -> RevisionProof:
    definition = revision.definition
    # A workflow with errors can be compared; bounds can be proved only of one that runs.
    sound = not problems.select_errors(context.project.workflows.check_definition(definition))
    proved = prove_workflow(definition, context.project.tools) if sound else None
    return RevisionProof(
        called=revision.label,
        phases=len(definition.workflow.phases),
        paths=proved.paths if proved else None,
        longest_run=proved.longest_run_calls if proved else None,
    )


_REVISION_PATTERN = re.compile(r"(?P<revision>[^\s:]+):(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WorkflowRevision:
    """Workflow definition with a label."""

    label: str
    definition: Definition


@contextmanager
def open_revision(name: str, context: Context) -> Iterator[WorkflowRevision]:
    """Open a revision by a workflow's name, a file, or `REVISION:file` for a file in git.

    Raises:
        Fault: NOT_FOUND for what does not exist, FORBIDDEN for a path outside the project, INVALID_INPUT for what
            cannot be read.
    """
    found = _REVISION_PATTERN.fullmatch(name)
    # A file may have a colon in its name; it comes before a revision.
    if found is None or path_exists(context.root / name):
        yield _load_current(name, context)
        return
    # the file may exist only in git, so the path is checked without the file system
    root = context.root.resolve()
    path = Path(os.path.normpath(root / found["path"]))
    if not path.is_relative_to(root):
        raise Fault(
            Code.FORBIDDEN,
            f'"{found["path"][:200]}" is outside the project',
            help="Name a file of the project after the revision: HEAD:.aurora/workflows/tea.yaml.",
        )
    with open_committed(found["revision"], path, context) as made:
        yield made


@contextmanager
def open_committed(revision: str, path: Path, context: Context) -> Iterator[WorkflowRevision]:
    """Open a file of the project, with its folder, at a revision of git.

    Raises:
        Fault: NOT_FOUND without git, for a revision that it does not know, and for a file that is not in it.
    """
    tree = open_worktree(context.root)
    if tree is None:
        raise Fault(Code.NOT_FOUND, "this project is not in git", help="Name two files.")
    relative = path.relative_to(context.root.resolve())
    label = f"{revision}:{relative.as_posix()}"
    with open_temporary_folder("revision") as folder:
        # With its folder, since a workflow names prompts and other workflows next to it.
        tree.extract_folder(tree.resolve_commit(revision), relative.parent.as_posix(), folder)
        extracted = folder / relative
        if not extracted.is_file():
            raise Fault(
                Code.NOT_FOUND,
                f'there is no file "{relative.as_posix()}" in "{revision}"',
                help=f"`git log -- {relative.as_posix()}` shows the commits that have it.",
            )
        catalog = Catalog(extracted.parent, context.project.tools)
        yield _load_revision(label, str(extracted), catalog)


def load_shipped(name: str, context: Context) -> WorkflowRevision | None:
    """Load the shipped workflow of this name; None when there is none."""
    # Without a folder, the shipped workflow is found also where the project has one of its name.
    catalog = Catalog(None, context.project.tools)
    return _load_revision(f"{name} as shipped", name, catalog) if name in catalog.list_names() else None


def _load_current(name: str, context: Context) -> WorkflowRevision:
    found = resolve_targets((name,), context)
    if len(found) != 1:
        message = f'"{name}" contains {len(found)} workflows'
        raise Fault(Code.INVALID_INPUT, message, help="Name the file of one of them.")
    label, target = found[0]
    return _load_revision(label, target, context.project.workflows)


def _load_revision(label: str, target: str, catalog: Catalog) -> WorkflowRevision:
    definition, problems = catalog.load_with_problems(target)
    if definition is None:
        raise Fault(
            Code.INVALID_INPUT,
            f'"{PurePath(label).name}" has too many errors to compare it',
            help=f"run `aur workflow validate {label}` for its problems",
            details={"problems": [problem.heading for problem in problems[:20]]},
        )
    return WorkflowRevision(label, definition)


TOOL = Tool(
    name="workflow.diff",
    title="Compare revisions of a workflow",
    description=(
        "List the changes in behaviour between two revisions of a workflow: rules, conditions, bounds, inputs, tools, "
        "schemas and prompts; with the number of paths and the longest run, before and after."
    ),
    input=DiffInput,
    output=DiffOutput,
    run=diff_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=60.0,
    examples=(Example("A workflow and itself", {"before": "feature", "after": "feature"}),),
    mcp="aurora_workflow_diff",
    command=Command(
        "workflow diff", "Compare two versions of a workflow.", arguments=("before", "after"), files=("before", "after")
    ),
)
