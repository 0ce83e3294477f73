"""workflow.test: cases beside a workflow are played, and what comes is held against what they expect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.faults import Fault
from aurora.tools.core import (
    Command,
    CompactModel,
    Example,
    Json,
    StrictModel,
    Tool,
)

from .coverage import CoverageReport, to_coverage_report

if TYPE_CHECKING:
    from aurora.interpreter import Definition
    from aurora.interpreter.simulation import Coverage
    from aurora.interpreter.simulation.cases import Case, ScriptResult
    from aurora.interpreter.simulation.cases import Difference as Found
    from aurora.tools.core import Context

_MAX_VALUE_CHARS = 600
"""Characters of one side of a difference."""


class CasesInput(StrictModel):
    """Which cases."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflows by name, or files or folders of cases; without any the project's own, or the shipped.",
    )
    update: bool = Field(
        default=False, description="Write down the path and the snapshot that came as what is expected."
    )
    coverage: bool = Field(default=False, description="Tell what the cases take of each workflow.")


class CaseDifference(StrictModel):
    """Where what came is not what was expected."""

    where: str
    place: str = Field(description="path:line:column of what is expected.")
    expected: Json
    actual: Json


class CaseResult(CompactModel):
    """One case."""

    name: str
    workflow: str
    file: str
    status: Literal["passed", "failed", "updated", "broken"] = Field(
        description="broken: it could not be played; error says why."
    )
    path: tuple[Json, ...] = Field(default=(), description="What came; a refused call as {phase: code}.")
    differences: tuple[CaseDifference, ...] = ()
    error: str = ""
    help: str = ""


class WorkflowCoverage(StrictModel):
    """What the cases of one workflow take of it."""

    workflow: str
    coverage: CoverageReport


class CasesOutput(CompactModel):
    """All of them."""

    cases: tuple[CaseResult, ...]
    passed: int
    failed: int
    updated: int = 0
    coverage: tuple[WorkflowCoverage, ...] = ()
    ok: bool


def run_tests(given: CasesInput, context: Context) -> CasesOutput:
    """Play the cases.

    Raises:
        Fault: NOT_FOUND when there are none, INVALID_INPUT for a file that says no cases, FORBIDDEN for a file outside
            the project.
    """
    from aurora.interpreter.simulation import Coverage  # noqa: PLC0415 - a server's start does not need it

    from .case_files import resolve_cases  # noqa: PLC0415 - as above

    cases = resolve_cases(given.files, context)
    tested: list[CaseResult] = []
    seen: dict[str, Coverage] = {}
    for number, case in enumerate(cases):
        context.progress(number, len(cases), case.name)
        try:
            definition, played = _play_case(case, context)
        except Fault as fault:
            tested.append(
                _to_case_result(case, "broken", error=f"{fault.code.value}: {fault.message}", help=fault.help)
            )
            continue
        coverage = seen.setdefault(definition.workflow.name, Coverage(definition.workflow))
        for response in played.responses:
            coverage.record_response(response)
        tested.append(_judge_case(case, played, context, update=given.update))
    bad = sum(one.status in ("failed", "broken") for one in tested)
    return CasesOutput(
        cases=tuple(tested),
        passed=sum(one.status == "passed" for one in tested),
        failed=bad,
        updated=sum(one.status == "updated" for one in tested),
        coverage=tuple(
            WorkflowCoverage(workflow=name, coverage=to_coverage_report(one))
            for name, one in sorted(seen.items())
            if given.coverage
        ),
        ok=not bad,
    )


def _play_case(case: Case, context: Context) -> tuple[Definition, ScriptResult]:
    """The case's workflow, and what came of it.

    Raises:
        Fault: when the workflow or the case's project cannot be used.
    """
    from aurora.interpreter.simulation.cases import check_script_names, play_script  # noqa: PLC0415 - as above

    from .sandbox import open_case_project  # noqa: PLC0415 - as above

    definition = _load_definition(case, context)
    check_script_names(case.path, definition.workflow, case.script)
    with open_case_project(case, context.project) as project:
        keeps = not case.read_only
        return definition, play_script(definition, project.tools, case.script, keeps=keeps)


def _load_definition(case: Case, context: Context) -> Definition:
    """The workflow beside the case's folder, else the one that the project knows by the name.

    Raises:
        Fault: NOT_FOUND, or INVALID_INPUT with its errors.
    """
    catalog = context.project.workflows
    beside = case.path.parent.parent / f"{case.workflow}.yaml"
    return catalog.load_file(beside) if beside.is_file() else catalog.load(case.workflow)


def _judge_case(case: Case, played: ScriptResult, context: Context, *, update: bool) -> CaseResult:
    from aurora.interpreter.simulation.cases import find_differences, read_snapshot  # noqa: PLC0415 - as above

    held = read_snapshot(case)
    path = tuple(played.path)
    missing = case.expect.snapshot and held is None
    found = find_differences(case, played, held)
    stale = missing or any(one.where.startswith(("path[", "snapshot[")) for one in found) or case.expect.path is None
    if update and stale:
        written = _update_case(case, played, context)
        left = [one for one in found if not one.where.startswith(("path[", "snapshot["))]
        status: Literal["failed", "updated", "passed"] = "failed" if left else "updated" if written else "passed"
        return _to_case_result(case, status, path=path, differences=tuple(_to_difference(case, one) for one in left))
    if missing:
        error, help_ = "there is no snapshot of this case", "`aur workflow test --update` writes it"
        shown = tuple(_to_difference(case, one) for one in found)
        return _to_case_result(case, "failed", path=path, differences=shown, error=error, help=help_)
    shown = tuple(_to_difference(case, one) for one in found)
    return _to_case_result(case, "failed" if found else "passed", path=path, differences=shown)


def _update_case(case: Case, played: ScriptResult, context: Context) -> bool:
    """Write down what came; whether anything changed.

    Raises:
        Fault: FORBIDDEN when the case lies outside the project, or cannot be written.
    """
    from aurora.interpreter.problems import read_file  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases import (  # noqa: PLC0415 - as above
        format_snapshot,
        locate_snapshot,
        read_cases,
        set_expected_path,
        snapshot_response,
    )
    from aurora.tools.files import (  # noqa: PLC0415 - as above
        resolve_inside,
        select_missing,
        write_all,
    )

    folder = resolve_inside(context.root, str(case.path)).parent
    now = next(one for one in read_cases(case.path) if one.name == case.name)  # an update before may have moved it
    text = read_file(case.path).decode("utf-8-sig")
    files: dict[str, str] = {}
    if case.expect.snapshot:
        files[locate_snapshot(case).relative_to(case.path.parent).as_posix()] = format_snapshot(
            [snapshot_response(one) for one in played.responses]
        )
    files[case.path.name] = set_expected_path(text, now, played.path) if _has_other_path(now, played) else text
    changed = select_missing(folder, files)
    write_all(folder, changed)
    return bool(changed)


def _has_other_path(case: Case, played: ScriptResult) -> bool:
    return case.expect.path is None or list(case.expect.path) != played.path


def _to_difference(case: Case, found: Found) -> CaseDifference:
    from aurora.interpreter.language import find_node  # noqa: PLC0415 - as above

    place = find_node(case.node, found.loc).place
    return CaseDifference(
        where=found.where,
        place=place.label,
        expected=_shorten_value(found.expected),
        actual=_shorten_value(found.actual),
    )


def _shorten_value(value: Any) -> Any:
    """The value, or the beginning of its text where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (
        value
        if len(text) <= _MAX_VALUE_CHARS
        else f"{text[:_MAX_VALUE_CHARS]}… [+{len(text) - _MAX_VALUE_CHARS} characters]"
    )


def _to_case_result(case: Case, status: Literal["passed", "failed", "updated", "broken"], **more: Any) -> CaseResult:
    from aurora.interpreter.yaml import display_path  # noqa: PLC0415 - as above

    return CaseResult(name=case.name, workflow=case.workflow, file=display_path(case.path), status=status, **more)


TOOL = Tool(
    name="workflow.test",
    title="Run the cases of workflows",
    description=(
        "Plays the cases that stand in the folder tests beside a workflow: each walks one run with given inputs, "
        "answers and tool results, or with the real tools in a project of its own, and expects a path and results."
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
