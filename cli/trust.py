"""Question whether to trust what a folder brings, with all of it to read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.exits import ExitCode
from aurora.cli.interaction import confirm
from aurora.cli.output import Output, format_count, format_timestamp, get_console_width, put
from aurora.cli.render.printer import to_fields
from aurora.errors import Code, Fault, show_hidden_line, show_hidden_name
from aurora.tools import trust, trust_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.cli.render.printer import Fields
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
        # The folder is located before it is read: one that is put in
        # its place meanwhile has another identity, and gets no trust.
        self._place = workspace.trust.locate()
        self._contents = trust.read_contents(workspace, extra)
        self.report = trust_report.build_report(workspace, self._contents).model_dump(mode="json")
        self.is_listed = self.report["reason"] == "listed"
        self._unshown = _list_unshown_files(self.report)
        self._unread = self._unshown

    @property
    def is_settled(self) -> bool:
        """True for a folder that the person trusts, with nothing that they have not seen."""
        return self.is_listed and not self._unshown

    def show(self, *, whole: bool = False) -> None:
        """Print the summary, and the text of what is new if it is short; with `whole` of all files."""
        _show_report(to_fields(self.report), Output())
        files = self.report["files"] if whole else self._unread
        if whole or _count_lines(files) <= _MAX_INLINE_LINES:
            for line in _format_whole_files(files, get_console_width()):
                click.echo(line, nl=False)
            self._unread = []

    def ask(self) -> ExitCode:
        """Ask the person, who has seen the summary, and do what they say."""
        click.echo()
        show = self._page_files if self._unread else None
        if not confirm(self._format_question(), default=False, show=show):
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
        click.echo_via_pager(_format_whole_files(self._unread, get_console_width()))
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
    # In read-only mode, which keeps no log either, the answer could not be stored.
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


_REASONS = {
    "variable": "trusted, because AURORA_TRUST is set",
    "refused": "not trusted, because AURORA_TRUST is 0",
    "unlisted": "not trusted: its own workflows and agents are not used",
    "replaced": "not trusted: the folder that you trusted at this path was another one",
    "unreadable": "not trusted",
}
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "words": "~"}
_RISKS = {"read": "green", "write": "yellow", "high": "red", "unknown": "red"}
_MARGIN = 9
"""Columns of a line's number, and one that stays free."""


def _show_report(shown: Fields, out: Output) -> None:
    """Print the trust in a folder, and what of it the person was not shown before."""
    since = put("trusted since ", format_timestamp(shown["since"] or ""))
    out.line((shown["folder"], "bold"))
    out.line((since or _REASONS.get(shown["reason"], ""), "green" if shown["trusted"] else "yellow"))
    out.line((shown["problem"], "red"))
    for workflow in shown["workflows"]:
        if not workflow["shown"]:
            _print_workflow(workflow, out)
    _print_agents([one for one in shown["agents"] if not one["shown"]], out)
    _print_files(_list_unshown_files(shown), out)
    if shown["more_files"]:
        out.line((f"… {format_count(shown['more_files'], 'more file')}, which are not used", "yellow"))
    if shown["incomplete"]:
        out.line(("It has more files than can be shown.", "yellow"))
    elif not (shown["workflows"] or shown["agents"]):
        out.line("It has no workflows or agents of its own.")


def _print_agents(agents: Sequence[Fields], out: Output) -> None:
    if agents:
        out.line()
    for agent in agents:
        more = f", and {format_count(agent['more_tools'], 'more tool')}" if agent["more_tools"] else ""
        out.line((f"agent {agent['name']}", "bold cyan"), (f"  {agent['file']}", "dim"))
        out.line(put("    uses ", agent["tools"]), (more, "yellow"))


def _list_unshown_files(report: Mapping[str, Any]) -> list[Any]:
    """List the files that the person was not shown before."""
    return [file for file in report["files"] if file["state"] != "shown"]


def _print_workflow(workflow: Fields, out: Output) -> None:
    place = "replaces the shipped workflow of this name" if workflow["replaces"] else "its own"
    out.line((f"workflow {workflow['name']}", "bold cyan"), (f"  {workflow['file']}", "dim"), f"  {place}", apart=True)
    for one in workflow["tools"]:
        out.line(f"    phase {one['phase']} uses {one['tool']} ", (f"({one['risk']})", _RISKS[one["risk"]]))
    for one in workflow["changes"] or ():
        texts = "".join(f" {one[name]}" for name in ("phase", "text") if one[name])
        edit = f"  {one['before']} → {one['after']}" if one["before"] and one["after"] else ""
        out.line(f"    {_SIGNS[one['sign']]}{texts}", (edit, "dim"))
    if workflow["more_changes"]:
        more = f"{workflow['more_changes']:,} more changes; `aur workflow diff {workflow['file']}` shows them"
        out.line((f"    … {more}", "dim"))
    if workflow["errors"]:
        out.line((f"    {format_count(workflow['errors'], 'error')}, so it does not run", "red"))
    for error in workflow["first_errors"] or ():
        out.line((f"      {error}", "red"))


def _print_files(files: Sequence[Fields], out: Output) -> None:
    if files:
        out.line()
    for file in files:
        lines = format_count(file["lines"], "line")
        out.line((f"{file['state']:<8}", "yellow"), (file["path"], "bold"), f"  {file['kind']}, {lines}")
        for sign in file["signs"]:
            out.line((f"         line {sign['line']}: {sign['sign']}: ", "red"), sign["excerpt"])
    if any(file["signs"] for file in files):
        out.line(("Signs are where to look first; they are no proof.", "dim"))


def _format_whole_files(files: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    """Format the whole text of files, with line numbers and lines broken at the width.

    Args:
        files: the files of a report.
        width: the width of the terminal in columns.
    """
    room = max(width - _MARGIN, 20)
    for file in files:
        yield f"\n{show_hidden_name(file['path'])}  {file['kind']}, {format_count(file['lines'], 'line')}\n"
        text = file["text"].removesuffix("\n").replace("\r\n", "\n")
        for number, line in enumerate(text.split("\n"), 1):
            # The text is never cut: an instruction could hide behind
            # blanks, far to the right of what a screen shows.
            shown = show_hidden_line(line.expandtabs(4))
            pieces = [shown[at : at + room] for at in range(0, len(shown), room)] or [""]
            yield f"{number:>5} │ {pieces[0]}\n"
            yield from (f"      │ {piece}\n" for piece in pieces[1:])
