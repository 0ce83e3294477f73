"""What setting up would write, as diffs; or what was done, what was checked, and what is left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import format_count, strip_controls, to_single_line

from .doctor import show_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console
    from rich.text import Text

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_ACTION_WORDS = {"create": "created", "edit": "changed", "delete": "deleted"}
_DIFF_HEADER_LINES = 2
"""Lines of a diff that name the files."""
_MAX_LINES = 16


def render(output: Mapping[str, Any], console: Console) -> None:
    """Show the plan, or the outcome."""
    for host in output["hosts"]:
        console.print(_format_line(host["title"], f"  {', '.join(host['found']) or 'named by you'}"), soft_wrap=True)
    if output["planned"]:
        _print_plan(output, console)
    else:
        _print_outcome(output, console)
    for one in output["troubles"]:
        console.print(_make_text(f"warning: {to_single_line(one['message'])}", "yellow"), soft_wrap=True)
        console.print(f"  help: {to_single_line(one['help'])}", soft_wrap=True)
    for word in output["advice"]:
        console.print(f"note: {to_single_line(word)}", soft_wrap=True)
    if not output["planned"] and not output["removed"] and _is_ready(output):
        console.print('Ready. Ask your assistant, for example: "Use aurora_query to find out how … works."')


def _print_plan(output: Mapping[str, Any], console: Console) -> None:
    for change in output["changes"]:
        console.print()
        told = f"{change['action']} {change['path']}"
        console.print(_format_line(told, f"  {', '.join(change['why'])}"), soft_wrap=True)
        lines = strip_controls(change["diff"]).splitlines()[_DIFF_HEADER_LINES:]
        shown = lines[:_MAX_LINES] if change["action"] != "delete" else []
        for line in shown:
            console.print(_make_text(f"  {line}", _DIFF_STYLES.get(line[:1], "")), soft_wrap=True)
        if shown and len(lines) > len(shown):
            console.print(_make_text(f"  … {len(lines) - len(shown)} more lines; --json has them", "dim"))
    if output["changes"]:
        console.print()
    for path in output["standing"]:
        console.print(_make_text(f"{to_single_line(path)} is as it should be", "dim"), soft_wrap=True)
    if not output["changes"]:
        console.print("There is nothing to change.")


def _print_outcome(output: Mapping[str, Any], console: Console) -> None:
    for change in output["changes"]:
        told = f"{_ACTION_WORDS[change['action']]} {to_single_line(change['path'])}"
        console.print(_format_line(told, f"  {', '.join(change['why'])}"), soft_wrap=True)
    if not output["changes"]:
        console.print("Nothing was changed." if output["troubles"] else "Nothing had to be changed.")
    if output["indexed"]:
        held = output["indexed"]
        files, chunks = format_count(held["files"], "file"), format_count(held["chunks"], "chunk")
        console.print(f"indexed {files}, {held['added']:,} of them new: {chunks} in memory")
    for group in output["checks"]:
        console.print()
        show_group(group, console, helped=True)
    if output["checks"]:
        console.print()


def _is_ready(output: Mapping[str, Any]) -> bool:
    """Whether an assistant starts Aurora, and nothing is wrong with that."""
    found = [one for group in output["checks"] for one in group["findings"]]
    starts = any(one["check"] == "mcp.config" and one["status"] == "pass" for one in found)
    return starts and not any(one["status"] in {"warn", "fail"} for one in found)


def _format_line(strong: str, more: str) -> Text:
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    return Text.assemble((to_single_line(strong), "bold"), (to_single_line(more), "dim"))


def _make_text(text: str, style: str) -> Text:
    from rich.text import Text  # noqa: PLC0415 - as above

    return Text(text, style=style)
