"""Open project: its memory, its workflows and the engine, each opened on first use."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Self

from aurora import memory
from aurora.errors import Code, Fault
from aurora.memory.files import FolderIdentity, remove_leftovers
from aurora.system.environment import read_flag
from aurora.tools.core import DEFAULT_WORKFLOW, PROJECT_WORKFLOWS

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from aurora.interpreter import Catalog, Engine
    from aurora.interpreter.run.ports import Workflows
    from aurora.memory import Memory, ServerAddress
    from aurora.trust import FolderTrust, PrivateCache

    from .ports import PhaseToolRunner

_MAX_DISPLAYED = 400
"""Checks that are kept where those of small workflows are: two projects with as many as they can have."""


class Workspace:
    """Open project; a context manager that closes it. Safe for use from several threads.

    Args:
        root: the project's folder.
        read_only: no tool that writes may run, and no run is stored. `READ_ONLY=1` in the environment does the same.
        untouched: read-only because no database exists and none may be created; calls are logged.
        internal: the folder is made by Aurora itself, as for a test case, and trusted; its memory is a file.
        server: the database server with the memory, and the project in it; by default what the environment names.
        index_step: how callers get the files indexed, who need not be on this machine.
        for_display: what is shown of each workflow is kept, for a process that shows many and checks none.
        cache_kib: the most that a connection keeps of a database file in memory; None for the usual.

    Raises:
        Fault: INVALID_INPUT for a value of `READ_ONLY` that means neither.
    """

    def __init__(  # noqa: PLR0913 - options of an open project, each given by name
        self,
        root: Path,
        *,
        read_only: bool = False,
        untouched: bool = False,
        internal: bool = False,
        server: ServerAddress | None = None,
        index_step: str = memory.INDEX_STEP,
        for_display: bool = False,
        cache_kib: int | None = None,
    ) -> None:
        self._for_display = for_display
        self._cache_kib = cache_kib
        self.index_step = index_step
        self.root = root.resolve()
        self._keeps_log = not (read_only or read_flag("READ_ONLY"))
        self.read_only = untouched or not self._keeps_log
        self._folder = FolderIdentity(self.root) if self.root.is_dir() else None
        self._internal = internal
        self._server = server
        if self._folder is not None and self._keeps_log and not internal:
            remove_leftovers(self.root)
        self._lock = RLock()
        self._is_closed = False
        self._trust: FolderTrust | None = None
        self._memory: Memory | None = None
        self._phase_tools: PhaseToolRunner | None = None
        self._catalog: Catalog | None = None
        self._engine: Engine | None = None

    @property
    def keeps_log(self) -> bool:
        """True if each call is logged in the project's folder, and the folder is still the same."""
        return self._keeps_log and (self._folder is None or self._folder.is_same())

    def require_folder(self) -> None:
        """Raise a fault if the project's folder is no longer at its path.

        Raises:
            Fault: NOT_FOUND when it was moved or removed, CONFLICT when another folder is there.
        """
        if self._folder is not None:
            self._folder.require_same()

    @property
    def trust(self) -> FolderTrust:
        """Trust in the project's own workflows and agents."""
        with self._lock:
            if self._trust is None:
                from aurora.trust import FolderTrust  # noqa: PLC0415 - a search does not load it

                self._trust = FolderTrust(self.root, internal=self._internal)
            return self._trust

    @property
    def server(self) -> ServerAddress | None:
        """Database server with the memory, and the project in it; None for a file.

        Raises:
            Fault: INVALID_INPUT when the environment names no usable one.
        """
        return self._server or (None if self._internal else memory.find_server())

    @property
    def memory(self) -> Memory:
        """Memory of the project, opened on first use.

        Raises:
            Fault: the database cannot be opened, the project's folder was moved, or CONFLICT in a closed project.
        """
        self.require_folder()
        with self._lock:
            if self._is_closed:  # a thread that still prepares calls would open what nobody closes
                raise Fault(Code.CONFLICT, "the project was closed", help="Open it again.")
            if self._memory is None:
                path = memory.database_path(self.root)
                self._memory = memory.Memory.open(
                    path, server=self.server, read_only=self.read_only, cache_kib=self._cache_kib
                )
            return self._memory

    @property
    def tools(self) -> PhaseToolRunner:
        """Runner of tools for phases."""
        with self._lock:
            if self._phase_tools is None:
                from .ports import PhaseToolRunner  # noqa: PLC0415 - a search does not load it

                self._phase_tools = PhaseToolRunner(self)
            return self._phase_tools

    @property
    def workflows(self) -> Catalog:
        """Catalog of the shipped workflows, and of the project's own where the project is trusted."""
        with self._lock:
            if self._catalog is None:
                from aurora.interpreter import Catalog  # noqa: PLC0415 - a search does not load it

                folder = self.root / PROJECT_WORKFLOWS
                cache = self._open_cache()
                self._catalog = Catalog(
                    folder, self.tools, trust=self.trust, cache=cache, for_display=self._for_display
                )
            return self._catalog

    def _open_cache(self) -> PrivateCache | None:
        """Return the cache of checked workflows, which is in the account's folder; None without a place."""
        from aurora.trust import PrivateCache, find_cache_folder  # noqa: PLC0415 - a search does not load it

        folder = None if self._internal else find_cache_folder()
        if folder is None:
            return None
        if self._for_display:
            return PrivateCache(folder / "displayed", _MAX_DISPLAYED, keeps=self._keeps_log)
        return PrivateCache(folder, keeps=self._keeps_log)

    @property
    def engine(self) -> Engine:
        """Engine over this project's workflows, tools and journal; without a journal when read-only."""
        with self._lock:
            if self._engine is None:
                self._engine = self.build_engine(self.workflows)
            return self._engine

    def build_engine(self, workflows: Workflows) -> Engine:
        """Build an engine over these workflows, with the project's tools and journal."""
        from aurora.interpreter import Engine  # noqa: PLC0415 - a search does not load it

        from .ports import MemoryJournal, ProjectSurroundings, SystemClock  # noqa: PLC0415 - as above

        journal = None if self.read_only else MemoryJournal(self)
        return Engine(
            workflows,
            self.tools,
            journal,
            SystemClock(),
            default=DEFAULT_WORKFLOW,
            surroundings=ProjectSurroundings(self),
        )

    def close(self) -> None:
        """Close the memory, which is not opened again; closing twice is allowed."""
        with self._lock:
            self._is_closed = True
            if self._memory is not None:
                self._memory.close()
                self._memory = None
            if self._folder is not None:
                self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
