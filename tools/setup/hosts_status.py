"""hosts.status: how each assistant's file stands to Aurora in this project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.tools.core import Command, Example, StrictModel, Tool

from .model import HostsChoice

if TYPE_CHECKING:
    from aurora.tools.core import Context


class FileRow(StrictModel):
    """One file of one assistant."""

    host: str
    title: str
    scope: str = Field(description="`project`, or `person` for your own file.")
    file: str
    status: str = Field(description="connected, absent, incomplete, stale, taken or broken.")
    server: str = Field(description="What the entry is called.")
    command: tuple[str, ...] = Field(description="What starts the server.")
    message: str
    help: str


class StatusOutput(StrictModel):
    """Each file; `connected` when none has anything wrong and one at least is connected."""

    connected: bool
    files: tuple[FileRow, ...]


def read_host_status(given: HostsChoice, context: Context) -> StatusOutput:
    """Look at the files; nothing is started.

    Raises:
        Fault: NOT_FOUND for a host that does not exist.
    """
    from aurora.hosts import HOSTS, UserPaths, find_evidence, get_hosts, read_host_states  # noqa: PLC0415 - listing tools does without

    root, person = context.root, UserPaths.from_environment()
    files = [
        FileRow(
            host=host.name,
            title=host.title,
            scope=one.scope,
            file=one.file,
            status=one.status,
            server=one.server,
            command=one.argv,
            message=one.message,
            help=one.help,
        )
        for host in (get_hosts(given.hosts) if given.hosts else HOSTS)
        for one in read_host_states(host, root, person)
        if given.hosts or one.status != "absent" or find_evidence(host, root, person)
    ]
    good = {"connected", "absent"}
    return StatusOutput(
        connected=any(one.status == "connected" for one in files) and all(one.status in good for one in files),
        files=tuple(files),
    )


TOOL = Tool(
    name="hosts.status",
    title="How the assistants are connected",
    description=(
        "Tell of each assistant in use whether its configuration has the entry that starts Aurora in this project, and "
        "whether that can be started. No server is started for it."
    ),
    input=HostsChoice,
    output=StatusOutput,
    run=read_host_status,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("All in use", {}), Example("One of them", {"hosts": ["claude-code"]})),
    command=Command("hosts status", "Show how each assistant is connected to this project."),
)
