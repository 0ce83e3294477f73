"""Hosts to set up, rows of the changes to their files, and the ignore rules of `.aurora/`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from aurora import hosts
from aurora.errors import ArgumentFault, Code, Fault, quote_names
from aurora.memory.files import DATA_FOLDER, GITIGNORE_TEXT
from aurora.system.paths.read import read_plain
from aurora.tools import files
from aurora.tools.catalog.skill import render_skill

from .model import AllowanceOffer, ChangeRow, DetectedHost

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from pathlib import Path

    from aurora.hosts import ChangePlan, ConfigProblem, ExtraKind, FileChange, Host, Launch, RemoteServer, UserPaths

    from .model import InitInput, PlanInput


_MAX_DIFF_LINES = 60
"""Lines of a diff that are shown: the skill whole."""


def choose_hosts(names: tuple[str, ...], root: Path, person: UserPaths) -> tuple[Host, ...]:
    """Return the hosts of these names, or without names those in use.

    Raises:
        Fault: NOT_FOUND for a name that no host has; INVALID_INPUT when the project is the person's home.
    """
    # A memory of the home folder would index all projects and everything else in it.
    nowhere = person.describe_unusable_root(root)
    if nowhere:
        raise Fault(
            Code.INVALID_INPUT,
            f"{nowhere} is not a project",
            help="Run it in the project's folder, or name the folder with --project.",
        )
    return hosts.get_hosts(names) if names else hosts.find_used_hosts(root, person)


def list_left_out(given: InitInput | PlanInput) -> tuple[ExtraKind, ...]:
    """List the kinds of files that the person does not want."""
    unwanted: list[ExtraKind] = [] if given.notes else ["note"]
    return (*unwanted, *(() if given.skill else ("skill",)))


def plan_setup(
    given: InitInput | PlanInput, chosen: Iterable[Host], launch: Launch, root: Path, person: UserPaths
) -> ChangePlan:
    """Plan the changes of the hosts' files that the person wants."""
    return hosts.plan_changes(
        root,
        person,
        chosen,
        launch,
        remote=read_remote(given),
        user=given.user,
        skill=render_skill(),
        allow_tools=given.allow_tools,
        hooks=given.hooks,
        left_out=list_left_out(given),
    )


def read_remote(given: InitInput | PlanInput) -> RemoteServer | None:
    """Read the server over HTTP; None when the hosts start one.

    Raises:
        Fault: INVALID_INPUT for a wrong address or variable.
    """
    if given.token_env and not given.url:
        message = "a token needs the address of a server"
        raise ArgumentFault(Code.INVALID_INPUT, message, help="Pass --url with --token-env.")
    if given.url and given.hooks:
        raise ArgumentFault(
            Code.INVALID_INPUT,
            "hooks ask a server on this machine, and not one at an address",
            help="Leave out --hooks or --url.",
        )
    return hosts.RemoteServer.parse(given.url, given.token_env) if given.url else None


def list_failed_hosts(
    names: Container[str], chosen: Iterable[Host], problems: Iterable[ConfigProblem]
) -> Iterator[str]:
    """List the named hosts with a problem in one of their files.

    Args:
        names: the hosts that the person named.
        chosen: the hosts.
        problems: problems of the plan, which name the host, and of writing, which name the file.
    """
    troubled = {problem.host for problem in problems} | {problem.where.partition(":")[0] for problem in problems}
    for host in chosen:
        files = {host.name, *host.project, *(extra.path for extra in host.extras)}
        if host.name in names and files & troubled:
            yield host.name


def explain_shared_files(plan: ChangePlan) -> Iterator[str]:
    """Explain which files a removal leaves, since other hosts read them."""
    for path, titles in plan.shared.items():
        yield f"{path} stays: {' and '.join(titles)} {'reads' if len(titles) == 1 else 'read'} it too."


def list_advice(
    given: InitInput | PlanInput,
    launch: Launch,
    problems: Sequence[ConfigProblem],
    chosen: Sequence[Host],
    changed: Iterable[Host],
) -> Iterator[str]:
    """List the steps that are left for the person.

    Args:
        given: the person's wishes.
        launch: the command that starts the server.
        problems: what blocked a change.
        chosen: the hosts.
        changed: those that read a changed file, and may ask the person to approve the server.
    """
    troubled = {problem.host for problem in problems}
    if given.url:
        yield from advise_on_token(given.token_env, [host for host in chosen if host.name not in troubled])
    elif chosen and not given.user:
        yield from warn_unshared_program(launch)
    if given.allow_tools:
        yield from advise_on_allowance(chosen, problems)
    if given.hooks:
        yield from advise_on_hooks(chosen, problems)
    yield from list_approvals(changed, user=given.user)


def advise_on_token(name: str, chosen: Iterable[Host]) -> Iterator[str]:
    """Explain where the hosts get the token from."""
    titles = [host.title for host in chosen]
    if not name or not titles:
        return
    yield (
        f"The files name the variable {name}, not the token. Set it where {', '.join(titles)} "
        f"start{'s' if len(titles) == 1 else ''}; Aurora neither stores nor prints it."
    )
    for host in chosen:
        if host.http is not None and host.http.note:
            yield f"{host.title}: {host.http.note}"


def list_approvals(chosen: Iterable[Host], *, user: bool) -> Iterator[str]:
    """List what the person must still approve or do in each host; most concerns a project's file."""
    for host in chosen:
        if host.advice and not (user and host.project):
            yield f"{host.title}: {host.advice}"


def to_detected_hosts(chosen: Iterable[Host], root: Path, person: UserPaths) -> tuple[DetectedHost, ...]:
    """Convert hosts to rows with the evidence that each is in use."""
    return tuple(
        DetectedHost(name=host.name, title=host.title, found=hosts.find_evidence(host, root, person)) for host in chosen
    )


def to_change_rows(changes: Iterable[FileChange]) -> tuple[ChangeRow, ...]:
    """Convert file changes to rows of the output."""
    return tuple(
        ChangeRow.model_validate(
            {
                "path": change.display_path,
                "action": change.action,
                "why": change.reasons,
                "diff": _shorten_diff(change.to_diff()),
            }
        )
        for change in changes
    )


def _shorten_diff(diff: str) -> str:
    lines = diff.splitlines(keepends=True)
    left = len(lines) - _MAX_DIFF_LINES
    return diff if left <= 0 else "".join((*lines[:_MAX_DIFF_LINES], f"… {left:,} more lines\n"))


def add_doctor_hint(trouble: ConfigProblem) -> ConfigProblem:
    """Add a hint at `aur doctor` to the help of a problem."""
    if "`aur doctor`" in trouble.help:
        return trouble
    return replace(trouble, help=f"{trouble.help.rstrip('.')}; `aur doctor` shows details.")


def list_offers(chosen: Iterable[Host], root: Path, person: UserPaths, *, user: bool) -> tuple[AllowanceOffer, ...]:
    """List the hosts whose settings could allow the default tools and do not."""
    offers = []
    for host in chosen:
        rules = hosts.list_missing_rules(host, root, person, user=user)
        if rules and host.allowance is not None:
            offers.append(
                AllowanceOffer(
                    host=host.name,
                    title=host.title,
                    path=host.allowance.path,
                    rules=rules,
                    note=host.allowance.note,
                )
            )
    return tuple(offers)


def advise_on_allowance(chosen: Iterable[Host], problems: Iterable[ConfigProblem]) -> Iterator[str]:
    """Explain what the allowance means, and how to allow the tools by hand where that is known.

    Args:
        chosen: the hosts.
        problems: the files that cannot be changed, where no tool is allowed.
    """
    troubled = {problem.where.partition(":")[0] for problem in problems}
    for host in chosen:
        if host.allowance is not None:
            if host.allowance.path in troubled:
                continue
            yield (
                f"{host.title} runs aurora_query, aurora_search and aurora_get without asking: they read this project "
                f"and store runs in .aurora/. {host.allowance.note}"
            )
        else:
            reason = host.allow_by_hand or "Aurora knows no setting of it that allows tools."
            yield f"{host.title} is not changed. {reason}"


def advise_on_hooks(chosen: Iterable[Host], problems: Iterable[ConfigProblem]) -> Iterator[str]:
    """Explain what the hooks do, and which assistants have none.

    Args:
        chosen: the hosts.
        problems: the files that cannot be changed, where no hook is written.
    """
    troubled = {problem.where.partition(":")[0] for problem in problems}
    for host in chosen:
        if host.hooks is None:
            yield f"{host.title} is not changed: Aurora knows no hooks of it."
        elif host.hooks.path not in troubled:
            shown = "and shows which" if host.hooks.shows_message else "and does not show which"
            yield (
                f"{host.title} gets at most 600 tokens from Aurora's memory {host.hooks.describe_events()}, {shown}; "
                f'`aur hook user-prompt --prompt "TEXT"` does. {host.hooks.note}'
            )


def report_no_host() -> ConfigProblem:
    """Report that no host is in use."""
    return hosts.ConfigProblem(
        host="",
        where="",
        message="no assistant was found, neither in the project nor among your files and programs",
        help=f"Name yours with --hosts; known are {quote_names(host.name for host in hosts.HOSTS)}.",
    )


def warn_unshared_program(launch: Launch) -> tuple[str, ...]:
    """Warn when a file that a team shares names a program of this machine only."""
    if launch.is_portable:
        return ()
    warning = (
        f"The project's files name {launch.shared[0]}: `aur` is on PATH only in a virtual environment, or not at all. "
        "Install it with `uv tool install` or pipx and run `aur init` again, so that the files work for everyone."
    )
    return (warning,)


GITIGNORE_PATH = f"{DATA_FOLDER}/.gitignore"
_SHOWN_REASON = "keeps the memory and the runs out of the repository"
_MAX_BYTES = 100_000
"""Bytes that are read of the file; Aurora's own has some 50."""
_HIDDEN_REASON = "hides the memory, the runs and this file from git"
_SELF_RULE = "!.gitignore\n"
_HIDDEN_GITIGNORE = GITIGNORE_TEXT.replace(_SELF_RULE, "")
"""The same rules, which ignore the file itself too; workflows stay visible to git."""


def plan_gitignore(root: Path, *, hidden: bool) -> tuple[FileChange, ...]:
    """Plan the rules that git tracks, or, where git does not track them, rules that hide themselves too."""
    path = root / GITIGNORE_PATH
    # a file that cannot be read, or is a link, is left as it is
    current = (read_plain(path, _MAX_BYTES) or b"").decode("utf-8", "replace") if os.path.lexists(path) else None
    if hidden:
        # Rules that git tracks are the team's, and edited ones are a person's: neither is replaced.
        if current != GITIGNORE_TEXT or _is_tracked(root):
            return ()
        text, why = _HIDDEN_GITIGNORE, _HIDDEN_REASON
    elif current in {None, _HIDDEN_GITIGNORE}:
        text, why = GITIGNORE_TEXT, _SHOWN_REASON
    else:
        return ()
    before = None if current is None else current.encode("utf-8")
    return (hosts.FileChange(path, GITIGNORE_PATH, before, text.encode("utf-8"), (why,)),)


def _is_tracked(root: Path) -> bool:
    """Return whether git does not list the file as new: it tracks it, or there is no git here."""
    try:
        tree = files.open_worktree(root)
        return tree is None or tree.is_tracked(GITIGNORE_PATH)
    except Fault:  # git is not installed, or cannot be used here
        return True
