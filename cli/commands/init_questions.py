"""Questions of `aur init`: which assistants, whether to change the files, whether to allow the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aurora.cli import terminal
from aurora.cli.terminal import format_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_VERBS = ("create", "edit", "delete")


def pick_hosts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ask for the assistants; empty means those in use.

    Args:
        rows: the output of `hosts.list`.
    """
    found = [row for row in rows if row["found"]]
    click.echo("In use here:" if found else "No assistant was found, neither here nor among your files and programs.")
    for number, row in enumerate(found, 1):
        click.echo(f"  {number}  {row['title']} ({row['name']})  {row['found'][0]}")
    others = ", ".join(row["name"] for row in rows if not row["found"])
    if others:
        click.echo(f"Others: {others}")
    return _ask_for_names([row["name"] for row in found])


def _ask_for_names(found: Sequence[str]) -> list[str]:
    """Ask until each number is one of the list; a name is checked later."""
    keep = "Enter for these" if found else "Enter for none"
    question = f"Which assistants? {keep}, or numbers and names with commas between them"
    numbers = {str(number) for number in range(1, len(found) + 1)}
    while True:
        words = click.prompt(question, default="", show_default=False).replace(",", " ").split()
        wrong = [word for word in words if word.isdecimal() and word not in numbers]
        if not wrong:
            return [found[int(word) - 1] if word.isdecimal() else word for word in words]
        click.echo(f"There is no number {wrong[0][:20]}.")


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
