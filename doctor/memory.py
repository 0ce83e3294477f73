"""Checks of the memory database, its embeddings and the grammars."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.memory import Memory, database_path, find_server, list_foreign, records_path, settle_files
from aurora.memory.embeddings import get_embedder, get_load_error
from aurora.memory.indexing.views import list_views, remove_unused_views
from aurora.memory.maintenance import check_memory, check_store, measure_maintenance
from aurora.memory.parsing.grammar import parse_source
from aurora.memory.parsing.languages import LANGUAGES, load_language

from .model import report_failure, report_nothing, report_pass, report_skip, report_warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.maintenance import Finding as Problem

    from .model import DoctorContext, Finding

_INDEX_STEP = "Run `aur mem index`."
_REINSTALL_STEP = (
    "Reinstall Aurora: `uv tool install --reinstall .` in a clone of it, or `pip install --force-reinstall .`."
)


def check_database(context: DoctorContext) -> Iterator[Finding]:
    """Check that the database exists and opens read-only, and name those that another account made."""
    for other in list_foreign(database_path(context.root, context.environ)):
        message = f'"{other}" is a memory that this account did not make, and is not opened'
        step = f"Run `aur mem adopt {shlex.quote(str(other))}` to take over its facts and patterns, or delete it."
        yield report_warning("memory.opens.foreign", message, step)
    if not _has_memory(context):
        message = f"there is no memory yet: {_name_missing(context)}"
        yield report_warning("memory.opens.none", message, _INDEX_STEP, fix=update_index)
        return
    with _open_memory(context) as memory:
        stats = memory.stats()
    chunks = sum(stats.chunks.values())
    place = stats.path if memory.server else _display_path(context)
    yield report_pass(f"{place} opens; chunks: {chunks:,}, files: {stats.files:,}, runs: {stats.runs:,}")


def check_integrity(context: DoctorContext) -> Iterator[Finding]:
    """Check the integrity of the database."""
    if not _has_memory(context):
        yield report_skip("memory.whole.none", "there is no memory to check yet")
        return
    for problem in _list_problems(context):
        if problem.unfinished:
            yield report_warning(
                "memory.whole.unfinished", problem.message, f"Run `{problem.remedy}`.", fix=update_index
            )
        else:
            yield report_failure(
                "memory.whole.torn",
                problem.message,
                f"Run `{problem.remedy}`; it keeps a copy of the damaged database.",
            )


def _list_problems(context: DoctorContext) -> tuple[Problem, ...]:
    """List what is damaged or unfinished in the memory."""
    if find_server(context.environ) is None:
        return check_memory(database_path(context.root, context.environ))
    with _open_memory(context) as memory:
        return check_store(memory.store)


def check_freshness(context: DoctorContext) -> Iterator[Finding]:
    """Check that the files have not changed since they were indexed."""
    if not _has_memory(context):
        yield report_skip("memory.fresh.none", "there is no memory to compare with the files yet")
        return
    with _open_memory(context) as memory:
        state = measure_maintenance(memory.store, context.root)
    counts = {"changed": state.changed, "new": state.new, "deleted": state.gone}
    if state.changed is None:
        yield report_warning(
            "memory.fresh.never", "the project has not been indexed yet", _INDEX_STEP, fix=update_index
        )
    elif any(counts.values()):
        message = ", ".join(f"{count:,} {change}" for change, count in counts.items() if count)
        yield report_warning(
            "memory.fresh.behind", f"the memory is out of date: {message}", _INDEX_STEP, fix=update_index
        )
    elif state.new is None:  # none of those that were read belongs into the index
        yield report_pass("no indexed file has changed; there are too many others to read them all")
    else:
        yield report_pass("the memory is up to date with the files")


def check_worktrees(context: DoctorContext) -> Iterator[Finding]:
    """Check the indexes of the repository's linked worktrees."""
    shared = records_path(context.root, context.environ)
    views = list_views(shared)
    if not views:
        yield report_nothing("the repository has no linked worktree with an index")
        return
    shown = ", ".join(f"{view.name} ({view.branch or 'no branch'}, {view.state})" for view in views if view.is_used)
    yield report_pass(
        f"linked worktrees: {shown or 'none'}; their indexes have {sum(view.size_bytes for view in views):,} bytes"
    )
    for view in views:
        if not view.is_used:
            message = f'the worktree "{view.name}" is gone; its index has {view.size_bytes:,} bytes'
            step = "Run `aur doctor --fix`; its facts and runs are in the memory of the repository."
            yield report_warning("memory.worktrees.unused", message, step, fix=remove_views)
        elif view.state == "unreadable":
            message = f'the index of the worktree "{view.name}" cannot be opened'
            step = f'Run `aur mem repair` in "{view.root or view.name}"; facts and runs are in another file.'
            yield report_warning("memory.worktrees.unreadable", message, step)


def check_embeddings(context: DoctorContext) -> Iterator[Finding]:
    """Check that a text can be embedded; the weights are part of the installation."""
    del context
    model = get_embedder()
    if model is None:
        message = f"texts cannot be embedded, so search uses terms only: {get_load_error()}"
        yield report_failure("memory.meaning.absent", message, _REINSTALL_STEP)
        return
    model.warm_up()
    # Empty weights load without an error.
    if not model.embed(["where is the parser", "reads option strings"]).any(axis=1).all():
        message = "embeddings are all zeros, so search uses terms only: the weights are empty"
        yield report_failure("memory.meaning.empty", message, _REINSTALL_STEP)


def check_grammars(context: DoctorContext) -> Iterator[Finding]:
    """Check that the grammar of each parsed language loads."""
    del context
    missing = {}
    for name in LANGUAGES:
        try:
            parse_source(load_language(name).grammar, b"\n")
        except Exception as error:  # noqa: BLE001 - a library for another machine fails in its own ways
            missing[name] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    for name, reason in missing.items():
        message = f"{name} cannot be parsed, and is read as plain text: {reason}"
        yield report_warning("memory.grammars.missing", message, _REINSTALL_STEP)
    if len(missing) < len(LANGUAGES):
        yield report_pass(
            f"{len(LANGUAGES) - len(missing)} grammars load: " + ", ".join(sorted(set(LANGUAGES) - set(missing)))
        )


def update_index(context: DoctorContext) -> Iterator[str]:
    """Update the index; yield a summary."""
    with Memory.open_project(context.root, context.environ) as memory:
        report = memory.index(context.root, progress=context.progress)
    counts = f"{report.added:,} new, {report.changed:,} changed, {report.removed:,} deleted"
    yield f"indexed the project: {counts}; chunks: {report.chunks:,}"


def remove_views(context: DoctorContext) -> Iterator[str]:
    """Remove the indexes of worktrees that are gone; yield their names."""
    for name in remove_unused_views(records_path(context.root, context.environ)):
        yield f'removed the index of the worktree "{name}"'


def _has_memory(context: DoctorContext) -> bool:
    """Return True if the database exists, or the server has its tables."""
    if find_server(context.environ) is None:
        return settle_files(database_path(context.root, context.environ), moves=False)
    try:
        _open_memory(context).close()
    except Fault as fault:
        # Another fault is a memory that does not open, which the check reports.
        if fault.code is not Code.NOT_FOUND:
            raise
        return False
    return True


def _open_memory(context: DoctorContext) -> Memory:
    return Memory.open_project(context.root, context.environ, read_only=True)


def _name_missing(context: DoctorContext) -> str:
    server = find_server(context.environ)
    return f'"{_display_path(context)}" does not exist' if server is None else f'"{server.place}" has no tables of one'


def _display_path(context: DoctorContext) -> str:
    path = database_path(context.root, context.environ)
    return path.relative_to(context.root).as_posix() if path.is_relative_to(context.root) else str(path)
