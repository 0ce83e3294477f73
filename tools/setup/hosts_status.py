"""`hosts.status`: state of Aurora's entry in each assistant's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora import hosts
from aurora.tools.core import Command, Example, StrictModel, Tool

from .model import HostsChoice

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.hosts import Host, HostState, UserPaths
    from aurora.tools.core import Context


class FileRow(StrictModel):
    """Configuration file of an assistant with the state of its entry."""

    host: str
    title: str
    scope: str = Field(description="`project`, or `person` for your own file.")
    file: str
    status: str = Field(description="configured, off, absent, incomplete, stale, taken or broken.")
    trusted: str = Field(
        description="yes or no, as the assistant's own files say that you let it start the server; or `not known`."
    )
    connected: str = Field(description="Always `not known`: no file tells; `ask` is the command that does.")
    ask: str = Field(description="The assistant's own command that tries the connection; may be empty.")
    server: str = Field(description="The entry's name.")
    command: tuple[str, ...] = Field(description="The command that starts the server.")
    message: str
    help: str


class StatusOutput(StrictModel):
    """Files; `configured` when one is configured and none has a problem."""

    configured: bool
    files: tuple[FileRow, ...]


def read_host_status(given: HostsChoice, context: Context) -> StatusOutput:
    """Read the state of each file; start nothing.

    Raises:
        Fault: NOT_FOUND for a host that does not exist.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    files: list[FileRow] = []
    for host in hosts.get_hosts(given.hosts) if given.hosts else hosts.HOSTS:
        is_listed = bool(given.hosts or hosts.find_evidence(host, root, person))
        states = hosts.read_host_states(host, root, person)
        files += [_to_row(host, state, root, person) for state in states if is_listed or state.status != "absent"]
    statuses = {row.status for row in files}
    return StatusOutput(configured="configured" in statuses <= {"configured", "absent"}, files=tuple(files))


def _to_row(host: Host, state: HostState, root: Path, person: UserPaths) -> FileRow:
    is_complete = state.status == "connected"
    return FileRow(
        host=host.name,
        title=host.title,
        scope=state.scope,
        file=state.file,
        status=("off" if state.is_off else "configured") if is_complete else state.status,
        trusted=hosts.read_approval(host, state, root, person) if is_complete else "",
        connected="not known" if is_complete else "",
        ask=host.ask if is_complete else "",
        server=state.server,
        command=state.argv,
        message=state.message,
        help=state.help,
    )


TOOL = Tool(
    name="hosts.status",
    title="Check the assistants' configuration",
    description=(
        "Check for each assistant in use whether its configuration has the entry that starts Aurora in this project, "
        "whether that program exists, and whether the assistant's own files say that you trust it. Nothing is "
        "started, so whether the server is connected is not known."
    ),
    input=HostsChoice,
    output=StatusOutput,
    run=read_host_status,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    examples=(Example("All in use", {}), Example("One of them", {"hosts": ["claude-code"]})),
    command=Command("hosts status", "Show how each assistant is configured for this project."),
)
