"""`init.run`: configure the assistants in use, index the project, check the result."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora import hosts
from aurora.faults import Fault, choose_write_remedy
from aurora.memory import files
from aurora.tools import hooks as project_hooks
from aurora.tools import memory
from aurora.tools.core import Alias, Command, Example, Tool

from .checks import SERVER_FAILS, check_setup, find_connected_hosts
from .files import (
    add_doctor_hint,
    choose_hosts,
    list_advice,
    list_failed_hosts,
    list_left_out,
    list_offers,
    plan_setup,
    report_no_host,
    to_change_rows,
    to_detected_hosts,
    to_trouble_rows,
)
from .gitignore import plan_unhide, unhide_gitignore
from .model import ChangeRow, IndexSummary, InitInput, InitOutput, TroubleRow

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from pathlib import Path

    from aurora.hosts import ChangePlan, ConfigProblem, FileChange, Host, UserPaths
    from aurora.tools.core import Context

    from .doctor_finding import GroupRow


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Outcome of a setup.

    Attributes:
        changes: rows of the files that were changed.
        is_configured: a host's file was changed.
        problems: the hosts' files that could not be planned or written.
        troubles: all problems, as rows.
        indexed: the memory, if it was indexed.
        checks: the doctor's findings about the hosts.
    """

    changes: tuple[ChangeRow, ...]
    is_configured: bool
    problems: tuple[ConfigProblem, ...]
    troubles: tuple[TroubleRow, ...]
    indexed: IndexSummary | None
    checks: tuple[GroupRow, ...]


def run_init(given: InitInput, context: Context) -> InitOutput:
    """Set up a project: write, index, check; report what fails, and do the rest.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    chosen = choose_hosts(given.hosts, root, person)
    detected = to_detected_hosts(chosen, root, person)
    launch = hosts.Launch.detect(person)
    plan = plan_setup(given, chosen, launch, root, person)
    made = _set_up(given, context, plan, chosen, person)
    changed = find_connected_hosts(chosen, root, person) if made.is_configured else ()
    return InitOutput(
        root=str(root),
        planned=False,
        removed=False,
        hosts=detected,
        changes=made.changes,
        standing=plan.unchanged,
        troubles=tuple(add_doctor_hint(trouble) for trouble in made.troubles),
        failed=_list_failed(given, chosen, made.problems, _find_working_hosts(chosen, made.checks, root, person)),
        checks=made.checks,
        indexed=made.indexed,
        offers=() if given.allow_tools else list_offers(chosen, root, person, user=given.user),
        advice=tuple(list_advice(given, launch, made.problems, chosen, changed)),
    )


def _set_up(
    given: InitInput, context: Context, plan: ChangePlan, chosen: Sequence[Host], person: UserPaths
) -> _Outcome:
    """Write the planned changes, index the memory, and start the server."""
    root = context.root
    troubles = [*([] if chosen else [report_no_host()]), *to_trouble_rows(plan.problems)]
    hosts.remove_leftovers(root, chosen)
    folder_changes = _create_folder(root, troubles)
    # without the folder no file could be backed up, so none is changed
    done, failed = _apply_plan(plan, given, root, person) if folder_changes is not None else ((), ())
    troubles += to_trouble_rows(failed)
    indexed = _index_memory(context, troubles) if given.index and folder_changes is not None else None
    if given.hooks:
        with contextlib.suppress(OSError, Fault):  # then the first session begins without it
            project_hooks.write_note(context.project)
    context.progress(0, None, "asking the server" if given.url else "starting the server")
    checks = check_setup(context, troubles, given.url)
    return _Outcome(
        changes=(*(folder_changes or ()), *to_change_rows(done)),
        is_configured=bool(done),
        problems=(*plan.problems, *failed),
        troubles=tuple(troubles),
        indexed=indexed,
        checks=checks,
    )


def _apply_plan(
    plan: ChangePlan, given: InitInput, root: Path, person: UserPaths
) -> tuple[tuple[FileChange, ...], tuple[ConfigProblem, ...]]:
    """Write the changes, and record what the person does not want."""
    done, failed = hosts.apply_changes(plan.changes, root, person)
    with contextlib.suppress(OSError, Fault):  # then the doctor reports what was left out, and no more
        hosts.record_left_out(list_left_out(given), root)
    return done, failed


def _list_failed(
    given: InitInput, chosen: Sequence[Host], problems: Iterable[ConfigProblem], working: Container[str]
) -> tuple[str, ...]:
    """List the named hosts that have a problem, or are not `working`: with a server that starts."""
    troubled = set(list_failed_hosts(given.hosts, chosen, problems))
    return tuple(
        host.name for host in chosen if host.name in given.hosts and (host.name in troubled or host.name not in working)
    )


def _find_working_hosts(
    chosen: Sequence[Host], checks: Iterable[GroupRow], root: Path, person: UserPaths
) -> frozenset[str]:
    """Find the hosts whose configuration starts Aurora here, and whose server listed its tools."""
    findings = [finding for group in checks for finding in group.findings if finding.kind in SERVER_FAILS]
    dead = {title for finding in findings for title in finding.message.rpartition(", for ")[2].split(", ")}
    return frozenset(host.name for host in find_connected_hosts(chosen, root, person) if host.title not in dead)


def _create_folder(root: Path, troubles: list[TroubleRow]) -> tuple[ChangeRow, ...] | None:
    """Create `.aurora/` with its ignore rules; return None when that fails."""
    planned = plan_unhide(root)
    try:
        files.prepare_folder(root / files.DATA_FOLDER / files.DATABASE_NAME)
        unhide_gitignore(root)
    except Fault as fault:
        troubles.append(TroubleRow(host="", where=files.DATA_FOLDER, message=fault.message, help=fault.help))
        return None
    except OSError as error:
        remedy = choose_write_remedy(error, "Give yourself write permission in the project.", files.DATA_FOLDER)
        troubles.append(
            TroubleRow(
                host="",
                where=files.DATA_FOLDER,
                message=f'"{files.DATA_FOLDER}" cannot be created ({error.strerror or error}); nothing was written',
                help=f"{remedy} Then run `aur init` again; `aur doctor` shows details.",
            )
        )
        return None
    return planned


def _index_memory(context: Context, troubles: list[TroubleRow]) -> IndexSummary | None:
    """Index the project; report a fault without stopping the setup."""
    try:
        done = memory.index_project(memory.IndexInput(), context)
    except Fault as fault:
        own_help = f"{fault.help} " if fault.help else ""
        remedy = f"{own_help}Run `aur doctor` for details, then `aur mem index`."
        troubles.append(TroubleRow(host="", where="", message=fault.message, help=remedy))
        return None
    return IndexSummary(files=done.files, chunks=done.chunks, added=done.added, seconds=done.seconds)


TOOL = Tool(
    name="init.run",
    title="Set up a project",
    description=(
        "Find the assistants in use and give each the entry that starts Aurora in this project, with a slash command, "
        "a skill and a note where it reads them. The rest of their files stays the same, byte for byte, and each file "
        "is backed up in .aurora/backups/hosts/ first. Then the project is indexed, and the doctor checks the result "
        "and starts the server. Running it again changes nothing."
    ),
    input=InitInput,
    output=InitOutput,
    run=run_init,
    family="admin",
    risk="write",
    idempotent=True,
    timeout=3600.0,
    aliases=(Alias("ag_init"),),
    examples=(Example("For one assistant", {"hosts": ["claude-code"], "index": False}),),
    command=Command("init", "Set up this project for your assistants."),
)
