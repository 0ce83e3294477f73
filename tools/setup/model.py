"""Input and output of setup and of the doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from aurora.hosts import ConfigProblem
from aurora.tools.core import StrictModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.doctor import Finding, FixStep, Report


_HOSTS_HELP = "The assistants by name; by default those in use."
_NOTES_HELP = "Write the note for agents, as in AGENTS.md."
_SKILL_HELP = "Write the skill, and remove the slash command that it replaces."
_HOOKS_HELP = "Let the assistants whose settings are known get context from Aurora at each start, prompt and file."
_URL_HELP = "Write entries that lead to a server over HTTP, at this address, and start none."
_VARIABLE_HELP = "The environment variable with the token for the address; never the token itself."
_ALLOW_HELP = "Let the assistants whose settings are known run the three default tools without asking each time."


def split_names(value: Any) -> Any:
    """Split texts at commas into names."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        return value
    names = [name.strip() for text in texts for name in text.split(",")]
    return tuple(name for name in names if name)


class HostsChoice(StrictModel):
    """Assistants to work on."""

    hosts: Annotated[tuple[str, ...], BeforeValidator(split_names)] = Field(
        default=(), max_length=50, description=_HOSTS_HELP
    )


class InitInput(HostsChoice):
    """Assistants to set up, and options."""

    user: bool = Field(default=False, description="Write your own configuration files instead of the project's.")
    index: bool = Field(default=True, description="Index the project too.")
    allow_tools: bool = Field(default=False, description=_ALLOW_HELP)
    hooks: bool = Field(default=False, description=_HOOKS_HELP)
    notes: bool = Field(default=True, description=_NOTES_HELP)
    skill: bool = Field(default=True, description=_SKILL_HELP)
    url: str = Field(default="", max_length=2_000, description=_URL_HELP)
    token_env: str = Field(default="", max_length=200, description=_VARIABLE_HELP)


class PlanInput(HostsChoice):
    """Input of the run to plan."""

    user: bool = Field(default=False, description="As in `init.run`.")
    remove: bool = Field(default=False, description="Plan `init.remove` instead of `init.run`.")
    allow_tools: bool = Field(default=False, description="As in `init.run`.")
    hooks: bool = Field(default=False, description="As in `init.run`.")
    notes: bool = Field(default=True, description="As in `init.run`.")
    skill: bool = Field(default=True, description="As in `init.run`.")
    url: str = Field(default="", max_length=2_000, description="As in `init.run`.")
    token_env: str = Field(default="", max_length=200, description="As in `init.run`.")


class RemoveInput(HostsChoice):
    """Assistants to disconnect, and options."""

    with_memory: bool = Field(
        default=False, description="Delete the memory and all runs too; the project's own workflows stay."
    )


class DetectedHost(StrictModel):
    """Assistant with the evidence that it is in use."""

    name: str
    title: str
    found: tuple[str, ...]


class ChangeRow(StrictModel):
    """File change."""

    path: str = Field(description="From the project's root, or ~/….")
    action: Literal["create", "edit", "delete"]
    why: tuple[str, ...]
    diff: str = Field(description="As `diff -u` shows it; of a long one the first 60 lines.")


class AllowanceOffer(StrictModel):
    """Assistant that would run the default tools without asking, and the file that would say so."""

    host: str
    title: str
    path: str
    rules: tuple[str, ...]
    note: str = Field(description="Who else gets the file.")


class IndexSummary(StrictModel):
    """Contents of the memory after indexing."""

    files: int
    chunks: int
    added: int
    seconds: float


class InitOutput(StrictModel):
    """Result or plan of a setup or removal."""

    root: str
    planned: bool = Field(description="True when nothing was written.")
    removed: bool = Field(description="True for a removal.")
    hosts: tuple[DetectedHost, ...]
    changes: tuple[ChangeRow, ...]
    standing: tuple[str, ...] = Field(default=(), description="Files that are already right.")
    troubles: tuple[ConfigProblem, ...] = Field(default=(), description="`where` is path, path:line:column, or empty.")
    failed: tuple[str, ...] = Field(default=(), description="Assistants that were named and are not set up.")
    checks: tuple[GroupRow, ...] = Field(
        default=(),
        description="The doctor's checks afterwards; a failed check is a warning, since the rest is done.",
    )
    indexed: IndexSummary | None = None
    offers: tuple[AllowanceOffer, ...] = Field(
        default=(), description="Assistants that `allow_tools` would let run the default tools without asking."
    )
    advice: tuple[str, ...] = Field(default=(), description="Steps that are left for the person.")


Status = Literal["pass", "warn", "fail", "skip"]


class FindingRow(StrictModel):
    """Result of one check."""

    check: str = Field(description="The check's name.")
    kind: str = Field(description="The finding's permanent code, as mcp.config.stale; empty for a passed check.")
    status: Status
    message: str
    fixable: bool = Field(description="True when `doctor.fix` can fix it.")
    steps: tuple[str, ...] = Field(description="Steps for a person to fix it.")


class GroupRow(StrictModel):
    """Group of checks with their findings."""

    name: str
    title: str
    findings: tuple[FindingRow, ...]


def to_group_rows(report: Report) -> Iterator[GroupRow]:
    """Convert the report to rows, group by group."""
    for section in report.sections:
        findings = tuple(_to_row(finding) for finding in section.findings)
        yield GroupRow(name=section.name, title=section.title, findings=findings)


def _to_row(finding: Finding) -> FindingRow:
    return FindingRow(
        check=finding.check,
        kind=finding.kind,
        status=finding.status.value,
        message=finding.message,
        fixable=finding.is_fixable,
        steps=finding.remedy.steps if finding.remedy else (),
    )


class DoctorInput(StrictModel):
    """Checks to run."""

    only: Annotated[tuple[str, ...], BeforeValidator(split_names)] = Field(
        default=(),
        max_length=50,
        description="Groups (mcp, workflows, memory, project, system) or checks (memory.fresh); by default all.",
    )


class StepRow(StrictModel):
    """Step of a fix, done or failed, with the reason."""

    done: bool
    message: str


class DoctorOutput(StrictModel):
    """Findings; `ok` when no check fails, even with warnings, and no step of a fix is left."""

    root: str
    ok: bool
    counts: dict[Status, int] = Field(description="Number of findings by status.")
    groups: tuple[GroupRow, ...]
    fixed: tuple[StepRow, ...] = Field(default=(), description="Steps of the fix before the checks.")


def to_doctor_output(root: str, report: Report, steps: Iterable[FixStep] = ()) -> DoctorOutput:
    """Convert the doctor's report to the tool's output."""
    groups = tuple(to_group_rows(report))
    fixed = tuple(StepRow(done=step.done, message=step.message) for step in steps)
    statuses = [row.status for group in groups for row in group.findings]
    return DoctorOutput(
        root=root,
        ok=report.is_ok and all(step.done for step in fixed),
        counts={status: statuses.count(status) for status in get_args(Status)},
        groups=groups,
        fixed=fixed,
    )
