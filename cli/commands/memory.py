"""Commands of the memory that no tool has: confirm, adopt, watch, migrate."""

from __future__ import annotations

import json
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora import memory
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exits import ExitCode
from aurora.cli.interaction import confirm, require_person, track_progress
from aurora.cli.output import Output, format_count
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand
from aurora.cli.project import open_workspace, resolve_project_root
from aurora.cli.render.printer import print_json
from aurora.errors import ArgumentFault, Code, Fault, escape_json, quote_names, show_hidden, show_hidden_line
from aurora.memory import maintenance, records
from aurora.memory.files import is_view
from aurora.memory.indexing.watch import watch_project
from aurora.system.environment import read_flag, read_value
from aurora.tools import files, runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from aurora.cli.context import CommonOptions
    from aurora.memory import ServerAddress
    from aurora.memory.indexing.watch import IndexUpdate
    from aurora.memory.maintenance import MigrationResult
    from aurora.tools.runtime import Workspace

_MOST_LOST = 10


@click.pass_context
def _adopt_memory(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    with open_workspace(options) as workspace:
        file = Path(given["file"]).absolute()
        done, lost = maintenance.adopt_records(workspace.memory.shared_store, file, has_runs=given["runs"])
    if options.json:
        print_json({"records": done.records, "known": done.records_known, "runs": done.runs, "left_out": list(lost)})
        return ExitCode.OK
    taken = f"{format_count(done.records, 'record')} and {format_count(done.runs, 'run')}"
    click.echo(f"taken over: {taken}, marked as from elsewhere; known before: {done.records_known:,}")
    for name in lost[:_MOST_LOST]:
        click.echo(show_hidden_line(f"left out: {name}"))
    if len(lost) > _MOST_LOST:
        click.echo(f"left out: {len(lost) - _MOST_LOST:,} more")
    if done.records or done.runs:
        click.echo("`aur mem undo` removes them again; `aur mem confirm ID` confirms one")
    return ExitCode.OK


ADOPT = DescribedCommand(
    "adopt",
    params=[
        DescribedArgument(
            ["file"],
            metavar="FILE",
            description="The memory, as the message named it, such as .aurora/memory.db.foreign-20260131-091500.",
        ),
        click.Option(["--runs"], is_flag=True, help="Take over its runs, too: to look at, not to continue."),
        *build_common_options(),
    ],
    callback=_adopt_memory,
    help="Take over the facts and patterns of a memory that another account made: one that came with a clone, or from "
    "another computer of yours, and was moved aside unread. It is read in a process with limits of time and memory, "
    "and stays as it is. What is taken over is marked as from elsewhere; it is doubtful and ranks below the code until "
    "you confirm it.",
)


_HOW = "terminal"

_QUESTION = "Is this right, as far as you know?"


@click.pass_context
def _confirm_record(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    with open_workspace(options) as workspace:
        if workspace.read_only:
            message = "the mark would be written, and read-only mode forbids writes"
            raise Fault(Code.FORBIDDEN, message, help="Start without --read-only (or unset READ_ONLY).")
        if given["revoke"]:
            records.revoke_confirmation(workspace.memory.store, given["id"])
            click.echo(f"not confirmed: {given['id']}")
            return ExitCode.OK
        # To revoke is open to scripts, to confirm is not: a confirmed
        # pattern may rank above the code, so the mark has to be a person's.
        require_person("confirm a record")
        return _ask_about_record(workspace, given["id"])


def _ask_about_record(workspace: Workspace, id_: str) -> int:
    store = workspace.memory.store
    with store.begin_read() as db:
        chunk = records.find_record(db, id_)
    click.echo(f"{show_hidden_line(chunk.id)}  {show_hidden_line(chunk.symbol)}\n\n{show_hidden(chunk.text)}\n")
    if not confirm(_QUESTION, default=False):
        click.echo("It is not confirmed.")
        return ExitCode.PROBLEMS
    records.confirm_record(store, id_, by=runs.name_user(), how=_HOW)
    click.echo(f"confirmed: {chunk.id}; `aur mem confirm {chunk.id} --revoke` undoes it")
    return ExitCode.OK


CONFIRM = DescribedCommand(
    "confirm",
    params=[
        DescribedArgument(
            ["id"], metavar="ID", description="The id of the fact or the pattern, as `aur mem search` shows it."
        ),
        click.Option(["--revoke"], is_flag=True, help="Remove the mark."),
        *build_common_options(),
    ],
    callback=_confirm_record,
    help="Show a fact or a pattern, and ask you whether it is right. A pattern that you confirm may rank above the "
    "code, as long as what it cites is unchanged. It needs a terminal, so that no script answers for you.",
)


_MAX_DIFFERING = 5

_SCHEMES = ("postgresql://", "postgres://")

_URL_HELP = "Pass --to postgresql://user@host/database."


@click.pass_context
def _migrate_to_server(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    root = resolve_project_root(options)
    if options.read_only or read_flag("READ_ONLY"):
        message = "a migration writes to the database server, and read-only mode forbids writes"
        raise Fault(Code.FORBIDDEN, message, help="Leave out --read-only, or READ_ONLY in the environment.")
    address = _choose_server(given["to"], given["as_"])
    done = _migrate(root, address, options, is_indexed=not given["no_index"])
    if not options.json:
        # The table comes before the fault: it tells which rows are equal and which differ.
        _show_migration(done, address, memory.records_path(root))
    _require_equal(done, address)
    if options.json:
        print_json(_describe_migration(done, address))
    return ExitCode.OK


def _choose_server(url: str | None, project: str | None) -> ServerAddress:
    """Return the server and the project that the options name, or else the environment.

    Raises:
        ArgumentFault: INVALID_INPUT when nothing names a server, or `--to` is not the URL of one.
    """
    if url and not url.startswith(_SCHEMES):  # known without the extra, which may be missing
        raise ArgumentFault(Code.INVALID_INPUT, "--to is not the URL of a PostgreSQL server", help=_URL_HELP)
    url = url or read_value("AURORA_DATABASE")
    if not url:
        message = "no database server is named: pass --to, or set AURORA_DATABASE"
        raise ArgumentFault(Code.INVALID_INPUT, message, help=_URL_HELP)
    return memory.make_address(url, project or read_value("AURORA_PROJECT"))


def _migrate(root: Path, address: ServerAddress, options: CommonOptions, *, is_indexed: bool) -> MigrationResult:
    path = memory.records_path(root)
    if not memory.settle_files(path, moves=True):
        raise Fault(
            Code.NOT_FOUND,
            f'there is no memory at "{path}" to migrate',
            help="set AURORA_DATABASE and AURORA_PROJECT, and run `aur mem index` for a new memory in the server",
            details={"path": str(path)},
        )
    folder = root if is_indexed and not is_view(memory.database_path(root)) else None
    with (
        closing(memory.open_store(path, read_only=True)) as source,
        closing(memory.open_server(address, path)) as target,
        track_progress(options) as progress,
    ):
        return maintenance.migrate_memory(source, target, folder, progress)


def _show_migration(done: MigrationResult, address: ServerAddress, source: Path) -> None:
    click.echo(f"from  {source}, which is unchanged")
    click.echo(f"to    {address}")
    for part in done.parts:
        state = "equal" if not part.differing else f"{len(part.differing):,} differ"
        click.echo(f"{part.kind:<20}{part.count:>9,} of {part.count:,}  {state}  {part.digest[:12]}")
    if done.indexed is not None:
        files = format_count(done.indexed.files, "file")
        click.echo(f"{'index':<20}{done.indexed.chunks:>9,} chunks of {files}, read from the project")
    if not done.differing:
        click.echo(f"next: set AURORA_DATABASE, and AURORA_PROJECT={address.project}")


def _describe_migration(done: MigrationResult, address: ServerAddress) -> dict[str, Any]:
    parts = {
        part.kind: {"source": part.count, "equal": part.present, "digest": part.digest, "differing": part.differing}
        for part in done.parts
    }
    chunks = done.indexed.chunks if done.indexed else None
    return {"database": address.place, "project": address.project, "parts": parts, "chunks": chunks}


def _require_equal(done: MigrationResult, address: ServerAddress) -> None:
    """Raise a fault if the target has other rows than the source.

    Raises:
        Fault: CONFLICT, which names some of them.
    """
    if done.differing:
        raise Fault(
            Code.CONFLICT,
            f"{len(done.differing):,} rows differ in {address}: {quote_names(done.differing[:_MAX_DIFFERING])}",
            help="the server keeps its own: they were changed there since an earlier migration, or belong to another "
            "project; pass --as NAME for a project of its own",
            details={"differing": list(done.differing[:100])},
        )


MIGRATE = click.Command(
    "migrate",
    params=[
        click.Option(
            ["--to"],
            metavar="URL",
            help="The PostgreSQL server, postgresql://user@host/database. [default: AURORA_DATABASE] Put a password in "
            "PGPASSWORD or ~/.pgpass: other users of this machine see the words of a command.",
        ),
        click.Option(["--as", "as_"], metavar="NAME", help="The project's name there. [default: AURORA_PROJECT]"),
        click.Option(["--no-index"], is_flag=True, help="Leave the index out; `aur mem index` makes it later."),
        *build_common_options(),
    ],
    callback=_migrate_to_server,
    help="Copy facts, patterns, their uses, the undo log and all runs from the file of the memory to a database "
    "server, and index the project there. The file is only read. Run it again after an interruption: it goes on. Both "
    "databases are compared at the end, row by row.",
)


_MAX_UPDATED = 3


@click.pass_context
def _watch_files(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    stop = threading.Event()
    with open_workspace(options) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "watching the project writes to its memory, and read-only mode forbids writes",
                help="Leave out --read-only, or READ_ONLY in the environment.",
            )
        # A home folder that is no repository would be read as a whole.
        files.require_project(workspace.root)
        try:
            watch_project(workspace.memory, workspace.root, stop, _make_reporter(as_json=options.json))
        # Ctrl-C is how watching ends, so it is no failure, and the exit code is 0.
        except KeyboardInterrupt:
            stop.set()
    return ExitCode.OK


def _make_reporter(*, as_json: bool) -> Callable[[IndexUpdate], None]:
    out = Output()
    is_first = True

    def report_update(update: IndexUpdate) -> None:
        nonlocal is_first
        if as_json:
            click.echo(escape_json(json.dumps(_describe_update(update))))
            return
        fault = update.fault
        message = _format_update(update) if fault is None else f"{show_hidden_line(fault.message)}; trying again"
        out.line(f"{time.strftime('%H:%M:%S')}  {message}")
        # Said after the first update, because until then the project is being read and not yet watched.
        if is_first and fault is None:
            is_first = False
            out.line(("watching the project; press Ctrl-C to stop", "dim"))

    return report_update


def _format_update(update: IndexUpdate) -> str:
    parts = [f"{format_count(update.read, 'file')} read"] if update.read else []
    parts += [f"{update.gone:,} gone"] if update.gone else []
    names = [show_hidden_line(name) for name in update.names[:_MAX_UPDATED]]
    more = len(update.names) - len(names)
    named = f": {', '.join(names)}{f' and {more} more' if more else ''}" if names else ""
    return f"{', '.join(parts) or 'up to date'}{named} ({update.seconds:.2f} s)"


def _describe_update(update: IndexUpdate) -> dict[str, Any]:
    said = {"read": update.read, "gone": update.gone, "paths": list(update.names), "seconds": round(update.seconds, 3)}
    return said | ({"error": update.fault.to_json()} if update.fault else {})


WATCH = click.Command(
    "watch",
    params=build_common_options(),
    callback=_watch_files,
    help="Index each file soon after it is saved, until Ctrl-C. `aur mcp` does the same while it serves.",
)
