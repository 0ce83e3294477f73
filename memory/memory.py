"""Memory of a project: open, index, search, get, remember, journal."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from aurora.errors import Fault
from aurora.memory import embeddings, search, usage
from aurora.memory.database import BUSY_TIMEOUT, find_server, open_server, open_store, open_view
from aurora.memory.files import DATA_FOLDER, database_path, is_view
from aurora.memory.model.chunks import Chunk
from aurora.memory.model.reports import Stats
from aurora.memory.search import CHUNK_TYPES, INDEX_STEP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from aurora.memory.graph.diff import Change
    from aurora.memory.graph.graph import Graph
    from aurora.memory.indexing.freshness import FreshnessMonitor
    from aurora.memory.model.chunks import ChunkType, SearchResult
    from aurora.memory.model.reports import IndexReport, ServerAddress
    from aurora.memory.records import Journal, StoredAnswer
    from aurora.memory.search import Searcher
    from aurora.memory.storage.store import Store
    from aurora.memory.usage import ChunkActivation

    Progress = Callable[[float, float | None, str], None]


class Memory:
    """Memory of one project, in a SQLite file or in a database server; a context manager, thread-safe.

    Every method may raise the faults of `sqlite.errors` and `postgres.errors`: TIMEOUT when another process locks the
    database for too long, FORBIDDEN when it may not be written, UPSTREAM_ERROR when it is damaged or not reachable.

    Each part is imported on first use, so that a command pays only for what it calls.

    Attributes:
        path: the database file; its place in the clone when the memory is in a server.
        server: the place of the database server with records and runs, and the project; None for a file.
        read_only: True when nothing can be written; a missing file is then an empty memory.
    """

    def __init__(self, store: Store, shared: Store | None = None) -> None:
        self._store = store
        self._shared = store if shared is None else shared
        self.path = store.path
        self.server = self._shared.server
        self.read_only = store.read_only
        self._usage = usage.UsageRecorder(store)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        server: ServerAddress | None = None,
        read_only: bool = False,
        busy_timeout: float = BUSY_TIMEOUT,
        cache_kib: int | None = None,
    ) -> Memory:
        """Open the memory at `path`, or in a server; create it when it is missing.

        The memory of a linked worktree has its own index, in a file, and the records and runs of the repository.

        Args:
            path: the database file; see `locate.database_path`.
            server: the server and the project in it; see `database.find_server`.
            read_only: create and change nothing.
            busy_timeout: timeout in seconds for another process's lock.
            cache_kib: the most that each connection keeps of the file in memory; None for the usual.

        Raises:
            Fault: when the file is damaged, of a newer version, of another program, or the database is not reachable.
        """
        if is_view(path):
            view = open_view(path, server, read_only=read_only, busy_timeout=busy_timeout, cache_kib=cache_kib)
            return cls(view, view.shared)
        if server is not None:
            return cls(open_server(server, path, read_only=read_only, busy_timeout=busy_timeout))
        return cls(open_store(path, read_only=read_only, busy_timeout=busy_timeout, cache_kib=cache_kib))

    @classmethod
    def open_project(cls, root: Path, environ: Mapping[str, str] = os.environ, *, read_only: bool = False) -> Memory:
        """Open the memory of the project at `root`, where the environment says; see `open`.

        Raises:
            Fault: as `open`, and INVALID_INPUT for a wrong address of a server.
        """
        return cls.open(database_path(root, environ), server=find_server(environ), read_only=read_only)

    @property
    def store(self) -> Store:
        """The open database, for other modules of this package."""
        return self._store

    @property
    def shared_store(self) -> Store:
        """The database with the records and runs of the repository: `store`, or in a linked worktree another."""
        return self._shared

    @cached_property
    def journal(self) -> Journal:
        """Journal of the runs and their steps."""
        from aurora.memory.records import Journal  # noqa: PLC0415 - a search does not load it

        return Journal(self._shared)

    @cached_property
    def graph(self) -> Graph:
        """Code graph of definitions and their links."""
        from aurora.memory.graph.graph import Graph  # noqa: PLC0415 - a search does not load it

        return Graph(self._store)

    @cached_property
    def freshness(self) -> FreshnessMonitor:
        """Monitor of how far the index is behind the tree."""
        from aurora.memory.indexing.freshness import FreshnessMonitor  # noqa: PLC0415 - reading a chunk does not load it

        return FreshnessMonitor(self._store)

    @cached_property
    def _searcher(self) -> Searcher:
        return search.Searcher(self._store)

    def close(self) -> None:
        """Close the database; a second call does nothing."""
        # Uses that waited for another writer get a last chance.
        self._usage.flush()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, ids: Sequence[str]) -> tuple[Chunk, ...]:
        """Return the chunks with these ids, in their order; omit unknown ids."""
        with self._store.begin_read() as db:
            return db.chunks.get(ids)

    def iter_chunks(self) -> Iterator[Chunk]:
        """Yield all chunks in number order, in one read transaction."""
        with self._store.begin_read() as db:
            for _, chunk in db.chunks.iter_all():
                yield chunk

    def find_missing(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the ids that do not exist, in their order."""
        with self._store.begin_read() as db:
            return tuple(db.chunks.find_missing_ids(ids))

    def map_merged_ids(self, ids: Sequence[str]) -> dict[str, str]:
        """Map each merged id to the id of the record that contains it now."""
        with self._store.begin_read() as db:
            return db.chunks.find_merged(ids)

    def remember(
        self,
        *,
        type: ChunkType,  # noqa: A002 - the field's word, and the column's
        kind: str,
        symbol: str,
        text: str,
        metadata: Mapping[str, Any],
    ) -> tuple[str, bool]:
        """Store a record without a file; return `(id, created)`.

        Raises:
            Fault: INVALID_INPUT for an unknown type, empty text, or metadata that is not JSON.
        """
        from aurora.memory.records import remember_record  # noqa: PLC0415 - a search does not load it

        noted = {**self.describe_origin(), **metadata}
        return remember_record(self._store, Chunk("", type, None, 0, 0, symbol, kind, "", text, noted))

    def remember_answer(self, *, kind: str, symbol: str, text: str, metadata: Mapping[str, Any]) -> StoredAnswer:
        """Store an answer to the question `metadata["query"]`, in place of older ones; see `store_answer`.

        Raises:
            Fault: INVALID_INPUT for an empty text, or metadata that is not JSON.
        """
        from aurora.memory.records import store_answer  # noqa: PLC0415 - a search does not load it

        noted = {**self.describe_origin(), **metadata}
        return store_answer(self._store, Chunk("", "reas", None, 0, 0, symbol, kind, "", text, noted))

    def describe_origin(self) -> dict[str, str]:
        """Return the `branch` that is checked out, and git's name for a linked `worktree`; empty without git."""
        from aurora.system.git.repository import read_branch  # noqa: PLC0415 - a search does not load it
        from aurora.system.git.worktrees import list_linked_worktrees  # noqa: PLC0415 - a search does not load it

        folder = self._shared.path.parent
        # A database that AURORA_DB names may lie anywhere: its folder tells no project and no branch.
        if folder.name != DATA_FOLDER:
            return {}
        if not is_view(self.path):
            branch = read_branch(folder.parent)
            return {"branch": branch} if branch else {}
        name = self.path.stem
        # A project below the top of its repository has its views below the main worktree's top: one of the parents is
        # that top.
        roots = (list_linked_worktrees(main) for main in folder.parents)
        root = next((found.get(name) for found in roots if found is not None), None)
        branch = read_branch(root) if root is not None else ""
        return {"branch": branch, "worktree": name} if branch else {"worktree": name}

    def index(self, root: Path, *, paths: Sequence[Path] = (), progress: Progress | None = None) -> IndexReport:
        """Index the tree at `root`, or only `paths` in it.

        Args:
            root: the project's folder.
            paths: files or folders inside it; none means all.
            progress: called repeatedly with `(files done, files to do or None, message)`.

        Raises:
            Fault: NOT_FOUND, INVALID_INPUT or FORBIDDEN for a root or path that cannot be indexed.
        """
        from aurora.memory.indexing.reuse import describe_missing_clone  # noqa: PLC0415 - as above
        from aurora.memory.indexing.run import ignore_progress, index_tree  # noqa: PLC0415 - as above
        from aurora.memory.indexing.views import start_clone, start_view  # noqa: PLC0415 - as above

        report = progress or ignore_progress
        start = start_view if is_view(self.path) else start_clone
        # Only the first index would have begun from the named clone, so its absence is reported once.
        note = "" if self.has_been_indexed() or is_view(self.path) else describe_missing_clone()
        # An index of all files may begin as a copy of another worktree's or clone's; that copies a file, which a
        # server is not.
        started = start(self._store, root, report) if not paths and self._store.server is None else None
        done = started or index_tree(self._store, root, paths=paths, progress=report)
        return replace(done, note=note) if note else done

    def diff_graph(self, root: Path, revision: str, folder: Path, least: float) -> tuple[str, list[Change]]:
        """Compare the code graph with that of a git revision.

        Args:
            root: the project's folder.
            revision: a git revision.
            folder: an empty folder for the files and the index of the revision.
            least: the minimum confidence of a link.

        Returns:
            The commit's hash, and the changes from there to now.

        Raises:
            Fault: NOT_FOUND when there is no such revision; UPSTREAM_ERROR when there is no git.
        """
        from aurora.memory.graph.diff import compare_graphs  # noqa: PLC0415 - a search does not load it
        from aurora.memory.indexing.revision import index_revision  # noqa: PLC0415 - a search does not load it

        with index_revision(root, revision, folder) as (commit, old):
            return commit, compare_graphs(self._store, old, least)

    def is_writable_now(self) -> bool:
        """Return True when a write needs no wait for another process."""
        try:
            with self._store.begin_write(wait=False):
                return True
        except Fault:
            return False

    def has_been_indexed(self) -> bool:
        """Return True when an index run has ever completed."""
        with self._store.begin_read() as db:
            return db.meta.get("indexed_at") is not None

    def wants_index(self) -> bool:
        """Return True when an index run has ever completed, here or in another worktree of the repository."""
        if self.has_been_indexed() or not is_view(self.path):
            return self.has_been_indexed()
        with self._shared.begin_read() as db:
            # A new worktree of a repository that is indexed elsewhere is indexed without being asked for.
            return db.meta.get("indexed_at") is not None or any(
                path != self.path for path in self.path.parent.glob("*.db")
            )

    def has_path(self, place: str) -> bool:
        """Return True when the memory contains this file, or one in this folder."""
        with self._store.begin_read() as db:
            return db.files.has_path(place)

    def list_paths(self) -> list[str]:
        """List the paths of the indexed files, sorted."""
        with self._store.begin_read() as db:
            return db.files.list_paths()

    def find_phrase(self, phrase: str, limit: int = 50) -> tuple[Chunk, ...]:
        """Find the chunks of files whose text contains a phrase exactly; it reads all indexed texts."""
        with self._store.begin_read() as db:
            # The database folds ASCII and ignores case, so more are fetched than are wanted, and the exact ones
            # selected.
            found = db.chunks.get_by_number(db.chunks.find_with_phrases([phrase.lower()])[: 10 * limit])
        return tuple(chunk for chunk in found.values() if chunk.path and phrase in chunk.text)[:limit]

    def find_stale_paths(self, paths: Sequence[str], *, root: Path) -> frozenset[str]:
        """Return those of the indexed files that have changed or were deleted since; one `stat` each."""
        with self._store.begin_read() as db:
            return frozenset(search.find_stale_paths(db, root, paths))

    def find_identifiers(self, identifiers: Sequence[str]) -> frozenset[str]:
        """Return the identifiers that an indexed text contains as whole words, ignoring case.

        An identifier longer than an index term, or of characters that are no letters, is not found.
        """
        if not identifiers:
            return frozenset()
        from aurora.memory.text_index import find_known_identifiers  # noqa: PLC0415 - only a verification needs it

        with self._store.begin_read() as db:
            return find_known_identifiers(db, identifiers)

    @staticmethod
    def compare_texts(texts: Sequence[str], others: Sequence[str]) -> list[float]:
        """Return for each text the highest cosine of its embedding with one of others; 0 without embeddings."""
        return embeddings.find_highest_cosines(texts, others)

    def search(  # noqa: PLR0913 - the filters of a search are its interface, each given by name
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        types: Sequence[ChunkType] = CHUNK_TYPES,
        path_glob: str | None = None,
        language: str | None = None,
        kinds: Sequence[str] = (),
        changed_since: str | None = None,
        embeddings: bool = True,
        root: Path | None = None,
        index_step: str = INDEX_STEP,
        by_file: bool = False,
    ) -> SearchResult:
        """Return the chunks that match a query best; any text is a query.

        Args:
            query: words, a question, identifiers, "required phrases".
            limit: maximum number of hits.
            offset: number of best hits to skip.
            types: which of `code`, `know`, `reas`.
            path_glob: only files whose path matches, as in .gitignore: `*.py`, `docs/`, `src/**/test_*`.
            language: only this language, `python`, `markdown` …
            kinds: only these kinds of chunk, `function`, `class`, `section` …
            changed_since: only files that changed since: `2026-01-31`, `2026-01-31T09:00`, `3d`, `12h`.
            embeddings: rank by embeddings too, not only by terms, symbols and paths.
            root: the project's current folder, to find stale hits; the indexed folder when None.
            index_step: how the reader of the note gets the files indexed.
            by_file: a file is one hit, its best chunk, with the next ones as places; else each chunk is a hit.

        Raises:
            Fault: INVALID_INPUT for an unknown type, a negative number, or an invalid time.
        """
        options = search.SearchOptions(
            limit, offset, types, path_glob, language, kinds, changed_since, embeddings, root, index_step, by_file
        )
        return self._searcher.search(query, options)

    def warm_up(self) -> None:
        """Load embedder and vectors ahead of the next search; usable in a background thread."""
        self._searcher.warm_up()

    def record_use(self, ids: Sequence[str]) -> None:
        """Record a use of these chunks."""
        usage.record_use(self._store, ids)

    def try_record_use(self, ids: Sequence[str]) -> None:
        """Record a use of these chunks, later if another process is writing; never fail."""
        self._usage.record(ids)

    def compute_activation(self, ids: Sequence[str]) -> dict[str, float]:
        """Compute the ACT-R base level of these chunks, B = ln Σ t_j^-0.5."""
        return usage.compute_activation(self._store, ids)

    def rank_active_chunks(
        self, focus: Sequence[str] = (), *, first: int = 10
    ) -> tuple[list[ChunkActivation], tuple[str, ...]]:
        """Rank the most active chunks; see `usage.rank_active_chunks`."""
        return usage.rank_active_chunks(self._store, self.graph, focus, first=first)

    def stats(self) -> Stats:
        """Return the counts and size of the memory."""
        return _collect_stats(self._store, self._shared)


def _collect_stats(store: Store, shared: Store) -> Stats:
    """Collect counts by type and language, size on disk, time of the last index run.

    Args:
        store: the database with the index.
        shared: the database with the runs; the same except for a linked worktree.

    Raises:
        Fault: see `storage.Store`.
    """
    with store.begin_read() as db:
        counts = db.sizes.count_rows()
        chunks, languages = db.sizes.count_by_type(), db.sizes.count_by_language()
        meta = db.meta.get_all()
        size = sum(db.sizes.measure_parts().values()) if store.server else 0
    with shared.begin_read() as db:
        # The index is the worktree's own, the runs are the repository's.
        runs = db.sizes.count_rows().runs
    return Stats(
        path=store.server or str(store.path),
        schema_version=store.schema_version,
        size_bytes=size if store.server else _measure_size(store.path),
        files=counts.files,
        chunks={type_: chunks.get(type_, 0) for type_ in ("code", "know", "reas")},
        languages=languages,
        vectors=counts.vectors,
        runs=runs,
        indexed_at=meta.get("indexed_at"),
        root=meta.get("root"),
        commit=meta.get("commit", ""),
        branch=meta.get("branch", ""),
        nodes=counts.nodes,
    )


def _measure_size(path: Path) -> int:
    """Return the size of the database file and its write-ahead log."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
