"""An open project: its memory, its workflows and the engine; the one mutable thing that a surface holds."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Self

from ..interpreter import Catalog, Engine
from .ports import MemoryJournal, ShelfTools, SystemClock

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from ..memory import Memory

DEFAULT_WORKFLOW = "soar"
"""What a call means that names neither a workflow nor a run."""

PROJECT_WORKFLOWS = ".aurora/workflows"


class Workspace:
    """One project, open; closed by `with`. May be used from several threads.

    Args:
        root: the project's folder.
        read_only: no tool that writes may run, and no run is kept. `READ_ONLY=1` in the environment says the same.
    """

    def __init__(self, root: Path, *, read_only: bool = False) -> None:
        self.root = root.resolve()
        self.read_only = read_only or os.environ.get("READ_ONLY", "") not in ("", "0")
        self._lock = RLock()
        self._memory: Memory | None = None
        self._tools = ShelfTools(self)
        self.workflows = Catalog(self.root / PROJECT_WORKFLOWS, self._tools)
        self._engine: Engine | None = None

    @property
    def memory(self) -> Memory:
        """The project's memory, opened on first use.

        Raises:
            Fault: when the database cannot be opened.
        """
        with self._lock:
            if self._memory is None:
                from ..memory import Memory, database_path  # noqa: PLC0415 - listing tools must not pay for SQLite

                self._memory = Memory.open(database_path(self.root), read_only=self.read_only)
            return self._memory

    @property
    def tools(self) -> ShelfTools:
        """The tools as phases use them."""
        return self._tools

    @property
    def engine(self) -> Engine:
        """The engine over this project's workflows, tools and journal; without a journal when read-only."""
        with self._lock:
            if self._engine is None:
                journal = None if self.read_only else MemoryJournal(self)
                self._engine = Engine(self.workflows, self._tools, journal, SystemClock(), default=DEFAULT_WORKFLOW)
            return self._engine

    def close(self) -> None:
        """Close the memory; the workspace may be closed twice."""
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
