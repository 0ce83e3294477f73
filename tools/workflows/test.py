"""`workflow.test`: run the cases of workflows, and compare with expected results."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from aurora.errors import Code, Fault, ignore_changes, quote_names
from aurora.interpreter import problems, yaml
from aurora.interpreter.catalog.paths import list_workflow_files
from aurora.interpreter.lab.cases import CASE_FOLDER, PROJECT_HERE, read_cases, resolve_script_names
from aurora.interpreter.lab.compare import (
    find_differences,
    format_snapshot,
    locate_snapshot,
    read_snapshot,
    set_expected_path,
    snapshot_response,
)
from aurora.interpreter.lab.coverage import Coverage
from aurora.interpreter.lab.script import play_script
from aurora.interpreter.language.build import find_node
from aurora.interpreter.yaml import display_path
from aurora.system.files import open_temporary_folder
from aurora.system.paths.resolve import file_exists, resolve_inside
from aurora.system.paths.write import write_inside
from aurora.tools import runtime
from aurora.tools.core import Command, CompactModel, Example, Json, StrictModel, Tool
from aurora.tools.files import select_missing, write_all
from aurora.tools.runtime import PhaseToolRunner
from aurora.tools.trust import is_case_trusted, is_definition_trusted

from .files import NAME_PATTERN
from .simulate import CoverageReport, to_coverage_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurora.interpreter import Definition
    from aurora.interpreter.lab.cases import Case
    from aurora.interpreter.lab.compare import Difference as Found
    from aurora.interpreter.lab.script import ScriptResult
    from aurora.tools.core import Context, Project

_MAX_VALUE_CHARS = 600
"""Characters of one side of a difference."""

_UPDATABLE = ("path[", "snapshot[")
"""Prefixes of differences that an update removes."""


class CasesInput(StrictModel):
    """Cases to run, and options."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflows by name, or files or folders of cases; by default the project's own, or the shipped.",
    )
    update: bool = Field(default=False, description="Write the actual path and snapshot as the expected ones.")
    coverage: bool = Field(default=False, description="Report the coverage of each workflow.")


class CaseDifference(StrictModel):
    """Difference between an expected and an actual value."""

    where: str
    place: str = Field(description="path:line:column of the expected value.")
    expected: Json
    actual: Json


class CaseResult(CompactModel):
    """Result of a case."""

    name: str
    workflow: str
    file: str
    status: Literal["passed", "failed", "updated", "broken"] = Field(
        description="broken: it could not run, for the reason in error."
    )
    path: tuple[Json, ...] = Field(default=(), description="Actual path; a rejected call as {phase: code}.")
    differences: tuple[CaseDifference, ...] = ()
    error: str = ""
    help: str = ""


class WorkflowCoverage(StrictModel):
    """Coverage of a workflow by its cases."""

    workflow: str
    coverage: CoverageReport


class CasesOutput(CompactModel):
    """Results of the cases."""

    cases: tuple[CaseResult, ...]
    passed: int
    failed: int
    updated: int = 0
    coverage: tuple[WorkflowCoverage, ...] = ()
    ok: bool


def run_tests(given: CasesInput, context: Context) -> CasesOutput:
    """Run the cases.

    Raises:
        Fault: NOT_FOUND without any case, INVALID_INPUT for a file without cases, FORBIDDEN for a path outside the
            project.
    """
    resolved = resolve_cases(given.files, context)
    tested: list[CaseResult] = []
    coverages: dict[str, Coverage] = {}
    for number, case in enumerate(resolved):
        context.progress(number, len(resolved), case.name)
        if isinstance(case, BrokenFile):
            tested.append(_to_broken_result(case, case.fault))
            continue
        try:
            definition, played = _play_case(case, context)
        except Fault as fault:
            tested.append(_to_broken_result(case, fault))
            continue
        coverage = coverages.setdefault(definition.workflow.name, Coverage(definition.workflow))
        coverage.record_steps(played.steps)
        tested.append(_judge_case(case, played, context, update=given.update))
    counts = Counter(result.status for result in tested)
    failed = counts["failed"] + counts["broken"]
    reports = [
        WorkflowCoverage(workflow=name, coverage=to_coverage_report(coverage))
        for name, coverage in sorted(coverages.items())
    ]
    return CasesOutput(
        cases=tuple(tested),
        passed=counts["passed"],
        failed=failed,
        updated=counts["updated"],
        coverage=tuple(reports) if given.coverage else (),
        ok=not failed,
    )


def _play_case(case: Case, context: Context) -> tuple[Definition, ScriptResult]:
    """Run a case, and return its workflow with the result.

    Raises:
        Fault: when the workflow or the case's project cannot be used; FORBIDDEN for real tools in an untrusted one.
    """
    definition = _load_definition(case, context)
    known = context.project.workflows.find_neighbours(definition.path)
    script = resolve_script_names(case.path, definition, case.script, known)
    # A case can call any tool with any arguments, and a clone brings its cases; the shipped ones are Aurora's own.
    if case.script.runs_tools and not context.project.workflows.is_shipped(case.path):
        _require_trust(case, definition, context)
    with open_case_project(case, context.project) as project:
        keeps = not case.read_only
        # A job's own tools run in the temporary project of its case, never in the person's.
        is_temporary = project is not context.project
        tools = PhaseToolRunner(project, runs_job=True) if is_temporary else project.tools
        return definition, play_script(definition, tools, script, known, keeps=keeps)


def _require_trust(case: Case, definition: Definition, context: Context) -> None:
    """Reject a case that would run tools, of a project or of files that the person does not trust.

    Raises:
        Fault: FORBIDDEN.
    """
    project = context.project
    if not project.trust.is_trusted():
        reason = "this folder is not trusted"
    elif not (is_case_trusted(case.path, project) and is_definition_trusted(definition, project)):
        reason = "its file or its workflow is new or changed since this folder was trusted"
    else:
        return
    raise Fault(
        Code.FORBIDDEN,
        f'case "{case.name}" runs real tools, and {reason}',
        help="`aur trust` in a terminal shows the folder's own workflows and tests, and asks.",
    )


def _load_definition(case: Case, context: Context) -> Definition:
    """Load the workflow next to the case's folder, else the project's workflow of that name.

    Raises:
        Fault: NOT_FOUND, or INVALID_INPUT with its errors.
    """
    catalog = context.project.workflows
    # The tests of a folder are for the workflows next to it, whatever the project has under the same name.
    adjacent = case.path.parent.parent / f"{case.workflow}.yaml"
    return catalog.load_file(adjacent) if adjacent.is_file() else catalog.load(case.workflow)


def _judge_case(case: Case, played: ScriptResult, context: Context, *, update: bool) -> CaseResult:
    """Compare the result of a case with the expected one; write the actual one when `update` is set."""
    snapshot = read_snapshot(case)
    is_missing = case.expect.snapshot and snapshot is None
    found = find_differences(case, played, snapshot)
    lasting = [difference for difference in found if not difference.where.startswith(_UPDATABLE)]
    is_outdated = is_missing or len(lasting) < len(found) or case.expect.path is None
    status: Literal["failed", "updated", "passed"] = "passed"
    message: dict[str, str] = {}
    if update and is_outdated:
        found = lasting
        if _update_case(case, played, context):
            status = "updated"
    elif is_missing:
        status = "failed"
        message = {"error": "this case has no snapshot", "help": "run `aur workflow test --update` to write it"}
    if found:
        status = "failed"
    differences = tuple(_to_difference(case, difference) for difference in found)
    return _to_case_result(case, status, path=tuple(played.path), differences=differences, **message)


def _update_case(case: Case, played: ScriptResult, context: Context) -> bool:
    """Write the actual path and snapshot; return whether a file changed.

    Raises:
        Fault: FORBIDDEN when the case is outside the project, or cannot be written.
    """
    folder = resolve_inside(context.root, str(case.path)).parent
    # an earlier update of the same file may have moved the case
    current = next(other for other in read_cases(case.path) if other.name == case.name)
    text = problems.read_file(case.path).decode("utf-8-sig")
    contents: dict[str, str] = {}
    if case.expect.snapshot:
        snapshot = format_snapshot([snapshot_response(response) for response in played.responses])
        contents[locate_snapshot(case).relative_to(case.path.parent).as_posix()] = snapshot
    if _has_other_path(current, played):
        text = set_expected_path(text, current, played.path)
    contents[case.path.name] = text
    changed = select_missing(folder, contents)
    write_all(folder, changed)
    return bool(changed)


def _has_other_path(case: Case, played: ScriptResult) -> bool:
    return case.expect.path is None or tuple(case.expect.path) != played.path


def _to_difference(case: Case, found: Found) -> CaseDifference:
    place = find_node(case.node, found.loc).place
    return CaseDifference(
        where=found.where,
        place=place.label,
        expected=_shorten_value(found.expected),
        actual=_shorten_value(found.actual),
    )


def _shorten_value(value: Any) -> Any:
    """Truncate the text of a long value."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _MAX_VALUE_CHARS:
        return value
    return f"{text[:_MAX_VALUE_CHARS]}… [+{len(text) - _MAX_VALUE_CHARS} characters]"


def _to_broken_result(case: Case | BrokenFile, fault: Fault) -> CaseResult:
    error = f"{fault.code.value}: {fault.message}"
    file, workflow = yaml.display_path(case.path), "" if isinstance(case, BrokenFile) else case.workflow
    return CaseResult(name=case.name, workflow=workflow, file=file, status="broken", error=error, help=fault.help)


def _to_case_result(case: Case, status: Literal["passed", "failed", "updated"], **more: Any) -> CaseResult:
    return CaseResult(name=case.name, workflow=case.workflow, file=yaml.display_path(case.path), status=status, **more)


_MAX_FILES = 2_000


@contextmanager
def open_case_project(case: Case, here: Project) -> Iterator[Project]:
    """Open the project of a case, and index it when the case runs tools.

    Args:
        case: case with its project.
        here: current project.

    Raises:
        Fault: NOT_FOUND or INVALID_INPUT when the folder or a file of the case cannot be used.
    """
    if case.project == PROJECT_HERE:
        yield here
        return
    # What is written there goes with the folder, so a call that times out does not count it as a change.
    with open_temporary_folder("case") as folder, ignore_changes():
        root = folder / "project"
        _create_project(case, root)
        with runtime.Workspace(root, internal=True) as made:
            if case.script.runs_tools:
                # Before the project is opened read-only, in which nothing could be indexed any more.
                made.memory.index(made.root)
            if not case.read_only:
                yield made
                return
        with runtime.Workspace(root, read_only=True, internal=True) as made:
            yield made


def _create_project(case: Case, root: Path) -> None:
    if case.project is None:
        root.mkdir()
    else:
        _copy_project(case, root)
    for name, text in case.files.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or name.startswith("/") or "\0" in name:
            raise Fault(Code.INVALID_INPUT, f'{display_path(case.path)}: "{name[:80]}" is outside the case\'s project')
        try:
            write_inside(root.resolve(), "/".join(parts), text.encode("utf-8"))  # a copied folder may contain links
        except Fault as fault:
            raise Fault(Code.INVALID_INPUT, f"{display_path(case.path)}: {fault.message}") from None
        except (OSError, ValueError) as error:
            message = f'{display_path(case.path)}: file "{name[:80]}" cannot be written: {error}'
            raise Fault(Code.INVALID_INPUT, message) from None


def _copy_project(case: Case, root: Path) -> None:
    """Copy the folder next to the case's file; reject any folder above it."""
    home = case.path.parent.resolve()
    try:
        source = (home / str(case.project)).resolve()
    except (OSError, ValueError, RuntimeError):
        source = home
    if not source.is_relative_to(home) or source == home or not source.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'{display_path(case.path)}: "{case.project}" is not a folder next to it',
            help='write `project: here`, a folder next to the file, or the files under "files"',
        )
    if sum(1 for _ in source.rglob("*")) > _MAX_FILES:
        raise Fault(
            Code.INVALID_INPUT, f'{display_path(case.path)}: "{case.project}" contains more than {_MAX_FILES:,} files'
        )
    try:
        # Links stay links: the content of a file outside does not get into the copy.
        shutil.copytree(source, root, symlinks=True)
    except shutil.Error as error:
        names = sorted(Path(place).name for place, *_ in error.args[0])
        message = f'{display_path(case.path)}: in "{case.project}", {quote_names(names[:3])} cannot be copied'
        raise Fault(Code.INVALID_INPUT, message, help="Put only regular files into it.") from None


class BrokenFile(NamedTuple):
    """File of a folder whose cases cannot be read.

    Attributes:
        path: the file.
        fault: why not.
    """

    path: Path
    fault: Fault

    @property
    def name(self) -> str:
        """Name of the file without its suffix, in place of the names of its cases."""
        return self.path.stem


def resolve_cases(files: Sequence[str], context: Context) -> tuple[Case | BrokenFile, ...]:
    """Resolve names to cases; without names the project's own, else the shipped ones.

    A file of a folder that cannot be read does not keep the others from running.

    Raises:
        Fault: NOT_FOUND for an unknown name or without any case, INVALID_INPUT for a named or only file without
            cases, FORBIDDEN for a path outside the project.
    """
    found: dict[tuple[Path, str], Case | BrokenFile] = {}
    if not files:
        found.update(((case.path, case.name), case) for case in _find_all_cases(context))
    for name in files:
        found.update(((case.path, case.name), case) for case in _find_named_cases(name, context))
    if not found:
        help_ = f'write a case in the folder "{CASE_FOLDER}" next to its workflow'
        raise Fault(Code.NOT_FOUND, "there are no cases to run", help=help_)
    if len(found) == 1 and isinstance(only := next(iter(found.values())), BrokenFile):
        raise only.fault
    return tuple(found.values())


def _find_all_cases(context: Context) -> tuple[Case | BrokenFile, ...]:
    catalog = context.project.workflows
    folders: dict[Path, str] = {}
    for summary in catalog.list_summaries():
        folders.setdefault(catalog.find_path(summary.name).parent / CASE_FOLDER, summary.source)
    for source in ("project", "shipped"):
        found: list[Case | BrokenFile] = []
        for folder, folder_source in folders.items():
            if folder_source == source:
                found += _read_folder(folder)
        if found:
            return tuple(found)
    return ()


def _find_named_cases(name: str, context: Context) -> tuple[Case | BrokenFile, ...]:
    if NAME_PATTERN.fullmatch(name) and not file_exists(context.root / name):
        folder = context.project.workflows.find_path(name).parent / CASE_FOLDER
        found = tuple(case for case in _read_folder(folder) if _is_case_of(case, name))
        if not found:
            message = f'workflow "{name}" has no cases in "{display_path(folder)}"'
            raise Fault(Code.NOT_FOUND, message, help=f"write them in `{CASE_FOLDER}/{name}.yaml` next to it")
        return found
    path = resolve_inside(context.root, name)
    return tuple(_read_folder(path)) if path.is_dir() else read_cases(path)


def _is_case_of(case: Case | BrokenFile, workflow: str) -> bool:
    """Return whether it is a case of a workflow, or a broken file with its name."""
    return case.name == workflow if isinstance(case, BrokenFile) else case.workflow == workflow


def _read_folder(folder: Path) -> list[Case | BrokenFile]:
    found: list[Case | BrokenFile] = []
    for file in list_workflow_files(folder):
        try:
            found += read_cases(file)
        except Fault as fault:
            found.append(BrokenFile(file, fault))
    return found


TOOL = Tool(
    name="workflow.test",
    title="Test workflows",
    description=(
        "Run the cases in the folder tests next to a workflow: each is a run with given inputs, answers and tool "
        "results, or with the real tools in a temporary project, and has an expected path and results."
    ),
    input=CasesInput,
    output=CasesOutput,
    run=run_tests,
    family="workflow",
    risk="write",
    idempotent=True,
    timeout=1800.0,
    examples=(Example("The cases of the shipped workflow that answers questions", {"files": ["soar"]}),),
    command=Command(
        "workflow test",
        "Run the test cases of workflows.",
        arguments=("files",),
        files=("files",),
        locates_project=True,
    ),
)
