"""Model of the doctor: context, checks, findings with their codes, report."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from aurora.hosts import UserPaths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter import Catalog
    from aurora.trust import OwnDefinitions, TrustStatus

    CheckFunction = Callable[["DoctorContext"], Iterable["Finding"]]
    FixFunction = Callable[["DoctorContext"], Iterable[str]]
    """Fixes a finding; yields one line per change, or `NOT_FIXED` and a reason; may raise `Fault` or `OSError`."""


class CommandStatus(NamedTuple):
    """Program that phases may run, as a line; `missing` says why it cannot be run."""

    text: str
    missing: str


class ToolStatus(NamedTuple):
    """Tool of an installed distribution; `fault` says why it cannot be used, and is empty if it can."""

    name: str
    distribution: str
    fault: str


class Equipment(Protocol):
    """Services of `tools/` that the checks exercise; `tools/` passes them in.

    The tool `doctor.run` imports this package, so importing the tools here would form a cycle.
    """

    def offered(self) -> tuple[str, ...]:
        """Load the default MCP tools and return their names."""

    def catalog(self) -> Catalog:
        """Return the workflows of the project."""

    def trust(self) -> TrustStatus:
        """Return whether the project is trusted, and why."""

    def own_definitions(self) -> OwnDefinitions:
        """Return the files of the project's own workflows and agents."""

    def unused_definitions(self) -> OwnDefinitions:
        """Return those of these files that are not used, since the person was not shown their content."""

    def is_used(self, path: Path, content: bytes) -> bool:
        """Return whether a file of the project is trusted with this content."""

    def allowed_commands(self) -> Sequence[CommandStatus]:
        """Return the programs that phases may run in the project.

        Raises:
            Fault: the user's configuration is wrong, so that none is allowed.
        """

    def extension_tools(self) -> Sequence[ToolStatus]:
        """Return the tools of installed distributions."""

    def skill(self) -> str:
        """Return the current text of SKILL.md."""

    @property
    def workflow(self) -> str:
        """Name of the default workflow."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """Project on a machine, as the checks see it.

    Attributes:
        root: the project's folder, resolved.
        equipment: the services that the checks exercise.
        person: the user whose files and programs count.
        environ: the environment variables.
        patience: timeout in seconds for a server's first answer; assistants allow between 10 and 60.
        named_url: an address that the person named in this command, and that may be asked in any folder.
        progress: called during long fixes with `(done, total, message)`.
    """

    root: Path
    equipment: Equipment
    person: UserPaths = field(default_factory=UserPaths.from_environment)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    patience: float = 15.0
    progress: Callable[[float, float | None, str], None] = ignore_progress
    named_url: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Single check of the doctor.

    Attributes:
        name: `group.check`.
        title: the statement that is reported when the check passes and gives no finding of its own.
        run_check: yields findings, none when there is no problem; an exception becomes a finding.
        requires: names of checks; when one of them fails, this check is skipped.
        seconds: the timeout.
        slow: what to do after a timeout, a sentence.
    """

    name: str
    title: str
    run_check: CheckFunction
    requires: tuple[str, ...] = ()
    seconds: float = 10.0
    slow: str = "Run `aur doctor` again when the machine is less busy."


@dataclass(frozen=True, slots=True)
class Group:
    """Group of checks with one heading."""

    name: str
    title: str
    checks: tuple[Check, ...]


NOT_FIXED = "left as it is: "
"""Prefix of a line from a `FixFunction` for something that it could not fix."""


class Status(StrEnum):
    """Status of a finding, from best to worst."""

    PASS = "pass"  # noqa: S105 - no password
    SKIP = "skip"
    WARN = "warn"
    FAIL = "fail"


PROBLEM_STATUSES = frozenset({Status.WARN, Status.FAIL})


@dataclass(frozen=True, slots=True)
class Remedy:
    """Remedy for a finding; findings with equal remedies are fixed together.

    Attributes:
        steps: instructions for a person, a sentence or a command each.
        fix: applies the remedy where that is safe; None where a person must decide.
        about: the target of the fix, where one function fixes several things: a host's name, a file.
    """

    steps: tuple[str, ...]
    fix: FixFunction | None = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check in one line.

    Attributes:
        status: pass, skip, warn or fail.
        message: the observation, with names quoted.
        remedy: for `warn` and `fail`.
        kind: its stable code, one of `FINDING_CODES`; empty for a pass.
        check: the name of the check; the runner sets it.
    """

    status: Status
    message: str
    remedy: Remedy | None = None
    kind: str = ""
    check: str = ""

    @property
    def is_fixable(self) -> bool:
        """True when `--fix` can fix it."""
        return self.status in PROBLEM_STATUSES and self.remedy is not None and self.remedy.fix is not None


def report_pass(message: str) -> Finding:
    """Create a finding for something that is right."""
    return Finding(Status.PASS, message)


def report_nothing(message: str) -> Finding:
    """Report that a check has nothing to check here, which is no success."""
    return report_skip("check.nothing", message)


def report_skip(kind: str, message: str) -> Finding:
    """Create a finding for something that was not checked or does not apply."""
    return Finding(Status.SKIP, message, kind=kind)


def report_warning(kind: str, message: str, *steps: str, fix: FixFunction | None = None, about: str = "") -> Finding:
    """Create a finding for a problem that leaves the rest working."""
    return Finding(Status.WARN, message, Remedy(steps, fix, about), kind)


def report_failure(kind: str, message: str, *steps: str, fix: FixFunction | None = None, about: str = "") -> Finding:
    """Create a finding for something that does not work."""
    return Finding(Status.FAIL, message, Remedy(steps, fix, about), kind)


@dataclass(frozen=True, slots=True)
class Section:
    """Findings of one group."""

    name: str
    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Findings of all groups, in the order of the groups and their checks."""

    sections: tuple[Section, ...]

    @property
    def findings(self) -> Iterator[Finding]:
        """All findings."""
        return (finding for section in self.sections for finding in section.findings)

    @property
    def is_ok(self) -> bool:
        """True when no finding is a failure; warnings are allowed."""
        return not any(finding.status is Status.FAIL for finding in self.findings)

    @property
    def fixable_findings(self) -> tuple[Finding, ...]:
        """Findings that `--fix` can fix."""
        return tuple(finding for finding in self.findings if finding.is_fixable)

    @property
    def manual_findings(self) -> tuple[Finding, ...]:
        """Findings that need a person."""
        return tuple(
            finding for finding in self.findings if finding.status in PROBLEM_STATUSES and not finding.is_fixable
        )


FINDING_CODES = {
    "check.crashed": "a check crashed, which is a bug in Aurora",
    "check.late": "a check timed out",
    "check.nothing": "there is nothing that the check could look at",
    "check.refused": "a file is locked, damaged, of a newer version or of another program",
    "check.skipped": "a required check fails, so this one was skipped",
    "check.unreadable": "a file cannot be read, or is in the way",
    "mcp.config.absent": "an assistant is in use and has no entry, while another has one",
    "mcp.config.broken": "an assistant's file is invalid",
    "mcp.config.broken-own": "the user's own file is invalid, next to the project's",
    "mcp.config.incomplete": "an entry is incomplete",
    "mcp.config.none": "no assistant starts Aurora",
    "mcp.config.off": "an entry is switched off",
    "mcp.config.stale": "the program of an entry cannot be started",
    "mcp.config.taken": "an entry of Aurora's name starts something else",
    "mcp.config.unconnected": "an assistant is in use in the project, and none has an entry",
    "mcp.database.elsewhere": "an entry leads to a server over HTTP, whose memory is not the command line's",
    "mcp.database.other": "a server opens another database than the command line",
    "mcp.hooks.fails": "the command of a hook ends with an error",
    "mcp.hooks.foreign": "a file of the project has hooks with another program than Aurora's, which was not started",
    "mcp.hooks.slow": "a hook needs more time than it has, and adds nothing",
    "mcp.hooks.stale": "the program of a hook cannot be started",
    "mcp.http.fails": "the server of an entry over HTTP does not answer, or lacks a tool",
    "mcp.http.token": "the token of an entry over HTTP is not in the environment, so its server is not called",
    "mcp.http.untrusted": "an entry over HTTP is not used in a folder that is not trusted",
    "mcp.phases.broken": "the default workflow does not load",
    "mcp.references.blocked": "something else is at the place of a text of Aurora's",
    "mcp.references.missing": "a text that belongs to an entry is missing",
    "mcp.references.older": "a text of Aurora's is of an earlier version",
    "mcp.references.server": "a text refers to a server that its assistant does not have",
    "mcp.references.server-own": "the user's own text refers to a server that this project does not have",
    "mcp.references.tool": "a text refers to a tool that the server does not offer",
    "mcp.server.fails": "a server does not start, or does not list its tools",
    "mcp.server.foreign": "a file of the project names another program than Aurora's, which was not started",
    "mcp.server.lacks": "a server does not offer the three tools",
    "mcp.server.more": "a server offers more tools than were requested",
    "mcp.stateless.fails": "a server does not answer without a handshake",
    "mcp.tools.others": "the installation does not offer exactly the three tools",
    "memory.fresh.behind": "files have changed since they were indexed",
    "memory.fresh.never": "there is a memory, and the project has not been indexed",
    "memory.fresh.none": "there is no memory to compare with the files",
    "memory.grammars.missing": "a grammar does not load",
    "memory.meaning.absent": "the embeddings do not load",
    "memory.meaning.empty": "the embeddings load and are all zeros",
    "memory.opens.foreign": "another account made a memory in this project",
    "memory.opens.none": "there is no memory",
    "memory.whole.none": "there is no memory to check",
    "memory.whole.torn": "a part of the memory is damaged",
    "memory.whole.unfinished": "an index run was stopped, or is in progress",
    "memory.worktrees.unreadable": "the index of a linked worktree cannot be opened",
    "memory.worktrees.unused": "an index belongs to a worktree that is gone",
    "project.agents.broken": "the definition of an agent has an error, so that workflows do not offer it",
    "project.commands.missing": "a program that phases may run does not exist",
    "project.commands.unreadable": "the user's configuration of commands is wrong, so none is allowed",
    "project.folder.file": ".aurora is no folder",
    "project.folder.link": "something in .aurora/ is a link out of the project",
    "project.folder.missing": ".aurora/ is missing",
    "project.folder.nowhere": "the checked folder is the home folder or the root of the file system",
    "project.folder.unignored": ".aurora/ is not kept out of the repository",
    "project.rights.closed": "the owner cannot read and write the files in .aurora/",
    "project.rights.foreign": "something in .aurora/ belongs to another user",
    "project.rights.none": "there is nothing in .aurora/",
    "project.rights.open": "everyone can write the files in .aurora/",
    "project.trust.changed": "workflows or agents are not used, new or changed since you trusted the project",
    "project.trust.replaced": "another folder was trusted at this path, so the project's own files are not used",
    "project.trust.unreadable": "the list of trusted folders cannot be read",
    "project.trust.untrusted": "the project's own workflows and agents are not used, because it is not trusted",
    "system.environment.overrides": "a variable overrides something for every project of this shell",
    "system.environment.unknown": "a variable is set that nothing reads",
    "system.extensions.broken": "a tool of an installed distribution cannot be used",
    "system.python.old": "Python is too old",
    "system.space.little": "there is little disk space",
    "system.space.none": "there is no disk space",
    "system.sqlite.old": "SQLite is too old",
    "workflows.valid.doubtful": "a workflow has warnings",
    "workflows.valid.wrong": "a workflow has errors",
}
"""Code -> meaning. `check.…` may come from any check; every other code begins with the name of its check."""
