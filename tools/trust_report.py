"""Report on a project's own workflows and agents, for the person who decides whether to trust them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aurora import hosts
from aurora.errors import Fault, show_hidden
from aurora.interpreter import Catalog
from aurora.interpreter.lab.diff import compare_definitions
from aurora.interpreter.problems import select_errors
from aurora.tools.core import CompactModel, StrictModel
from aurora.tools.runtime import get_registry

from .trust import MAX_WORKFLOWS, survey_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter import Definition
    from aurora.tools.core import Project

    from .trust import OwnContents, OwnFile

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


class Sign(StrictModel):
    """Warning sign at a line of a file."""

    line: int
    sign: str
    excerpt: str = Field(description="The text around it, with hidden characters as escapes.")


class ReportedFile(StrictModel):
    """File that is used on trust, with its whole text."""

    path: str
    kind: str = Field(description="workflow, part of a workflow, agent, test with real tools, assistant's settings.")
    state: str = Field(description="new, changed, or shown when the person was shown this content before.")
    lines: int
    signs: tuple[Sign, ...] = Field(description="Warning signs, which are no proof.")
    text: str


_RULES = tuple(
    (name, re.compile(pattern, re.IGNORECASE | re.VERBOSE))
    for name, pattern in (
        (
            "a download that is run",
            r"""
            \b(curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)\b .*
            \|\s*(sudo\s+)? \S*\b((ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|iex|pwsh|powershell)\b
            | (\b(ba|z|da)?sh|\beval|\biex|\bsource)\b .* \b(curl|wget|iwr|irm)\b
            """,
        ),
        (
            "a request to keep something from the person",
            r"""
            \b(do\ not|don.t|never|without|must\ not|avoid|not)\s+(\w+\s+){0,2}?
            (tell|mention|show|inform|report|reveal|disclos|ask|notify)(e|ing)?\b
            | \b(secretly|silently|covertly|hide\ (this|it|that)\ from)\b
            """,
        ),
        (
            "a request to set other instructions aside",
            r"""
            \b(ignore|disregard|forget|override|bypass)\b [^.]{0,40}
            \b(instruction|rule|polic(y|ie)|prompt|guardrail|restriction|permission)s?\b
            """,
        ),
        (
            "a command that deletes or sends",
            r"""
            \brm\s+-\w*[rf] | \bgit\s+(push|clean|reset\s+--hard)\b | \b(scp|rsync|ncat|netcat|shred|mkfs\S*|sftp)\s
            | \bnc\s+\S+\s+\d | \bdd\s+if= | \bcurl\b.*\s(-[dFT]|--data\S*|--form|--upload-file|-X\s*(POST|PUT))\b
            | \bremove-item\b | \bdrop\s+(table|database)\b | \bchmod\s+777\b | >\s*/dev/(tcp|sd)
            """,
        ),
        ("an address", r"""\b(https?|ftp|wss?|data)://?[^\s"'<>)]{3,}"""),
        (
            "a long encoded text",
            r"""
            (?<![\w+/-]) (?=[\w+/-]*\d) (?=[\w+/-]*[a-z]) [A-Za-z0-9+/_-]{80,} ={0,2}
            | (\\x[0-9a-f]{2}){12,}
            """,
        ),
    )
)


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
        changes = compare_definitions(original, definition).changes if original and definition else ()
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


MAX_SIGNS = 50
"""Signs of a file that are named; a file with more is one to read as a whole."""


_MAX_EXCERPT = 100

_BEFORE = 20

_WINDOW, _OVERLAP = 2_000, 300

_FAR_BLANKS, _FAR_LINES, _LONG_LINE = 40, 15, 1_000


def find_signs(text: str) -> tuple[Sign, ...]:
    """Find the first warning signs of a text, by line."""
    return tuple(islice(_iter_signs(text), MAX_SIGNS))


def _iter_signs(text: str) -> Iterator[Sign]:
    blank_lines = 0
    # only line ends of YAML and Markdown: a character that other programs break at must not hide the rest of its line
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            blank_lines += 1
            continue
        if blank_lines >= _FAR_LINES:
            yield _make_sign(number, f"text after {blank_lines:,} empty lines", line, 0)
        blank_lines = 0
        yield from _iter_line_signs(number, line)


def _iter_line_signs(number: int, line: str) -> Iterator[Sign]:
    shown = show_hidden(line.replace("\r", "\\x0d"))
    if shown != line:
        place = next((at for at, (one, other) in enumerate(zip(line, shown, strict=False)) if one != other), len(line))
        yield _make_sign(number, "invisible or reordering characters", line, place)
    blanks = re.search(rf"\S\s{{{_FAR_BLANKS},}}(?=\S)", line)
    if blanks or len(line) > _LONG_LINE:
        what = (
            f"text after {blanks.end() - blanks.start() - 1:,} blanks"
            if blanks
            else f"a line of {len(line):,} characters"
        )
        yield _make_sign(number, what, line, blanks.end() if blanks else _LONG_LINE)
    # what is invisible must not keep a rule from matching
    plain = "".join(char for char in line if char == "\t" or char.isprintable())
    for begin in range(0, len(plain), _WINDOW - _OVERLAP):
        window = plain[begin : begin + _WINDOW]  # the time of a rule grows with the square of the length
        for name, rule in _RULES:
            if found := rule.search(window):
                yield _make_sign(number, name, plain, begin + found.start())


def _make_sign(number: int, sign: str, line: str, at: int) -> Sign:
    begin = max(0, at - _BEFORE)
    excerpt = line[begin : begin + _MAX_EXCERPT]
    cut = ("…" if begin else "") + excerpt.strip() + ("…" if begin + _MAX_EXCERPT < len(line) else "")
    return Sign(line=number, sign=sign, excerpt=show_hidden(cut.replace("\r", "\\x0d")))
