"""init.run: assistants in use learn of Aurora, the project is indexed, and what was written is looked at again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.tools.core import Command, Example, Tool

from .checks import check_setup, find_connected_hosts
from .files import (
    add_doctor_hint,
    choose_hosts,
    report_no_host,
    to_change_rows,
    to_detected_hosts,
    to_trouble_rows,
    warn_unshared_program,
)
from .gitignore import plan_unhide, unhide_gitignore
from .model import ChangeRow, IndexSummary, InitInput, InitOutput, TroubleRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.hosts import Host
    from aurora.tools.core import Context


def run_init(given: InitInput, context: Context) -> InitOutput:
    """Write, index, and check; what fails is told, and the rest is done.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    from aurora.hosts import Launch, UserPaths, apply_changes, plan_changes  # noqa: PLC0415 - listing tools does without
    from aurora.tools.catalog import render_skill  # noqa: PLC0415 - as above

    root, person = context.root, UserPaths.from_environment()
    hosts = choose_hosts(given.hosts, root, person)
    seen = to_detected_hosts(hosts, root, person)
    launch = Launch.detect(person)
    made = plan_changes(root, person, hosts, launch, user=given.user, skill=render_skill())
    troubles = [*([] if hosts else [report_no_host()]), *to_trouble_rows(made.problems)]
    kept = _create_folder(root, troubles)
    # without the folder no file could be kept first, and so none is changed
    done, failed = apply_changes(made.changes, root, person) if kept is not None else ((), ())
    troubles += to_trouble_rows(failed)
    indexed = _index_memory(context, troubles) if given.index and kept is not None else None
    context.progress(0, None, "starting the server")
    return InitOutput(
        root=str(root),
        planned=False,
        removed=False,
        hosts=seen,
        changes=(*(kept or ()), *to_change_rows(done)),
        standing=made.unchanged,
        troubles=tuple(add_doctor_hint(one) for one in troubles),
        checks=check_setup(context, troubles),
        indexed=indexed,
        advice=(
            *(() if given.user or not hosts else warn_unshared_program(launch)),
            *(_list_advice(find_connected_hosts(hosts, root, person), user=given.user) if done else ()),
        ),
    )


def _list_advice(hosts: Iterable[Host], *, user: bool) -> Iterator[str]:
    """What is left to do for each host whose file is right; most of it is about a project's file."""
    for host in hosts:
        if host.advice and not (user and host.project):
            yield f"{host.title}: {host.advice}"


def _create_folder(root: Path, troubles: list[TroubleRow]) -> tuple[ChangeRow, ...] | None:
    """Make `.aurora/` with its ignore rules, also where the database lies elsewhere; None when it cannot be made."""
    from aurora.memory.files import DATA_FOLDER, DATABASE_NAME, prepare_folder  # noqa: PLC0415 - as above

    planned = plan_unhide(root)
    try:
        prepare_folder(root / DATA_FOLDER / DATABASE_NAME)
        unhide_gitignore(root)
    except OSError as error:
        way = "Give yourself permission to write in the project"
        if isinstance(error, FileExistsError | NotADirectoryError):
            way = f'Move the file "{DATA_FOLDER}" away, whose place the folder takes'
        troubles.append(
            TroubleRow(
                host="",
                where=DATA_FOLDER,
                message=f'"{DATA_FOLDER}" cannot be made ({error.strerror or error}), and nothing else was written',
                help=f"{way}, and say it again; `aur doctor` shows details.",
            )
        )
        return None
    return planned


def _index_memory(context: Context, troubles: list[TroubleRow]) -> IndexSummary | None:
    """Bring the memory up to date; a fault is told, and does not end the rest."""
    from aurora.tools.memory import IndexInput, index_project  # noqa: PLC0415 - as above

    try:
        done = index_project(IndexInput(), context)
    except Fault as fault:
        way = f"{fault.help} " if fault.help else ""
        remedy = f"{way}`aur doctor` looks closer; then say `aur mem index`."
        troubles.append(TroubleRow(host="", where="", message=fault.message, help=remedy))
        return None
    return IndexSummary(files=done.files, chunks=done.chunks, added=done.added, seconds=done.seconds)


TOOL = Tool(
    name="init.run",
    title="Set a project up",
    description=(
        "Find the assistants in use and give each the entry that starts Aurora in this project, with a slash command, "
        "a skill and a note where it reads them. What else their files hold stays as it is, to the byte, and each file "
        "is kept in .aurora/backups/hosts/ first. Then the project is indexed, and the doctor looks at all that "
        "was written and starts the server. Saying it again changes nothing."
    ),
    input=InitInput,
    output=InitOutput,
    run=run_init,
    family="admin",
    risk="write",
    idempotent=True,
    timeout=3600.0,
    examples=(Example("For one assistant", {"hosts": ["claude-code"], "index": False}),),
    command=Command("init", "Set up this project for your assistants."),
)
