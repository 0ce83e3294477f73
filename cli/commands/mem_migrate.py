"""`aur mem migrate`: copy the memory of a project from its file to a database server."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from aurora import memory
from aurora.cli.context import build_common_options, take_common_options
from aurora.cli.exit_codes import ExitCode
from aurora.cli.project import resolve_project_root
from aurora.cli.render.registry import print_json
from aurora.cli.terminal import format_count, track_progress
from aurora.faults import ArgumentFault, Code, Fault, quote_names, read_flag, read_value
from aurora.memory import maintenance
from aurora.memory.files import is_view

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.cli.context import CommonOptions
    from aurora.memory import ServerAddress
    from aurora.memory.maintenance import MigrationResult

_MAX_NAMES = 5
_SCHEMES = ("postgresql://", "postgres://")
_URL_HELP = "Pass --to postgresql://user@host/database."


@click.pass_context
def _run_command(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    root = resolve_project_root(options)
    if options.read_only or read_flag("READ_ONLY"):
        message = "a migration writes to the database server, and read-only mode forbids writes"
        raise Fault(Code.FORBIDDEN, message, help="Leave out --read-only, or READ_ONLY in the environment.")
    address = _choose_server(given["to"], given["as_"])
    done = _migrate(root, address, options, is_indexed=not given["no_index"])
    if not options.json:
        _show_result(done, address, memory.records_path(root))
    _require_equal(done, address)
    if options.json:
        print_json(_to_json(done, address))
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


def _show_result(done: MigrationResult, address: ServerAddress, source: Path) -> None:
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


def _to_json(done: MigrationResult, address: ServerAddress) -> dict[str, Any]:
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
            f"{len(done.differing):,} rows differ in {address}: {quote_names(done.differing[:_MAX_NAMES])}",
            help="the server keeps its own: they were changed there since an earlier migration, or belong to another "
            "project; pass --as NAME for a project of its own",
            details={"differing": list(done.differing[:100])},
        )


COMMAND = click.Command(
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
    callback=_run_command,
    help="Copy facts, patterns, their uses, the undo log and all runs from the file of the memory to a database "
    "server, and index the project there. The file is only read. Run it again after an interruption: it goes on. Both "
    "databases are compared at the end, row by row.",
)
