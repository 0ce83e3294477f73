"""Report on a project's own workflows and agents, for the person who decides whether to trust them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora import hosts
from aurora.faults import Fault
from aurora.interpreter import Catalog, diff
from aurora.interpreter.problems import select_errors
from aurora.tools.core import CompactModel, StrictModel
from aurora.tools.runtime import get_registry

from .signs import Sign, find_signs
from .survey import survey_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter import Definition
    from aurora.tools.core import Project

    from .contents import OwnContents, OwnFile

MAX_WORKFLOWS = 200
"""Limit for the workflows that are read, as for those of a project that are used; a clone may bring any number."""
MAX_CHANGES = 40
"""Limit for the changes that are listed of one workflow."""
MAX_ERRORS = 5
_MAX_TEXT = 300
"""Limit in characters for a text from the project in the summary; `files` has the whole."""


class UsedTool(StrictModel):
    """Tool that a phase uses, with the risk of its declaration; `unknown` for a tool that does not exist."""

    phase: str
    tool: str
    risk: str


class ListedChange(CompactModel):
    """Change in behaviour against the shipped workflow."""

    phase: str = Field(description="Empty for the workflow as a whole.")
    sign: Literal["added", "removed", "changed", "words"]
    text: str
    before: str = ""
    after: str = ""


class OwnWorkflow(CompactModel):
    """Workflow of the project.

    Attributes:
        replaces: whether there is a shipped workflow of this name, which it replaces.
        changes: its differences from the shipped one.
        more_changes: number of the changes that are not listed.
        shown: whether the person was shown all its files before.
    """

    name: str
    file: str
    replaces: bool
    tools: tuple[UsedTool, ...]
    changes: tuple[ListedChange, ...] = ()
    more_changes: int = 0
    shown: bool = False
    errors: int = 0
    first_errors: tuple[str, ...] = ()


class OwnAgent(CompactModel):
    """Agent of the project, with the tools that its host gives it."""

    name: str
    file: str
    description: str = ""
    tools: tuple[str, ...] = ()
    more_tools: int = 0
    shown: bool = False


class ReportedFile(StrictModel):
    """File that is used on trust, with its whole text."""

    path: str
    kind: str = Field(description="workflow, part of a workflow, agent, test with real tools, assistant's settings.")
    state: str = Field(description="new, changed, or shown when the person was shown this content before.")
    lines: int
    signs: tuple[Sign, ...] = Field(description="Warning signs, which are no proof.")
    text: str


class TrustReport(CompactModel):
    """Trust in a folder, and what the folder brings."""

    folder: str
    trusted: bool
    reason: str = Field(description="As `trust.TrustReason`.")
    since: str = ""
    problem: str = ""
    workflows: tuple[OwnWorkflow, ...]
    agents: tuple[OwnAgent, ...]
    files: tuple[ReportedFile, ...] = Field(description="Every file of the above, and of tests and settings.")
    more_files: int = Field(default=0, description="Number of files that are not listed.")
    incomplete: bool = Field(default=False, description="The folder has more files than were looked at.")


def build_report(project: Project, contents: OwnContents) -> TrustReport:
    """Report on what a project brings; run nothing of it.

    Args:
        project: the open project.
        contents: what was read of it, and what a trust would be for.
    """
    status = project.trust.read_status()
    own = survey_project(project.root, whole=True)
    agents = hosts.discover_agents(project.root).agents
    unshown = {file.path for file in contents.unshown}
    return TrustReport(
        folder=str(project.root),
        trusted=status.trusted,
        reason=status.reason,
        since=status.since,
        problem=status.fault.message if status.fault else "",
        workflows=tuple(_describe_workflows(own.workflows[:MAX_WORKFLOWS], project, contents)),
        agents=tuple(
            OwnAgent(
                name=agent.name[:_MAX_TEXT],
                file=agent.path,
                description=agent.description[:_MAX_TEXT],
                tools=agent.tools[:MAX_CHANGES],
                more_tools=max(0, len(agent.tools) - MAX_CHANGES),
                shown=agent.path not in unshown,
            )
            for agent in agents
        ),
        files=tuple(_describe_file(file) for file in contents.files),
        more_files=max(0, len(own.workflows) - MAX_WORKFLOWS),
        incomplete=not own.complete,
    )


def _describe_file(file: OwnFile) -> ReportedFile:
    text = file.text
    return ReportedFile(
        path=file.path,
        kind=file.kind,
        state=file.state,
        lines=len(text.split("\n")) - text.endswith("\n"),
        signs=find_signs(text),
        text=text,
    )


def _describe_workflows(files: tuple[str, ...], project: Project, contents: OwnContents) -> Iterator[OwnWorkflow]:
    unshown = {file.path for file in contents.unshown}
    parts = {files[0][0]: {path for path, _ in files} for files in contents.definitions}
    shipped = Catalog(None, project.tools)
    shipped_names = shipped.list_names()
    for file in files:
        path = str(project.root / file)
        definition, problems = project.workflows.load_with_problems(path)
        readable = project.workflows.load_partial(path)[0]
        name = readable.workflow.name if readable else file.rpartition("/")[2]
        errors = select_errors(problems)
        original = shipped.open(name) if name in shipped_names else None
        changes = diff.compare_definitions(original, definition).changes if original and definition else ()
        yield OwnWorkflow(
            name=name,
            file=file,
            replaces=original is not None,
            tools=tuple(_list_tools(readable)),
            changes=tuple(
                ListedChange(
                    phase=change.phase,
                    sign=change.kind,
                    text=change.text[:_MAX_TEXT],
                    before=change.before[:_MAX_TEXT],
                    after=change.after[:_MAX_TEXT],
                )
                for change in changes[:MAX_CHANGES]
            ),
            more_changes=max(0, len(changes) - MAX_CHANGES),
            shown=not unshown & parts.get(file, {file}),
            errors=len(errors),
            first_errors=tuple(problem.heading[:_MAX_TEXT] for problem in errors[:MAX_ERRORS]),
        )


def _list_tools(definition: Definition | None) -> Iterator[UsedTool]:
    for name, phase in definition.workflow.phases.items() if definition is not None else ():
        if phase.uses is not None:
            yield UsedTool(phase=name, tool=phase.uses[:_MAX_TEXT], risk=_find_risk(phase.uses))


def _find_risk(tool: str) -> str:
    try:
        return get_registry().find(tool).risk
    except Fault:
        return "unknown"
