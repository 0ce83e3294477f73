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

from .survey import survey_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter import Definition
    from aurora.tools.core import Project

MAX_WORKFLOWS = 50
"""Limit for the workflows that are read; a clone may bring any number."""
MAX_CHANGES = 40
"""Limit for the changes that are listed of one workflow."""
MAX_ERRORS = 5
_MAX_TEXT = 300
"""Limit in characters for a text from the project."""


class UsedTool(StrictModel):
    """Tool that a phase uses, with the risk of its declaration; `unknown` for a tool that does not exist."""

    phase: str
    tool: str
    risk: str


class OwnPrompt(StrictModel):
    """Prompt that the shipped workflow does not have; a key of a branch is `phase.branch`."""

    phase: str
    characters: int
    begins: str


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
        prompts: its prompts that differ from the shipped ones, with their first words.
        more_prompts: number of the prompts that are not listed.
    """

    name: str
    file: str
    replaces: bool
    tools: tuple[UsedTool, ...]
    changes: tuple[ListedChange, ...] = ()
    more_changes: int = 0
    prompts: tuple[OwnPrompt, ...] = ()
    more_prompts: int = 0
    errors: int = 0
    first_errors: tuple[str, ...] = ()


class OwnAgent(CompactModel):
    """Agent of the project, with the tools that its host gives it."""

    name: str
    file: str
    description: str = ""
    tools: tuple[str, ...] = ()
    more_tools: int = 0


class TrustReport(CompactModel):
    """Trust in a folder, and what the folder brings."""

    folder: str
    trusted: bool
    reason: str = Field(description="As `trust.TrustReason`.")
    since: str = ""
    problem: str = ""
    workflows: tuple[OwnWorkflow, ...]
    agents: tuple[OwnAgent, ...]
    more_files: int = Field(default=0, description="Number of files that are not listed.")
    incomplete: bool = Field(default=False, description="The folder has more files than were looked at.")


def build_report(project: Project) -> TrustReport:
    """Read the project's own workflows and agents; run nothing of them."""
    status = project.trust.read_status()
    own = survey_project(project.root, whole=True)
    agents = hosts.discover_agents(project.root).agents
    return TrustReport(
        folder=str(project.root),
        trusted=status.trusted,
        reason=status.reason,
        since=status.since,
        problem=status.fault.message if status.fault else "",
        workflows=tuple(_describe_workflows(own.workflows[:MAX_WORKFLOWS], project)),
        agents=tuple(
            OwnAgent(
                name=agent.name[:_MAX_TEXT],
                file=agent.path,
                description=agent.description[:_MAX_TEXT],
                tools=agent.tools[:MAX_CHANGES],
                more_tools=max(0, len(agent.tools) - MAX_CHANGES),
            )
            for agent in agents
        ),
        more_files=max(0, len(own.workflows) - MAX_WORKFLOWS) + max(0, len(own.agents) - len(agents)),
        incomplete=not own.complete,
    )


def _describe_workflows(files: tuple[str, ...], project: Project) -> Iterator[OwnWorkflow]:
    shipped = Catalog(None, project.tools)
    shipped_names = shipped.list_names()
    for file in files:
        path = str(project.root / file)
        definition, problems = project.workflows.load_with_problems(path)
        readable = definition or project.workflows.load_partial(path)[0]
        name = readable.workflow.name if readable else file.rpartition("/")[2]
        errors = select_errors(problems)
        original = shipped.open(name) if name in shipped_names else None
        changes = diff.compare_definitions(original, definition).changes if original and definition else ()
        prompts = tuple(_list_prompts(readable, original)) if readable else ()
        yield OwnWorkflow(
            name=name,
            file=file,
            replaces=original is not None,
            tools=tuple(_list_tools(readable)) if readable else (),
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
            prompts=prompts[:MAX_CHANGES],
            more_prompts=max(0, len(prompts) - MAX_CHANGES),
            errors=len(errors),
            first_errors=tuple(problem.heading[:_MAX_TEXT] for problem in errors[:MAX_ERRORS]),
        )


def _list_prompts(definition: Definition, original: Definition | None) -> Iterator[OwnPrompt]:
    shipped = {key: prompt.text for key, prompt in original.prompts.items()} if original is not None else {}
    for key, prompt in definition.prompts.items():
        if prompt.text != shipped.get(key):
            begins = " ".join(prompt.text[: 2 * _MAX_TEXT].split())[:_MAX_TEXT]
            yield OwnPrompt(phase=key, characters=len(prompt.text), begins=begins)


def _list_tools(definition: Definition) -> Iterator[UsedTool]:
    for name, phase in definition.workflow.phases.items():
        if phase.uses is not None:
            yield UsedTool(phase=name, tool=phase.uses[:_MAX_TEXT], risk=_find_risk(phase.uses))


def _find_risk(tool: str) -> str:
    try:
        return get_registry().find(tool).risk
    except Fault:
        return "unknown"
