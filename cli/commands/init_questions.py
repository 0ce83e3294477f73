"""Questions of `aur init`: which assistants, whether to change the files, whether to allow the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aurora.cli import terminal
from aurora.cli.terminal import format_count
from aurora.faults import did_you_mean, show_hidden_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_VERBS = ("create", "edit", "delete")


def pick_hosts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ask for the assistants; empty means those in use.

    Args:
        rows: the output of `hosts.list`.
    """
    found = [row for row in rows if row["found"]]
    click.echo("In use here:" if found else "No assistant found in this project or on this machine.")
    for number, row in enumerate(found, 1):
        click.echo(f"  {number}  {row['title']} ({row['name']})  {row['found'][0]}")
    others = ", ".join(row["name"] for row in rows if not row["found"])
    if others:
        click.echo(f"Others: {others}")
    return _ask_for_names([row["name"] for row in found], {row["name"] for row in rows})


def _ask_for_names(found: Sequence[str], known: Collection[str]) -> list[str]:
    """Ask until each number is one of the list, and each name is that of an assistant."""
    keep = "Enter for these" if found else "Enter for none"
    question = f"Which assistants? {keep}, or numbers and names with commas between them"
    numbers = {str(number) for number in range(1, len(found) + 1)}
    while True:
        words = click.prompt(question, default="", show_default=False).replace(",", " ").split()
        wrong = next((word for word in words if word not in numbers and word not in known), None)
        if wrong is None:
            return [found[int(word) - 1] if word in numbers else word for word in words]
        click.echo(_describe_wrong_word(wrong, known))


def _describe_wrong_word(word: str, known: Collection[str]) -> str:
    """Describe a word that is neither a number of the list nor the name of an assistant."""
    if word.isdecimal():
        return f"There is no number {word[:20]}."
    suggestion = did_you_mean(word[:80], known)
    return show_hidden_line(f'There is no assistant "{word[:80]}"{f"; {suggestion}" if suggestion else "."}')


def show_summary(planned: Mapping[str, Any], *, indexes: bool) -> None:
    """Print in a few lines what follows from a yes."""
    click.echo("\nSummary")
    titles = ", ".join(host["title"] for host in planned["hosts"])
    if titles:
        click.echo(f"  for     {titles}")
    for verb in _VERBS:
        paths = [change["path"] for change in planned["changes"] if change["action"] == verb]
        if paths:
            click.echo(f"  {verb:<7} {', '.join(paths)}")
    if not planned["removed"]:
        click.echo(f"  then    {'index the project, ' if indexes else ''}check the result")


def confirm_plan(planned: Mapping[str, Any], *, removes: bool, with_memory: bool) -> bool:
    """Ask whether to change the files; the default is no where the memory would be deleted."""
    files = format_count(len(planned["changes"]), "file")
    question = f"Change {files}?"
    if removes:
        question = f"Remove Aurora from {files}{', and delete the memory and all runs' * with_memory}?"
    return terminal.confirm(question, default=not with_memory)


def confirm_allowance(planned: Mapping[str, Any]) -> bool:
    """Ask whether the assistants may run the default tools without asking; by default they may not.

    A person who runs the command again, with nothing left to change, is not asked again.
    """
    if not planned["offers"] or not planned["changes"]:
        return False
    titles = " and ".join(offer["title"] for offer in planned["offers"])
    click.echo(
        f"{titles} can run aurora_query, aurora_search and aurora_get without asking you each time: they read this "
        "project and store runs in .aurora/."
    )
    for offer in planned["offers"]:
        click.echo(f"  {offer['path']}: {', '.join(offer['rules'])}  {offer['note']}")
    return terminal.confirm("Allow that?", default=False)
