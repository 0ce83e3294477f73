"""`hosts.list` and `hosts.status`: the assistants, and the state of their files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pydantic import Field

from aurora import hosts
from aurora.errors import Code, Fault
from aurora.tools import trust
from aurora.tools.core import Command, Example, StrictModel, Tool

from .model import HostsChoice

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.hosts import Host, HostState, UserPaths
    from aurora.tools.core import Context, Project


class ListInput(StrictModel):
    """No input."""


class HostRow(StrictModel):
    """Assistant with its files and the evidence that it is in use."""

    name: str
    title: str
    project_file: str | None = Field(description="From the project's root; null when it has none.")
    user_file: str
    found: tuple[str, ...]


class ListOutput(StrictModel):
    """Assistants that Aurora can set up."""

    hosts: tuple[HostRow, ...]


def list_hosts(given: ListInput, context: Context) -> ListOutput:
    """List the assistants."""
    del given
    person = hosts.UserPaths.from_environment()
    return ListOutput(
        hosts=tuple(
            HostRow(
                name=host.name,
                title=host.title,
                project_file=host.project[0] if host.project else None,
                user_file=person.format_path(person.resolve_path(host.user)),
                found=hosts.find_evidence(host, context.root, person),
            )
            for host in hosts.HOSTS
        )
    )


class StatusInput(HostsChoice):
    """Assistants to check, and whether to ask them."""

    ask: bool = Field(
        default=False,
        description="Run the assistant's own command that tries the connection, where it has one; only in a trusted "
        "folder, since it starts every server of the folder's configuration.",
    )


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
    connected: str = Field(description="yes or no, as the assistant itself says when it is asked; else `not known`.")
    said: str = Field(description="What it said of the server, or why it could not be asked; empty when not asked.")
    ask: str = Field(description="The assistant's own command that tries the connection; may be empty.")
    hooks: str = Field(
        description="on, off, foreign (a file of the project names another program than Aurora's), or empty for an "
        "assistant whose hooks Aurora does not write."
    )
    server: str = Field(description="The entry's name.")
    command: tuple[str, ...] = Field(description="The command that starts the server.")
    url: str = Field(description="The address of the server, in an entry over HTTP; else empty.")
    message: str
    help: str


class StatusOutput(StrictModel):
    """Files; `configured` when one is configured and none has a problem."""

    configured: bool
    files: tuple[FileRow, ...]


def read_host_status(given: StatusInput, context: Context) -> StatusOutput:
    """Read the state of each file; start nothing, unless the hosts are asked.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; FORBIDDEN to ask in a folder that is not trusted, or for a
            model.
    """
    if given.ask:
        _refuse_to_ask(context)
    root, person = context.root, hosts.UserPaths.from_environment()
    files: list[FileRow] = []
    for host in hosts.get_hosts(given.hosts) if given.hosts else hosts.HOSTS:
        # Without names, an assistant that nobody uses here is left out unless it has an entry.
        is_listed = bool(given.hosts or hosts.find_evidence(host, root, person))
        states = hosts.read_host_states(host, root, person)
        files += [_to_row(host, state, root, person) for state in states if is_listed or state.status != "absent"]
    if given.ask:
        files = _ask_hosts(files, context.project)
    statuses = {row.status for row in files}
    return StatusOutput(configured="configured" in statuses <= {"configured", "absent"}, files=tuple(files))


def _refuse_to_ask(context: Context) -> None:
    if context.surface == "mcp":
        raise Fault(
            Code.FORBIDDEN,
            "a model cannot ask the assistants: it would start their programs",
            help="Run `aur hosts status --ask` in a terminal.",
        )
    if not context.project.trust.is_trusted():
        raise Fault(
            Code.FORBIDDEN,
            "this folder is not trusted yet, and an assistant that is asked starts every server of its configuration",
            help="Run `aur trust`, then `aur hosts status --ask`.",
        )


def _ask_hosts(rows: list[FileRow], project: Project) -> list[FileRow]:
    """Ask the hosts of complete entries, all at the same time; not where the project's file was not shown."""
    trusts_all = project.trust.uses_every_content
    own = {row.file for row in rows if row.scope == "project" and (project.root / row.file).exists()}
    unshown = set() if trusts_all else {file for file in own if not trust.is_file_trusted(project, file)}
    of_host = {row.host: row.file for row in rows if row.file in unshown}

    def ask(row: FileRow) -> FileRow:
        if row.status != "configured":
            return row
        if row.host in of_host:
            said = f"not asked: {of_host[row.host]} is new or changed since you trusted this folder; run `aur trust`"
            return row.model_copy(update={"said": said})
        reply = hosts.ask_host(hosts.get_hosts([row.host])[0], row.server, project.root)
        return row.model_copy(update={"connected": reply.connected, "said": reply.said})

    # At the same time, since each command starts the servers of its assistant and may take its whole limit.
    with ThreadPoolExecutor(max_workers=8) as threads:
        return list(threads.map(ask, rows))


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
        said="",
        ask=host.ask if is_complete else "",
        hooks=_describe_hooks(host, root, person) if is_complete else "",
        server=state.server,
        command=state.argv,
        url=state.url,
        message=state.message,
        help=state.help,
    )


def _describe_hooks(host: Host, root: Path, person: UserPaths) -> str:
    if host.hooks is None:
        return ""
    if hosts.list_foreign_programs(host, root, person):
        return "foreign"
    return "on" if hosts.read_hooks(host, root, person) else "off"


TOOLS = (
    Tool(
        name="hosts.list",
        title="List the assistants",
        description=(
            "List the assistants that Aurora can set up, the files it writes for each, and the evidence of use."
        ),
        input=ListInput,
        output=ListOutput,
        run=list_hosts,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=30.0,
        examples=(Example("All of them", {}),),
        command=Command("hosts list", "List the supported assistants, and those in use here."),
    ),
    Tool(
        name="hosts.status",
        title="Check the assistants' configuration",
        description=(
            "Check for each assistant in use whether its configuration has the entry that starts Aurora in this "
            "project, whether that program exists, and whether the assistant's own files say that you trust it. With "
            "ask, the assistant's own command says whether the server is connected; else nothing is started, and it is "
            "not known."
        ),
        input=StatusInput,
        output=StatusOutput,
        run=read_host_status,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=60.0,
        examples=(Example("All in use", {}), Example("One of them", {"hosts": ["claude-code"]})),
        command=Command("hosts status", "Show how each assistant is configured for this project."),
    ),
)
