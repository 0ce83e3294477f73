"""hosts.list: the assistants that Aurora can set up, and which of them are in use here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core.declaration import Example, Strict, Tool

if TYPE_CHECKING:
    from aurora.tools.core.context import Context


class ListInput(Strict):
    """Nothing to say."""


class HostRow(Strict):
    """An assistant: its files, and what shows that it is in use."""

    name: str
    title: str
    project_file: str | None = Field(description="From the project's root; null when it has none.")
    user_file: str
    found: tuple[str, ...]


class ListOutput(Strict):
    """All of them."""

    hosts: tuple[HostRow, ...]


def list_hosts(given: ListInput, context: Context) -> ListOutput:
    """List them."""
    from aurora.hosts import HOSTS, Person, evidence  # noqa: PLC0415 - listing tools does without

    del given
    person = Person.of()
    return ListOutput(
        hosts=tuple(
            HostRow(
                name=host.name,
                title=host.title,
                project_file=host.project[0] if host.project else None,
                user_file=person.shown(person.place(host.user)),
                found=evidence(host, context.root, person),
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
    command=("hosts", "list"),
)
