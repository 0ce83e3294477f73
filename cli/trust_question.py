"""Question whether to trust what a folder brings, with all of it to read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli import terminal
from aurora.cli.exit_codes import ExitCode
from aurora.cli.render.trust import format_whole_files, list_unshown_files, show_trust_report
from aurora.cli.terminal import format_count, make_console
from aurora.faults import Code, Fault
from aurora.tools import trust, trust_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from aurora.tools.runtime import Workspace

_QUESTION = "Trust this folder, and use its own workflows and agents?"
_QUESTION_OF_CHANGES = "Use what is new or changed?"
_MAX_INLINE_LINES = 60
"""Lines that are shown without being asked for: what fits on a screen or two."""


class TrustQuestion:
    """Question whether to trust what a folder brings: exactly the contents that were read for it.

    Args:
        workspace: the open project.
        extra: workflow files elsewhere in the project, which the person named.
    """

    def __init__(self, workspace: Workspace, extra: Sequence[Path] = ()) -> None:
        self._workspace = workspace
        self._place = workspace.trust.locate()
        self._contents = trust.read_contents(workspace, extra)
        self.report = trust_report.build_report(workspace, self._contents).model_dump(mode="json")
        self.is_listed = self.report["reason"] == "listed"
        self._unshown = list_unshown_files(self.report)
        self._unread = self._unshown

    @property
    def is_settled(self) -> bool:
        """True for a folder that the person trusts, with nothing that they have not seen."""
        return self.is_listed and not self._unshown

    def show(self, *, whole: bool = False) -> None:
        """Print the summary, and the text of what is new if it is short; with `whole` of all files."""
        show_trust_report(self.report)
        files = self.report["files"] if whole else self._unread
        if whole or _count_lines(files) <= _MAX_INLINE_LINES:
            for line in format_whole_files(files, make_console().width):
                click.echo(line, nl=False)
            self._unread = []

    def ask(self) -> ExitCode:
        """Ask the person, who has seen the summary, and do what they say."""
        click.echo()
        show = self._page_files if self._unread else None
        if not terminal.confirm(self._format_question(), default=False, show=show):
            untrusted = "It is not trusted; the shipped workflows and your own agents are used."
            click.echo("What is new or changed is not used." if self.is_listed else untrusted)
            return ExitCode.PROBLEMS
        self.grant()
        return show_outcome(self._workspace)

    def grant(self) -> None:
        """Trust the folder, and use what was read of it from now on."""
        require_write(self._workspace)
        if not trust.survey_project(self._workspace.root, whole=True).complete:
            raise Fault(
                Code.CONFLICT,
                "this folder has more workflows or agents than can be shown, so it is not trusted",
                help="delete from `.aurora/workflows` what is no workflow, and delete agents that are not used",
            )
        self._workspace.trust.grant(self._place, self._contents.definitions)
        trust.check_large_workflows(self._workspace)

    def _page_files(self) -> str:
        click.echo_via_pager(format_whole_files(self._unread, make_console().width))
        self._unread = []
        return self._format_question()

    def _format_question(self) -> str:
        question = _QUESTION_OF_CHANGES if self.is_listed else _QUESTION
        lines = _count_lines(self._unread)
        if not lines:
            return question
        return f"{question} Not shown yet: {format_count(lines, 'line')} of {format_count(len(self._unread), 'file')}"


def _count_lines(files: Iterable[Mapping[str, Any]]) -> int:
    return sum(file["lines"] for file in files)


def offer_trust(workspace: Workspace) -> None:
    """Show what an untrusted folder brings, and ask; do nothing where there is nothing to trust."""
    question = TrustQuestion(workspace)
    report = question.report
    if (
        report["reason"] in {"variable", "refused"}
        or question.is_settled
        or not (report["workflows"] or report["agents"])
    ):
        return
    click.echo()
    question.show()
    question.ask()


def offer_changes(workspace: Workspace, files: Sequence[Path] = ()) -> None:
    """Show at the terminal what has changed in a trusted folder, and ask whether to use it.

    Who edits a workflow and tries it need not type another command. Nothing else tells an edit from what a pull brings.

    Args:
        workspace: the open project.
        files: workflow files elsewhere in the project, which the person named.
    """
    is_asked = sys.stdin.isatty() and sys.stdout.isatty() and workspace.keeps_log
    if not is_asked or workspace.trust.uses_every_content or not workspace.trust.is_trusted():
        return
    inside = [path for path in files if path.is_relative_to(workspace.root) and path.is_file()]
    if not (trust.survey_unused(workspace) or inside):
        return
    question = TrustQuestion(workspace, inside)
    if not question.is_settled:
        question.show()
        question.ask()
        click.echo()


def show_outcome(workspace: Workspace) -> ExitCode:
    """Report whether the folder is trusted now."""
    status = workspace.trust.read_status()
    if not status.trusted:
        what = "AURORA_TRUST is 0" if status.reason == "refused" else "the folder has changed meanwhile"
        click.echo(f"It is in the list of trusted folders, and still not trusted: {what}.")
        return ExitCode.PROBLEMS
    click.echo("Trusted: its own workflows and agents are used from the next call on.")
    return ExitCode.OK


def require_write(workspace: Workspace) -> None:
    """Refuse to change the list of trusted folders in read-only mode.

    Raises:
        Fault: FORBIDDEN.
    """
    if not workspace.keeps_log:
        raise Fault(
            Code.FORBIDDEN,
            "the list of trusted folders would be written, and read-only mode forbids writes",
            help="Start without --read-only (or unset READ_ONLY).",
        )
