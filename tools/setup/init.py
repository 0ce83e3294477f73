"""`init.run`, `init.plan`, `init.remove`: set up the assistants, and take it back."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aurora import doctor, hosts
from aurora.errors import Fault, guard_commit
from aurora.memory import files
from aurora.system.files import choose_write_remedy
from aurora.tools.core import Alias, Command, Example, Tool
from aurora.tools.hooks.listener import remove_note, write_note
from aurora.tools.memory.index import IndexInput, index_project

from .doctor import build_doctor_context
from .files import (
    add_doctor_hint,
    choose_hosts,
    explain_shared_files,
    list_advice,
    list_failed_hosts,
    list_left_out,
    list_offers,
    plan_gitignore,
    plan_setup,
    report_no_host,
    to_change_rows,
    to_detected_hosts,
)
from .model import ChangeRow, GroupRow, IndexSummary, InitInput, InitOutput, PlanInput, RemoveInput, to_group_rows

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from pathlib import Path

    from aurora.hosts import ChangePlan, ConfigProblem, FileChange, Host, UserPaths
    from aurora.tools.core import Context

    from .model import FindingRow


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
    troubles: tuple[ConfigProblem, ...]
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
    troubles = [*([] if chosen else [report_no_host()]), *plan.problems]
    hosts.remove_leftovers(root, chosen)
    folder_changes = _create_folder(root, person, troubles)
    # without the folder no file could be backed up, so none is changed
    done, failed = _apply_plan(plan, given, root, person) if folder_changes is not None else ((), ())
    troubles += failed
    indexed = _index_memory(context, troubles) if given.index and folder_changes is not None else None
    if given.hooks:
        with contextlib.suppress(OSError, Fault):  # then the first session begins without it
            write_note(context.project)
    context.progress(0, None, "asking the server" if given.url else "starting the server")
    # Last: the server is started as an assistant would start it, with the entries and the memory that are there now.
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


def _create_folder(root: Path, person: UserPaths, troubles: list[ConfigProblem]) -> tuple[ChangeRow, ...] | None:
    """Create `.aurora/` with its ignore rules; return None when that fails."""
    planned = plan_gitignore(root, hidden=False)
    try:
        files.prepare_folder(root / files.DATA_FOLDER / files.DATABASE_NAME)
    except Fault as fault:
        troubles.append(hosts.ConfigProblem(host="", where=files.DATA_FOLDER, message=fault.message, help=fault.help))
        return None
    except OSError as error:
        remedy = choose_write_remedy(error, "Give yourself write permission in the project.", files.DATA_FOLDER)
        troubles.append(
            hosts.ConfigProblem(
                host="",
                where=files.DATA_FOLDER,
                message=f'"{files.DATA_FOLDER}" cannot be created ({error.strerror or error}); nothing was written',
                help=f"{remedy} Then run `aur init` again; `aur doctor` shows details.",
            )
        )
        return None
    return _write_changes(planned, root, person, troubles)


def _write_changes(
    changes: Iterable[FileChange], root: Path, person: UserPaths, troubles: list[ConfigProblem]
) -> tuple[ChangeRow, ...]:
    done, failed = hosts.apply_changes(changes, root, person)
    troubles += failed
    return to_change_rows(done)


def _index_memory(context: Context, troubles: list[ConfigProblem]) -> IndexSummary | None:
    """Index the project; report a fault without stopping the setup."""
    try:
        done = index_project(IndexInput(), context)
    except Fault as fault:
        own_help = f"{fault.help} " if fault.help else ""
        remedy = f"{own_help}Run `aur doctor` for details, then `aur mem index`."
        troubles.append(hosts.ConfigProblem(host="", where="", message=fault.message, help=remedy))
        return None
    return IndexSummary(files=done.files, chunks=done.chunks, added=done.added, seconds=done.seconds)


def plan_init(given: PlanInput, context: Context) -> InitOutput:
    """Plan a setup or removal without writing anything.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    return _plan_removal(given, root, person) if given.remove else _plan_setup(given, root, person)


def _plan_removal(given: PlanInput, root: Path, person: UserPaths) -> InitOutput:
    chosen = choose_hosts(given.hosts, root, person) if given.hosts else hosts.HOSTS
    plan = hosts.plan_removal(root, person, chosen, hosts.HOSTS)
    hidden = plan_gitignore(root, hidden=True) if is_last_removal(chosen, root, person) else ()
    return InitOutput(
        root=str(root),
        planned=True,
        removed=True,
        hosts=(),
        # git hides the folder again when no host is left
        changes=to_change_rows((*plan.changes, *hidden)),
        standing=plan.unchanged,
        troubles=plan.problems,
        failed=tuple(list_failed_hosts(given.hosts, chosen, plan.problems)),
        advice=tuple(explain_shared_files(plan)),
    )


def _plan_setup(given: PlanInput, root: Path, person: UserPaths) -> InitOutput:
    chosen = choose_hosts(given.hosts, root, person)
    launch = hosts.Launch.detect(person)
    plan = plan_setup(given, chosen, launch, root, person)
    missing = () if chosen else (report_no_host(),)
    changed = chosen if plan.changes else ()
    return InitOutput(
        root=str(root),
        planned=True,
        removed=False,
        hosts=to_detected_hosts(chosen, root, person),
        changes=to_change_rows((*plan_gitignore(root, hidden=False), *plan.changes)),
        standing=plan.unchanged,
        troubles=(*missing, *plan.problems),
        failed=tuple(list_failed_hosts(given.hosts, chosen, plan.problems)),
        offers=() if given.allow_tools else list_offers(chosen, root, person, user=given.user),
        advice=tuple(list_advice(given, launch, plan.problems, chosen, changed)),
    )


CHECK_GROUP = "mcp"
SERVER_FAILS = frozenset({"mcp.server.fails", "mcp.http.fails"})
"""Kinds of the findings of a server that does not start or answer; the message ends with `, for ` and the titles."""
_CONSEQUENCES = frozenset({"mcp.config.none", "mcp.config.unconnected", "mcp.references.server"})
"""Findings that follow from an entry that could not be written, which is reported already."""
_BAD_STATUSES = frozenset({"warn", "fail"})
_DOCTOR_HINT = "Run `aur doctor` for details."


def check_setup(context: Context, troubles: Sequence[ConfigProblem], url: str = "") -> tuple[GroupRow, ...]:
    """Run the doctor's checks of the assistants' files.

    Args:
        context: context of the call.
        troubles: problems that are reported already and are left out of the findings.
        url: the address that the person named, which may be asked.
    """
    report = doctor.examine_project(build_doctor_context(context, url), (CHECK_GROUP,))
    return tuple(
        group.model_copy(update={"findings": tuple(_soften_findings(group.findings, troubles))})
        for group in to_group_rows(report)
    )


def _soften_findings(findings: Iterable[FindingRow], troubles: Sequence[ConfigProblem]) -> Iterator[FindingRow]:
    """Turn failures into warnings; drop what is reported already."""
    reported_places = {trouble.where for trouble in troubles if trouble.where}
    for finding in findings:
        if finding.status not in _BAD_STATUSES:
            yield finding
            continue
        place = finding.message.partition(": ")[0]
        is_consequence = bool(troubles) and finding.kind in _CONSEQUENCES
        if place not in reported_places and not is_consequence:
            yield finding.model_copy(update={"status": "warn", "steps": (*finding.steps, _DOCTOR_HINT)})


def find_connected_hosts(candidates: Iterable[Host], root: Path, person: UserPaths) -> Iterator[Host]:
    """Find the hosts whose configuration starts Aurora in this project."""
    for host in candidates:
        if any(state.status == "connected" for state in hosts.read_host_states(host, root, person)):
            yield host


_USER_FOLDERS = frozenset({"workflows"})
"""Folders in `.aurora/` that the project's people have written."""


def remove_init(given: RemoveInput, context: Context) -> InitOutput:
    """Remove Aurora from a project; report what fails, and do the rest.

    Raises:
        Fault: NOT_FOUND for a host that does not exist; INVALID_INPUT in the home folder.
    """
    root, person = context.root, hosts.UserPaths.from_environment()
    chosen = choose_hosts(given.hosts, root, person) if given.hosts else hosts.HOSTS
    made = hosts.plan_removal(root, person, chosen, hosts.HOSTS)
    troubles = [*made.problems]
    changes = [*_write_changes(made.changes, root, person, troubles)]
    if given.with_memory:
        # First closed: a memory writes its last uses then.
        context.project.close()
        changes += _delete_data(root, troubles)
    # The note tells hooks where to ask; another host may still have some.
    if not hosts.find_hooked_hosts(root, person):
        remove_note(root)
    if is_last_removal(chosen, root, person):
        changes += _write_changes(plan_gitignore(root, hidden=True), root, person, troubles)
    return InitOutput(
        root=str(root),
        planned=False,
        removed=True,
        hosts=(),
        changes=tuple(changes),
        troubles=tuple(troubles),
        advice=tuple(explain_shared_files(made)),
    )


def is_last_removal(chosen: Sequence[Host], root: Path, person: UserPaths) -> bool:
    """Return whether no other host has anything of Aurora's, so that git may hide its folder."""
    others = [host for host in hosts.HOSTS if host not in chosen]
    return not others or not hosts.plan_removal(root, person, others, hosts.HOSTS).changes


def _delete_data(root: Path, troubles: list[ConfigProblem]) -> Iterator[ChangeRow]:
    """Delete Aurora's data in `.aurora/`; keep the backups of hosts' files while a problem is left."""
    folder, database = root / files.DATA_FOLDER, files.database_path(root)
    # AURORA_DB may name a file that other projects use too.
    if database.exists() and not database.resolve().is_relative_to(folder):
        message = f'the memory is outside the project, in "{database.resolve()}", and was not deleted'
        troubles.append(
            hosts.ConfigProblem(host="", where="", message=message, help="Delete it if no other project uses it.")
        )
    # What is behind a link is not this project's.
    if folder.is_symlink() or not folder.is_dir():
        return
    kept_names = _USER_FOLDERS | ({"backups"} if troubles else set())
    if any((folder / name).exists() for name in kept_names):
        kept_names |= {".gitignore"}
    for path in sorted(folder.iterdir()):
        if path.name not in kept_names:
            yield from _delete_path(path, f"{files.DATA_FOLDER}/{path.name}", troubles)
    if not any(folder.iterdir()):
        folder.rmdir()


def _delete_path(path: Path, display_path: str, troubles: list[ConfigProblem]) -> Iterator[ChangeRow]:
    try:
        with guard_commit():
            # A link is deleted, and not what it leads to.
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        troubles.append(
            hosts.ConfigProblem(
                host="",
                where=display_path,
                message=f'"{display_path}" cannot be deleted: {error.strerror or error}',
                help="Close the programs that use it, and run the command again.",
            )
        )
    else:
        yield ChangeRow(path=display_path, action="delete", why=("--with-memory",), diff="")


TOOLS = (
    Tool(
        name="init.run",
        title="Set up a project",
        description=(
            "Find the assistants in use and give each the entry that starts Aurora in this project, with a slash "
            "command, a skill and a note where it reads them. The rest of their files stays the same, byte for byte, "
            "and each file is backed up in .aurora/backups/hosts/ first. Then the project is indexed, and the doctor "
            "checks the result and starts the server. Running it again changes nothing."
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
    ),
    Tool(
        name="init.plan",
        title="Plan the setup",
        description=(
            "Find the assistants in use, and show as diffs what would be written for them into this project and into "
            "your own files. Nothing is written."
        ),
        input=PlanInput,
        output=InitOutput,
        run=plan_init,
        family="admin",
        risk="read",
        idempotent=True,
        timeout=60.0,
        examples=(Example("For one assistant", {"hosts": ["claude-code"]}),),
    ),
    Tool(
        name="init.remove",
        title="Remove Aurora from a project",
        description=(
            "Remove from the assistants' files everything that `aur init` wrote for this project. A file that was not "
            "edited since is restored byte for byte; from any other only Aurora's own part is removed. Memory and runs "
            "stay unless with_memory is set."
        ),
        input=RemoveInput,
        output=InitOutput,
        run=remove_init,
        family="admin",
        risk="high",
        idempotent=True,
        timeout=300.0,
        examples=(Example("From one assistant", {"hosts": ["claude-code"]}),),
    ),
)
