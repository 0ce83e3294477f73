"""Tools on the state of the memory: `mem.stats`, `mem.check`, `mem.repair` and `mem.rebuild`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from aurora import memory
from aurora.memory import maintenance
from aurora.memory.indexing.views import list_views
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

from .backup import ONE_MEMORY, ONLY_BEFORE, locate_database_file
from .hits import SkippedFile
from .index import IndexOutput, to_index_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.maintenance import Finding
    from aurora.tools.core import Context


class StatsInput(StrictModel):
    """Further lists."""

    left_out: bool = Field(default=False, description="List the files that are not indexed, with the reasons.")
    limit: int = Field(default=200, ge=1, le=100_000, description="Most files of that list; all are counted.")


class ViewRow(StrictModel):
    """Index of a linked worktree; size in bytes."""

    name: str = Field(description="Git's name for the worktree.")
    root: str = Field(description="The worktree; empty before its first indexing.")
    branch: str
    commit: str
    state: str = Field(description="As `state`, or `unreadable`.")
    files: int
    size_bytes: int
    exists: bool = Field(description="False when the worktree is gone; the next start of a view removes its index.")


class StatsOutput(StrictModel):
    """Counts by type and language; sizes in bytes; times in ISO 8601, UTC."""

    path: str
    schema_version: int
    size_bytes: int
    files: int
    chunks: dict[str, int]
    languages: dict[str, int]
    vectors: int
    runs: int
    indexed_at: str | None
    commit: str = Field(default="", description="Commit of the last indexing of the whole tree; empty without git.")
    branch: str = Field(default="", description="Branch at that time; empty without one.")
    root: str | None
    state: str = Field(description="Of the index: `complete`, `partial`, `running`, `stopped`, `never`.")
    changed: int | None = Field(description="Files changed since the last indexing; null when they cannot be compared.")
    new: int | None = Field(description="Files added since.")
    gone: int | None = Field(description="Files deleted since.")
    sizes: dict[str, int] = Field(description="Bytes by part: text, words, vectors, graph, journal, other, free, log.")
    accesses: int = Field(description="Recorded uses of chunks.")
    used: int = Field(description="Chunks used at least once.")
    shared: str = Field(description="Database with facts, patterns and runs: `path`, or in a linked worktree another.")
    views: tuple[ViewRow, ...] = Field(description="Indexes of the repository's linked worktrees.")
    encodings: dict[str, int] = Field(description="Files that are not UTF-8, by guessed encoding.")
    skipped: dict[str, int] = Field(default={}, description="With `left_out`: skipped files, counted by reason.")
    skipped_files: tuple[SkippedFile, ...] = Field(default=(), description="With `left_out`, sorted by path.")


def read_stats(given: StatsInput, context: Context) -> StatsOutput:
    """Count the contents of the memory."""
    memory = context.project.memory
    stats = memory.stats()
    more = maintenance.measure_maintenance(memory.store, context.root)
    skipped = maintenance.list_left_out(memory.store, context.root) if given.left_out else ()
    views = list_views(memory.shared_store.path)
    return StatsOutput.from_value(
        stats,
        more,
        shared=memory.server or str(memory.shared_store.path),
        views=tuple(ViewRow.from_value(view, exists=view.is_used) for view in views),
        skipped=dict(sorted(Counter(one.reason for one in skipped).items())),
        skipped_files=skipped[: given.limit],
    )


_STATS = Tool(
    name="mem.stats",
    title="Count the contents of the memory",
    description=(
        "Counts of files, chunks by type, languages, vectors and runs; the size of each part; when the project was "
        "last indexed, and how many files were changed, added and deleted since; the indexes of linked worktrees."
    ),
    input=StatsInput,
    output=StatsOutput,
    run=read_stats,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=30.0,
    phases=True,
    examples=(Example("All of it", {}), Example("What is not indexed, and why", {"left_out": True})),
    mcp="aurora_mem_stats",
    command=Command("mem stats", "Show the figures of the memory."),
)


class NoInput(StrictModel):
    """No input."""


_NONE_YET = "There is no memory yet: run `aur mem index` to create it."


class FindingRow(StrictModel):
    """Fault in the memory, with its remedy."""

    part: str = Field(description="`file`, `text`, `words`, `vectors`, `graph` or `journal`.")
    message: str
    remedy: str = Field(description="The command that fixes it.")


class CheckedCounts(StrictModel):
    """Rows that were checked."""

    files: int
    chunks: int
    nodes: int = Field(description="Definitions, files and sections in the code graph.")
    vectors: int
    runs: int


class CheckOutput(StrictModel):
    """Findings; `ok` when nothing is wrong."""

    path: str
    ok: bool
    findings: tuple[FindingRow, ...] = Field(description="Faults in the memory.")
    unfinished: tuple[FindingRow, ...] = Field(description="Stopped or running work; the next run completes it.")
    counts: CheckedCounts | None = Field(default=None, description="Of an intact memory; null for any other.")
    note: str = ""


def check_memory(given: NoInput, context: Context) -> CheckOutput:
    """Check the integrity of the whole memory; change nothing.

    Raises:
        Fault: CONFLICT for a database of a newer version or another program.
    """
    del given
    if context.project.server is not None:
        opened = context.project.memory
        found = maintenance.check_store(opened.store, context.progress)
        return _build_output(opened.server or "", found, context, has_memory=opened.has_been_indexed())
    database = memory.database_path(context.root)
    has_memory = memory.settle_files(database, moves=not context.project.read_only)
    found = maintenance.check_memory(database, context.progress) if has_memory else ()
    return _build_output(str(database), found, context, has_memory=has_memory)


def _build_output(path: str, found: Sequence[Finding], context: Context, *, has_memory: bool) -> CheckOutput:
    is_intact = all(one.unfinished for one in found)
    return CheckOutput(
        path=path,
        ok=is_intact,
        counts=_count_rows(context) if is_intact and has_memory else None,
        findings=tuple(FindingRow.from_value(one) for one in found if not one.unfinished),
        unfinished=tuple(FindingRow.from_value(one) for one in found if one.unfinished),
        note="" if has_memory else _NONE_YET,
    )


def _count_rows(context: Context) -> CheckedCounts:
    stats = context.project.memory.stats()
    return CheckedCounts.from_value(stats, chunks=sum(stats.chunks.values()))


_CHECK = Tool(
    name="mem.check",
    title="Check the memory's integrity",
    description=(
        "Check the integrity of the whole memory: the database file, the words and vector of every chunk, both ends of "
        "every link of the code graph, every run. Each finding names its remedy."
    ),
    input=NoInput,
    output=CheckOutput,
    run=check_memory,
    family="admin",
    risk="read",
    idempotent=True,
    timeout=600.0,
    phases=True,
    examples=(Example("All of it", {}),),
    aliases=(Alias("check_graph_integrity", unused=ONE_MEMORY),),
    mcp="aurora_mem_check",
    command=Command("mem check", "Check the integrity of the database."),
)


class RepairInput(StrictModel):
    """Backup to begin with."""

    backup: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Replace the memory by this backup first, by its name; by default repair the memory as it is.",
    )


class RepairOutput(StrictModel):
    """Faults before and after, and losses; `ok` when nothing is wrong now."""

    path: str
    ok: bool
    found: tuple[FindingRow, ...] = Field(description="Faults and unfinished work before the repair.")
    left: tuple[FindingRow, ...] = Field(description="Faults and unfinished work after it.")
    set_aside: str | None = Field(description="New path of the damaged database.")
    restored: str | None = Field(description="The backup that replaced the memory before the repair.")
    backup: str | None = Field(
        description="The backup of the previous state, after a restore or a repair in place; null if nothing changed."
    )
    only_before: dict[str, int] = Field(description=ONLY_BEFORE)
    saved: dict[str, int] = Field(description="Rows read from the damaged database, by table.")
    from_backup: dict[str, int] = Field(description="Rows taken from the newest backup, by table.")
    backup_used: str | None = Field(description="That backup.")
    backup_made_at: str | None = Field(description="Its time: what was written later and could not be read is lost.")
    lost: tuple[str, ...] = Field(description="Losses, by name or number.")
    earlier: str | None = Field(description="After losses, the newest backup from before the repair.")
    files: int | None = Field(description="Files that were checked or indexed again; null when nothing had to be done.")


def repair_memory(given: RepairInput, context: Context) -> RepairOutput:
    """Repair the memory, and index the project's files again.

    Raises:
        Fault: NOT_FOUND when there is no memory or no such backup, CONFLICT for one of a newer version or another
            program's.
    """
    name = given.backup
    restored = memory.restore_backup(locate_database_file(context), name) if name is not None else None
    path, done = _repair(context)
    damaged = (restored and restored.damaged_path) or done.damaged_path
    previous = (restored and restored.previous_backup) or done.previous_backup
    return RepairOutput.from_value(
        done,
        path=path,
        ok=all(one.unfinished for one in done.remaining),
        left=done.remaining,
        restored=restored.backup.name if restored else None,
        set_aside=str(damaged) if damaged else None,
        backup=previous.name if previous else None,
        only_before=dict(restored.only_before) if restored else {},
        backup_used=done.backup.name if done.backup else None,
        backup_made_at=done.backup.made_at if done.backup else None,
        earlier=_find_earlier_backup(context, done, previous),
        files=done.indexed.files if done.indexed else None,
    )


def _repair(context: Context) -> tuple[str, maintenance.RepairResult]:
    """Repair the memory where it is; return its place and the result."""
    if context.project.server is not None:
        opened = context.project.memory.store
        path = opened.server or str(memory.database_path(context.root))
        return path, maintenance.repair_store(opened, context.root, context.progress)
    database = memory.database_path(context.root)
    return str(database), maintenance.repair_memory(database, context.root, context.progress)


def _find_earlier_backup(
    context: Context, done: maintenance.RepairResult, previous: memory.Backup | None
) -> str | None:
    """Find the newest backup that may have what is lost, unless the repair has used one."""
    if not done.lost or done.backup is not None or context.project.server is not None:
        return None
    names = [one.name for one in memory.list_backups(locate_database_file(context))]
    return next((name for name in names if previous is None or name != previous.name), None)


_REPAIR = Tool(
    name="mem.repair",
    title="Repair the memory",
    description=(
        "Repair a damaged memory. Words, vectors, links and code are rebuilt from the project's files. A corrupt "
        "database is moved aside, never deleted; facts, patterns and runs are taken from it and from the newest "
        "backup. Losses are listed. With `backup`, that backup replaces the memory first, and the previous state is "
        "backed up."
    ),
    input=RepairInput,
    output=RepairOutput,
    run=repair_memory,
    family="admin",
    risk="high",
    idempotent=True,
    timeout=3600.0,
    jobs=True,
    examples=(Example("Repair what is damaged", {}),),
    aliases=(Alias("repair_graph", unused=ONE_MEMORY),),
    mcp="aurora_mem_repair",
    command=Command(
        "mem repair",
        "Repair the database; damaged records are set aside.",
        question="This replaces the memory by the backup; the memory is backed up first. Restore?",
        question_field="backup",
    ),
)


def rebuild_memory(given: NoInput, context: Context) -> IndexOutput:
    """Delete everything that came from files, and index the project again.

    Raises:
        Fault: as for indexing; then nothing is deleted.
    """
    del given
    if context.project.server is not None:
        done = maintenance.rebuild_index(context.project.memory.store, context.root, context.progress)
    else:
        done = maintenance.rebuild_memory(memory.database_path(context.root), context.root, context.progress)
    return to_index_output(done)


_REBUILD = Tool(
    name="mem.rebuild",
    title="Rebuild the index",
    description=(
        "Delete the code and documents that came from files, with their words, vectors and links, and index all files "
        "again. Facts, patterns, runs and recorded uses stay as they are."
    ),
    input=NoInput,
    output=IndexOutput,
    run=rebuild_memory,
    family="admin",
    risk="write",
    idempotent=True,
    timeout=3600.0,
    jobs=True,
    aliases=(Alias("ag_rebuild"),),
    examples=(Example("All of it", {}),),
    mcp="aurora_mem_rebuild",
    command=Command("mem rebuild", "Index the project again; facts and runs are kept."),
)


TOOLS = (_STATS, _CHECK, _REPAIR, _REBUILD)
