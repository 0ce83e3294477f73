"""hosts.list: the assistants that Aurora can set up, and which of them are in use here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


class ListInput(StrictModel):
    """Nothing to say."""


class HostRow(StrictModel):
    """An assistant: its files, and what shows that it is in use."""

    name: str
    title: str
    project_file: str | None = Field(description="From the project's root; null when it has none.")
    user_file: str
    found: tuple[str, ...]


class ListOutput(StrictModel):
    """All of them."""

    hosts: tuple[HostRow, ...]


def list_hosts(given: ListInput, context: Context) -> ListOutput:
    """List them."""
    from aurora.hosts import HOSTS, UserPaths, find_evidence  # noqa: PLC0415 - listing tools does without

    del given
    person = UserPaths.from_environment()
    return ListOutput(
        hosts=tuple(
            HostRow(
                name=host.name,
                title=host.title,
                project_file=host.project[0] if host.project else None,
                user_file=person.format_path(person.resolve_path(host.user)),
                found=find_evidence(host, context.root, person),
            )
            for host in HOSTS
        )
    )


TOOL = Tool(
    name="hosts.list",
    title="The assistants there are",
    description="List the assistants that Aurora can set up, the files it writes for each, and what shows it in use.",
    input=ListInput,
    output=ListOutput,
    run=list_hosts,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("All of them", {}),),
    command=Command("hosts list", "List the supported assistants, and those in use here."),
)
