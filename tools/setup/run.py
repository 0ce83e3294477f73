"""init.run: assistants in use learn of Aurora, the project is indexed, and what was written is looked at again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.tools.core.declaration import Example, Tool

from .checks import checked, connected
from .files import chosen, closing, found, nobody, rows, troubled, unshared
from .gitignore import show, to_be_shown
from .model import ChangeRow, Indexed, InitInput, InitOutput, TroubleRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.hosts import Host
    from aurora.tools.core.context import Context


def run_init(given: InitInput, context: Context) -> InitOutput:
    """Write, index, and check; what fails is told, and the rest is done.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    from aurora.hosts import Launch, Person, apply, plan  # noqa: PLC0415 - listing tools does without
    from aurora.tools.catalog.skill import skill_text  # noqa: PLC0415 - as above

    root, person = context.root, Person.of()
    hosts = chosen(given.hosts, root, person)
    seen = found(hosts, root, person)
    launch = Launch.of(person)
    made = plan(root, person, hosts, launch, user=given.user, skill=skill_text())
    troubles = [*([] if hosts else [nobody()]), *troubled(made.troubles)]
    kept = _folder(root, troubles)
    # without the folder no file could be kept first, and so none is changed
    done, failed = apply(made.changes, root, person) if kept is not None else ((), ())
    troubles += troubled(failed)
    indexed = _indexed(context, troubles) if given.index and kept is not None else None
    context.progress(0, None, "starting the server")
    return InitOutput(
        root=str(root),
        planned=False,
        removed=False,
        hosts=seen,
        changes=(*(kept or ()), *rows(done)),
        standing=made.standing,
        troubles=tuple(closing(one) for one in troubles),
        checks=checked(context, troubles),
        indexed=indexed,
        advice=(
            *(() if given.user or not hosts else unshared(launch)),
            *(_advice(connected(hosts, root, person), user=given.user) if done else ()),
        ),
    )


def _advice(hosts: Iterable[Host], *, user: bool) -> Iterator[str]:
    """What is left to do for each host whose file is right; most of it is about a project's file."""
    for host in hosts:
        if host.advice and not (user and host.project):
            yield f"{host.title}: {host.advice}"


def _folder(root: Path, troubles: list[TroubleRow]) -> tuple[ChangeRow, ...] | None:
    """Make `.aurora/` with its ignore rules, also where the database lies elsewhere; None when it cannot be made."""
    from aurora.memory.files.locate import DATABASE, FOLDER, prepare_folder  # noqa: PLC0415 - as above

    planned = to_be_shown(root)
    try:
        prepare_folder(root / FOLDER / DATABASE)
        show(root)
    except OSError as error:
        way = "Give yourself permission to write in the project"
        if isinstance(error, FileExistsError | NotADirectoryError):
            way = f'Move the file "{FOLDER}" away, whose place the folder takes'
        troubles.append(
            TroubleRow(
                host="",
                where=FOLDER,
                message=f'"{FOLDER}" cannot be made ({error.strerror or error}), and nothing else was written',
                help=f"{way}, and say it again; `aur doctor` tells more.",
            )
        )
        return None
    return planned


def _indexed(context: Context, troubles: list[TroubleRow]) -> Indexed | None:
    """Bring the memory up to date; a fault is told, and does not end the rest."""
    from aurora.tools.memory.index import IndexInput, index  # noqa: PLC0415 - as above

    try:
        done = index(IndexInput(), context)
    except Fault as fault:
        way = f"{fault.help} " if fault.help else ""
        remedy = f"{way}`aur doctor` looks closer; then say `aur mem index`."
        troubles.append(TroubleRow(host="", where="", message=fault.message, help=remedy))
        return None
    return Indexed(files=done.files, chunks=done.chunks, added=done.added, seconds=done.seconds)


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
    command=("init",),
)
