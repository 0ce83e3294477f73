"""workflow.test: cases beside a workflow are played, and what comes is held against what they expect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from aurora.faults import Fault
from aurora.tools.core.compact import Lean
from aurora.tools.core.declaration import Example, Strict, Tool
from aurora.tools.core.json_value import Json  # noqa: TC001 - pydantic reads it when the model is made

from .coverage import Covered, covered

if TYPE_CHECKING:
    from aurora.interpreter import Definition
    from aurora.interpreter.simulation import Coverage
    from aurora.interpreter.simulation.cases.case import Case
    from aurora.interpreter.simulation.cases.compare import Difference as Found
    from aurora.interpreter.simulation.cases.play import Played
    from aurora.tools.core.context import Context

_LONGEST = 600
"""Characters of one side of a difference."""


class CasesInput(Strict):
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


class Difference(Strict):
    """Where what came is not what was expected."""

    where: str
    place: str = Field(description="path:line:column of what is expected.")
    expected: Json
    actual: Json


class Tested(Lean):
    """One case."""

    name: str
    workflow: str
    file: str
    status: Literal["passed", "failed", "updated", "broken"] = Field(
        description="broken: it could not be played; error says why."
    )
    path: tuple[Json, ...] = Field(default=(), description="What came; a refused call as {phase: code}.")
    differences: tuple[Difference, ...] = ()
    error: str = ""
    help: str = ""


class CoveredWorkflow(Strict):
    """What the cases of one workflow take of it."""

    workflow: str
    coverage: Covered


class CasesOutput(Lean):
    """All of them."""

    cases: tuple[Tested, ...]
    passed: int
    failed: int
    updated: int = 0
    coverage: tuple[CoveredWorkflow, ...] = ()
    ok: bool


def run_tests(given: CasesInput, context: Context) -> CasesOutput:
    """Play the cases.

    Raises:
        Fault: NOT_FOUND when there are none, INVALID_INPUT for a file that says no cases, FORBIDDEN for a file outside
            the project.
    """
    from aurora.interpreter.simulation import Coverage  # noqa: PLC0415 - a server's start does not need it

    from .case_files import cases_of  # noqa: PLC0415 - as above

    cases = cases_of(given.files, context)
    tested: list[Tested] = []
    seen: dict[str, Coverage] = {}
    for number, case in enumerate(cases):
        context.progress(number, len(cases), case.name)
        try:
            definition, played = _played(case, context)
        except Fault as fault:
            tested.append(_tested(case, "broken", error=f"{fault.code.value}: {fault.message}", help=fault.help))
            continue
        coverage = seen.setdefault(definition.workflow.name, Coverage(definition.workflow))
        for response in played.responses:
            coverage.note(response)
        tested.append(_judged(case, played, context, update=given.update))
    bad = sum(one.status in ("failed", "broken") for one in tested)
    return CasesOutput(
        cases=tuple(tested),
        passed=sum(one.status == "passed" for one in tested),
        failed=bad,
        updated=sum(one.status == "updated" for one in tested),
        coverage=tuple(
            CoveredWorkflow(workflow=name, coverage=covered(one))
            for name, one in sorted(seen.items())
            if given.coverage
        ),
        ok=not bad,
    )


def _played(case: Case, context: Context) -> tuple[Definition, Played]:
    """The case's workflow, and what came of it.

    Raises:
        Fault: when the workflow or the case's project cannot be used.
    """
    from aurora.interpreter.simulation.cases.load import check_names  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.play import play  # noqa: PLC0415 - as above

    from .sandbox import project_of  # noqa: PLC0415 - as above

    definition = _definition(case, context)
    check_names(case.path, definition.workflow, case.script)
    with project_of(case, context.project) as project:
        keeps = not case.read_only
        return definition, play(definition, project.tools, case.script, keeps=keeps)


def _definition(case: Case, context: Context) -> Definition:
    """The workflow beside the case's folder, else the one that the project knows by the name.

    Raises:
        Fault: NOT_FOUND, or INVALID_INPUT with its errors.
    """
    catalog = context.project.workflows
    beside = case.path.parent.parent / f"{case.workflow}.yaml"
    return catalog.load_file(beside) if beside.is_file() else catalog.load(case.workflow)


def _judged(case: Case, played: Played, context: Context, *, update: bool) -> Tested:
    from aurora.interpreter.simulation.cases.compare import differences  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.record import recorded  # noqa: PLC0415 - as above

    held = recorded(case)
    path = tuple(played.path)
    missing = case.expect.snapshot and held is None
    found = differences(case, played, held)
    stale = missing or any(one.where.startswith(("path[", "snapshot[")) for one in found) or case.expect.path is None
    if update and stale:
        written = _written(case, played, context)
        left = [one for one in found if not one.where.startswith(("path[", "snapshot["))]
        status: Literal["failed", "updated", "passed"] = "failed" if left else "updated" if written else "passed"
        return _tested(case, status, path=path, differences=tuple(_difference(case, one) for one in left))
    if missing:
        error, help_ = "there is no snapshot of this case", "`aur workflow test --update` writes it"
        shown = tuple(_difference(case, one) for one in found)
        return _tested(case, "failed", path=path, differences=shown, error=error, help=help_)
    shown = tuple(_difference(case, one) for one in found)
    return _tested(case, "failed" if found else "passed", path=path, differences=shown)


def _written(case: Case, played: Played, context: Context) -> bool:
    """Write down what came; whether anything changed.

    Raises:
        Fault: FORBIDDEN when the case lies outside the project, or cannot be written.
    """
    from aurora.interpreter.problems.files import read_file  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.compare import view  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.load import read_cases  # noqa: PLC0415 - as above
    from aurora.interpreter.simulation.cases.record import as_text, snapshot_file, with_path  # noqa: PLC0415 - as above
    from aurora.tools.files.containment import inside  # noqa: PLC0415 - as above
    from aurora.tools.files.new_files import missing, write_all  # noqa: PLC0415 - as above

    folder = inside(context.root, str(case.path)).parent
    now = next(one for one in read_cases(case.path) if one.name == case.name)  # an update before may have moved it
    text = read_file(case.path).decode("utf-8-sig")
    files: dict[str, str] = {}
    if case.expect.snapshot:
        files[snapshot_file(case).relative_to(case.path.parent).as_posix()] = as_text(
            [view(one) for one in played.responses]
        )
    files[case.path.name] = with_path(text, now, played.path) if _says_another(now, played) else text
    changed = missing(folder, files)
    write_all(folder, changed)
    return bool(changed)


def _says_another(case: Case, played: Played) -> bool:
    return case.expect.path is None or list(case.expect.path) != played.path


def _difference(case: Case, found: Found) -> Difference:
    from aurora.interpreter.language.build import find  # noqa: PLC0415 - as above

    place = find(case.node, found.loc).place
    return Difference(where=found.where, place=place.at, expected=_short(found.expected), actual=_short(found.actual))


def _short(value: Any) -> Any:
    """The value, or the beginning of its text where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= _LONGEST else f"{text[:_LONGEST]}… [+{len(text) - _LONGEST} characters]"


def _tested(case: Case, status: Literal["passed", "failed", "updated", "broken"], **more: Any) -> Tested:
    from aurora.interpreter.yaml.display_path import shown  # noqa: PLC0415 - as above

    return Tested(name=case.name, workflow=case.workflow, file=shown(case.path), status=status, **more)


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
    command=("workflow", "test"),
)
