"""workflow.validate: every mistake of every workflow, each at its place with its source line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from aurora import __version__
from aurora.interpreter.problems.explain import page
from aurora.interpreter.problems.problem import in_order
from aurora.interpreter.problems.render import Sources, excerpt, text_of
from aurora.interpreter.yaml.edit import edit_of_each
from aurora.tools.core.declaration import Example, Strict, Tool

from .files import targets

if TYPE_CHECKING:
    from aurora.interpreter.analysis.proof import Proof
    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.yaml.edit import Edit
    from aurora.tools.core.context import Context

STDIN = "<stdin>"
"""How a text is called that stands in no file."""


class ValidateInput(Strict):
    """What to check, and how to tell it."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflow files, folders of them, or names of workflows; without any, all that would be used.",
    )
    text: str | None = Field(
        default=None, description="A workflow that stands in no file; its prompts and schemas count from here."
    )
    strict: bool = Field(default=False, description="Let a warning count as an error does.")
    format: Literal["text", "json", "sarif", "github"] = Field(
        default="text", description="How the problems are told: to people, as data, or as a code host takes them in."
    )
    explain: str | None = Field(
        default=None, description="Tell what a problem's code or name means, as in E307, and check nothing."
    )


class Replaced(Strict):
    """What would mend a problem without a doubt: `new` in place of `old`."""

    old: str
    new: str


class Found(Strict):
    """One problem. Lines and columns count from 1; `source` is its line as it is shown, `caret` the line below it."""

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
    fix: Replaced | None


class Proved(Strict):
    """What holds of every run of a workflow; null where it cannot be told. `worst_path_tokens` is an estimate."""

    phases: int
    paths: int | None
    longest_run_calls: int | None
    always_ends: bool
    worst_path_tokens: int | None


class Checked(Strict):
    """One workflow and its problems, in the order of the file; without errors, what was proved of it."""

    workflow: str
    errors: int
    warnings: int
    problems: tuple[Found, ...]
    proof: Proved | None


class ValidateOutput(Strict):
    """All of them; without errors every workflow runs. `report` is the text in the format that was asked for."""

    files: tuple[Checked, ...]
    errors: int
    warnings: int
    ok: bool
    format: Literal["text", "json", "sarif", "github"]
    report: str


def validate(given: ValidateInput, context: Context) -> ValidateOutput:
    """Check workflows.

    Raises:
        Fault: NOT_FOUND for a file, name or code that does not exist, FORBIDDEN for a file outside the project.
    """
    if given.explain is not None:
        return _output(given, [], page(given.explain))
    wanted = targets(given.files, context) if given.files or given.text is None else ()
    catalog, found = context.project.workflows, []
    for number, (called, asked) in enumerate(wanted):
        context.progress(number, len(wanted), called)
        found.append(_Examined(called, catalog.problems(asked), catalog.proof(asked)))
    if given.text is not None:
        path = Path(STDIN)
        found.append(_Examined(STDIN, catalog.problems_in(given.text, path), catalog.proof_in(given.text, path)))
    return _output(given, found)


class _Examined(NamedTuple):
    called: str
    problems: tuple[Problem, ...]
    proof: Proof | None


def _output(given: ValidateInput, found: list[_Examined], report: str = "") -> ValidateOutput:
    sources = Sources({STDIN: given.text} if given.text is not None else {})
    files = tuple(_checked(one, sources) for one in found)
    errors, warnings = sum(one.errors for one in files), sum(one.warnings for one in files)
    # two workflows that extend a broken one share its problems; a report for programs tells each once
    every = in_order(problem for one in found for problem in one.problems)
    return ValidateOutput(
        files=files,
        errors=errors,
        warnings=warnings,
        ok=not errors and not (given.strict and warnings),
        format=given.format,
        report=report or _report(given, every),
    )


def _report(given: ValidateInput, problems: tuple[Problem, ...]) -> str:
    from aurora.interpreter.reporters import github, sarif  # noqa: PLC0415 - a server's start does not need them

    if given.format == "sarif":
        return json.dumps(sarif(problems, __version__, _edits(given, problems)), indent=2)
    return github(problems) if given.format == "github" else ""


def _edits(given: ValidateInput, problems: tuple[Problem, ...]) -> dict[Problem, Edit]:
    found: dict[Problem, Edit] = {}
    for path in sorted({problem.path for problem in problems if problem.fix}):
        text = given.text if path == STDIN and given.text is not None else text_of(Path(path))
        found |= edit_of_each(text, [problem for problem in problems if problem.path == path])
    return found


def _checked(one: _Examined, sources: Sources) -> Checked:
    errors = sum(problem.severity == "error" for problem in one.problems)
    return Checked(
        workflow=one.called,
        errors=errors,
        warnings=len(one.problems) - errors,
        problems=tuple(_found(problem, sources) for problem in one.problems),
        proof=_proved(one.proof) if one.proof else None,
    )


def _proved(proof: Proof) -> Proved:
    return Proved(
        phases=proof.phases,
        paths=proof.paths,
        longest_run_calls=proof.longest_run_calls,
        always_ends=proof.always_ends,
        worst_path_tokens=proof.worst_path_tokens,
    )


def _found(problem: Problem, sources: Sources) -> Found:
    part = excerpt(problem, sources.line(problem.path, problem.line))
    return Found(
        path=problem.path,
        line=problem.line,
        column=problem.column,
        end_column=problem.end_column,
        severity=problem.severity,
        code=problem.code,
        name=problem.name,
        message=problem.message,
        help=problem.help,
        note=problem.note,
        source=part.source,
        caret=part.caret,
        fix=Replaced(old=problem.fix.old, new=problem.fix.new) if problem.fix else None,
    )


TOOL = Tool(
    name="workflow.validate",
    title="Check workflows",
    description="Find every mistake in workflows before a run does: each with its place, its code and what to do.",
    input=ValidateInput,
    output=ValidateOutput,
    run=validate,
    family="workflow",
    risk="read",
    idempotent=True,
    timeout=60.0,
    constraints=("A path lies within the project, or it is FORBIDDEN.",),
    examples=(
        Example("All that would be used", {}),
        Example("One by name", {"files": ["soar"]}),
        Example("What a code means", {"explain": "E307"}),
    ),
    mcp="aurora_workflow_validate",
    command=("workflow", "validate"),
)
