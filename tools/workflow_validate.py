"""workflow.validate: every mistake of every workflow, each at its place with its source line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from .declaration import Example, Strict, Tool
from .inside import inside

if TYPE_CHECKING:
    from ..interpreter.problems import Problem
    from .context import Context

_LONGEST_SOURCE = 160
"""Characters of a source line that are shown; of a longer line, those around the token."""
_BEFORE = 40
"""Of these, how many stand before the token."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")


class ValidateInput(Strict):
    """What to check."""

    files: tuple[str, ...] = Field(
        default=(),
        max_length=200,
        description="Workflow files, or names of workflows; without any, all that would be used.",
    )


class Found(Strict):
    """One problem. Lines and columns count from 1; `source` is its line, or the part of it from `source_column` on."""

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
    source_column: int


class Checked(Strict):
    """One workflow and its problems, in the order of the file."""

    workflow: str
    errors: int
    warnings: int
    problems: tuple[Found, ...]


class ValidateOutput(Strict):
    """All of them; without errors every workflow runs."""

    files: tuple[Checked, ...]
    errors: int
    warnings: int


def validate(given: ValidateInput, context: Context) -> ValidateOutput:
    """Check workflows.

    Raises:
        Fault: NOT_FOUND for a file or name that does not exist, FORBIDDEN for a file outside the project.
    """
    catalog = context.workspace.workflows
    wanted = given.files or catalog.names()
    sources = _Sources()
    checked: list[Checked] = []
    for number, name in enumerate(wanted):
        context.progress(number, len(wanted), name)
        problems = catalog.problems(_asked(name, context.root))
        checked.append(_checked(name, problems, sources))
    return ValidateOutput(
        files=tuple(checked),
        errors=sum(one.errors for one in checked),
        warnings=sum(one.warnings for one in checked),
    )


def _asked(name: str, root: Path) -> str:
    """A workflow's name as it is; a file's path once it is sure that the file lies in the project."""
    return name if _NAME.fullmatch(name) and not (root / name).is_file() else str(inside(root, name))


def _checked(name: str, problems: tuple[Problem, ...], sources: _Sources) -> Checked:
    errors = sum(problem.severity == "error" for problem in problems)
    found = tuple(_found(problem, sources) for problem in problems)
    return Checked(workflow=name, errors=errors, warnings=len(problems) - errors, problems=found)


def _found(problem: Problem, sources: _Sources) -> Found:
    source, start = _window(sources.line(problem.path, problem.line), problem.column)
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
        source=source,
        source_column=start,
    )


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of the line to show, and the column where it begins."""
    if len(line) <= _LONGEST_SOURCE:
        return line, 1
    start = max(0, min(column - 1 - _BEFORE, len(line) - _LONGEST_SOURCE))
    return line[start : start + _LONGEST_SOURCE], start + 1


class _Sources:
    """The lines of the files that problems point into, each file read once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """The line, or nothing when the file went away or was never text."""
        if path not in self._lines:
            try:
                text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
            except (OSError, ValueError):
                text = ""
            self._lines[path] = text.splitlines()
        lines = self._lines[path]
        return lines[number - 1] if 0 < number <= len(lines) else ""


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
    examples=(Example("All that would be used", {}), Example("One by name", {"files": ["soar"]})),
    mcp="aurora_workflow_validate",
    command=("workflow", "validate"),
)
