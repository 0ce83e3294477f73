"""`workflow.validate` and `fix`: problems of workflows at their places, and their safe fixes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from aurora import __version__
from aurora.errors import Code, Fault
from aurora.interpreter import reporters
from aurora.interpreter.catalog.fix import apply_fixes
from aurora.interpreter.problems import (
    SourceLines,
    UnreadableFileError,
    make_excerpt,
    read_file,
    read_page,
    read_source_text,
    sort_problems,
)
from aurora.interpreter.yaml import display_path, plan_edit_by_problem
from aurora.system.files import choose_write_remedy
from aurora.system.paths.write import write_inside
from aurora.tools.core import Command, Example, StrictModel, Switch, Tool

from .files import resolve_targets

if TYPE_CHECKING:
    from aurora.interpreter.lab.proof import WorkflowProof
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Edit
    from aurora.tools.core import Context


STDIN = "<stdin>"
"""Path of a text from standard input."""


class ValidateInput(StrictModel):
    """Workflows to check, and the format of the report."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflow files, folders of them, or names of workflows; by default all in use.",
    )
    text: str | None = Field(
        default=None,
        description="A workflow's text instead of a file; its paths start from the project.",
    )
    strict: bool = Field(default=False, description="Count a warning as an error.")
    format: Literal["text", "json", "sarif", "github"] = Field(
        default="text", description="Format of the problems: for people, as data, or for a code host."
    )
    explain: str | None = Field(
        default=None, description="Explain a problem's code or name, as E307, and check nothing."
    )


class SuggestedFix(StrictModel):
    """Safe fix of a problem: `new` in place of `old`."""

    old: str
    new: str


class FoundProblem(StrictModel):
    """Problem; lines and columns count from 1, `source` is its line, `caret` the marker below it."""

    path: str
    line: int
    column: int
    end_column: int
    severity: Literal["error", "warning"]
    code: str
    name: str
    message: str
    help: str
    note: str
    source: str
    caret: str
    fix: SuggestedFix | None


class ProofSummary(StrictModel):
    """Proved bounds: no run exceeds them. `worst_path_tokens` is an estimate."""

    phases: int
    paths: int | None = Field(description="Null above a million.")
    longest_run_calls: int | None = Field(description="Null when a run may not end.")
    always_ends: bool
    worst_path_tokens: int | None
    token_budget: int | None = Field(description="Tokens that the workflow allows the responses of a run.")


class CheckedWorkflow(StrictModel):
    """Workflow with its problems in the order of the file; without errors, with its proof."""

    workflow: str
    errors: int
    warnings: int
    problems: tuple[FoundProblem, ...]
    proof: ProofSummary | None


class ListedProblem(StrictModel):
    """Problem of any of the files; line and column count from 1."""

    file: str
    line: int
    column: int
    severity: Literal["error", "warning"]
    code: str
    name: str
    message: str
    help: str


class ValidateOutput(StrictModel):
    """Checked workflows, and the `report` in the requested format."""

    files: tuple[CheckedWorkflow, ...]
    problems: tuple[ListedProblem, ...] = Field(
        default=(), description="With the format json, the problems of all files, each once, in order."
    )
    errors: int
    warnings: int
    ok: bool
    format: Literal["text", "json", "sarif", "github"]
    report: str


def validate_workflows(given: ValidateInput, context: Context) -> ValidateOutput:
    """Check workflows.

    Raises:
        Fault: NOT_FOUND for a file, name or code that does not exist, FORBIDDEN for a path outside the project.
    """
    if given.explain is not None:
        return _to_output(given, [], read_page(given.explain))
    wanted = resolve_targets(given.files, context) if given.files or given.text is None else ()
    catalog, found = context.project.workflows, []
    for number, (label, target) in enumerate(wanted):
        context.progress(number, len(wanted), label)
        found.append(_ExaminedWorkflow(label, *catalog.examine(target)))
    if given.text is not None:
        found.append(_ExaminedWorkflow(STDIN, *catalog.examine_text(given.text, Path(STDIN))))
    return _to_output(given, found)


class _ExaminedWorkflow(NamedTuple):
    label: str
    problems: tuple[Problem, ...]
    proof: WorkflowProof | None


def _to_output(given: ValidateInput, found: list[_ExaminedWorkflow], report: str = "") -> ValidateOutput:
    sources = SourceLines({STDIN: given.text} if given.text is not None else {})
    files = tuple(_to_checked_workflow(one, sources) for one in found)
    # two workflows that extend a broken one share its problems; each counts once
    every = sort_problems(problem for one in found for problem in one.problems)
    errors = sum(problem.severity == "error" for problem in every)
    warnings = len(every) - errors
    return ValidateOutput(
        files=files,
        problems=tuple(ListedProblem.from_value(one, file=one.path) for one in every) if given.format == "json" else (),
        errors=errors,
        warnings=warnings,
        ok=not errors and not (given.strict and warnings),
        format=given.format,
        report=report or _format_report(given, every),
    )


def _format_report(given: ValidateInput, problems: tuple[Problem, ...]) -> str:
    if given.format == "sarif":
        return json.dumps(reporters.build_sarif(problems, __version__, _find_edits(given, problems)), indent=2)
    return reporters.format_github(problems) if given.format == "github" else ""


def _find_edits(given: ValidateInput, problems: tuple[Problem, ...]) -> dict[Problem, Edit]:
    found: dict[Problem, Edit] = {}
    for path in sorted({problem.path for problem in problems if problem.fix}):
        text = given.text if path == STDIN and given.text is not None else read_source_text(Path(path))
        found |= plan_edit_by_problem(text, [problem for problem in problems if problem.path == path])
    return found


def _to_checked_workflow(one: _ExaminedWorkflow, sources: SourceLines) -> CheckedWorkflow:
    errors = sum(problem.severity == "error" for problem in one.problems)
    found = []
    for problem in one.problems:
        part = make_excerpt(problem, sources.get_line(problem.path, problem.line))
        found.append(FoundProblem.from_value(problem, source=part.source, caret=part.caret))
    return CheckedWorkflow(
        workflow=one.label,
        errors=errors,
        warnings=len(one.problems) - errors,
        problems=tuple(found),
        proof=ProofSummary.from_value(one.proof) if one.proof else None,
    )


VALIDATE = Tool(
    name="workflow.validate",
    title="Check workflows",
    description="Find the problems of workflows before a run: each with its place, its code and its remedy.",
    input=ValidateInput,
    output=ValidateOutput,
    run=validate_workflows,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=60.0,
    constraints=("A path outside the project is FORBIDDEN.",),
    examples=(
        Example("All in use", {}),
        Example("One by name", {"files": ["soar"]}),
        Example("The meaning of a code", {"explain": "E307"}),
    ),
    mcp="aurora_workflow_validate",
    command=Command(
        "workflow validate",
        "Check workflows for mistakes before they run.",
        arguments=("files",),
        files=("files",),
        locates_project=True,
        stdin_text="text",
        switches={"fix": Switch("workflow.fix", "Apply the fixes that are certain, then report what is left.")},
    ),
)


_BOM = b"\xef\xbb\xbf"


class AppliedEdit(StrictModel):
    """Applied edit, `new` in place of `old`, at its place when it was applied."""

    path: str
    line: int
    column: int
    old: str
    new: str
    code: str
    name: str


class FixOutput(ValidateOutput):
    """Applied edits, and the problems that are left."""

    edits: tuple[AppliedEdit, ...]


def fix_workflows(given: ValidateInput, context: Context) -> FixOutput:
    """Fix workflow files, then check them.

    Raises:
        Fault: INVALID_INPUT for a text without a file, CONFLICT when another process changes the file at the same
            time, FORBIDDEN when it cannot be written, and the faults of `validate`.
    """
    if given.text is not None:
        raise Fault(Code.INVALID_INPUT, "only a file can be fixed", help="Name the file instead of piping its text.")
    catalog = context.project.workflows
    edits: list[Edit] = []
    for label, target in resolve_targets(given.files, context):
        context.progress(len(edits), None, label)
        is_path = target.endswith((".yaml", ".yml")) or os.path.isfile(target)  # noqa: PTH113 - Path.is_file raises for a name that is too long
        path = Path(target) if is_path else catalog.find_path(target)
        if path.resolve().is_relative_to(context.root):  # a shipped workflow is not fixed
            edits += _fix_file(path, context)
    remaining = validate_workflows(given, context)
    return FixOutput(**dict(remaining), edits=tuple(map(AppliedEdit.from_value, edits)))


def _fix_file(path: Path, context: Context) -> tuple[Edit, ...]:
    try:
        data = read_file(path)
        text = data.removeprefix(_BOM).decode("utf-8")
    except (UnreadableFileError, UnicodeDecodeError):
        return ()  # the check reports it

    def check_text(edited: str) -> tuple[Problem, ...]:
        context.progress(0, None, display_path(path))  # stops after a cancellation, with the file unchanged
        return context.project.workflows.check_text(edited, path, limited=False)

    done = apply_fixes(text, display_path(path), check_text)
    context.progress(0, None, display_path(path))
    if done.edits:
        mark = _BOM if data.startswith(_BOM) else b""
        _replace_file(context.root, path.resolve(), data, mark + done.text.encode("utf-8"))
    return done.edits


def _replace_file(root: Path, path: Path, before: bytes, after: bytes) -> None:
    """Replace a file atomically, unless it changed meanwhile."""

    def check_unchanged() -> None:
        if read_file(path) != before:
            raise Fault(
                Code.CONFLICT,
                f'"{display_path(path)}" changed while it was being fixed',
                help="Run the command again.",
            )

    try:
        write_inside(root, path.relative_to(root).as_posix(), after, check=check_unchanged)
    except (OSError, UnreadableFileError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Fault(
            Code.FORBIDDEN,
            f'"{display_path(path)}" cannot be written: {reason}',
            help=choose_write_remedy(error, "Change the permissions of the file and its folder."),
        ) from None


FIX = Tool(
    name="workflow.fix",
    title="Fix workflows",
    description="Apply the safe fixes to workflow files, and list the problems that are left.",
    input=ValidateInput,
    output=FixOutput,
    run=fix_workflows,
    family="workflow",
    risk="write",
    idempotent=True,
    timeout=120.0,
    examples=(Example("All that would be used", {}),),
)

TOOLS = (VALIDATE, FIX)
