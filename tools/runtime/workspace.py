"""Open project: its memory, its workflows and the engine, each opened on first use."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Self

from aurora import interpreter, memory
from aurora.tools.core import DEFAULT_WORKFLOW, PROJECT_WORKFLOWS

from .ports import MemoryJournal, PhaseToolRunner, SystemClock

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from aurora.interpreter import Catalog, Engine
    from aurora.memory import Memory


class Workspace:
    """Open project; a context manager that closes it. Safe for use from several threads.

    Args:
        root: the project's folder.
        read_only: no tool that writes may run, and no run is stored. `READ_ONLY=1` in the environment does the same.
        untouched: read-only because no database exists and none may be created; calls are logged.
    """

    def __init__(self, root: Path, *, read_only: bool = False, untouched: bool = False) -> None:
        self.root = root.resolve()
        self.keeps_log = not (read_only or os.environ.get("READ_ONLY", "") not in ("", "0"))
        self.read_only = untouched or not self.keeps_log
        self._lock = RLock()
        self._memory: Memory | None = None
        self._phase_tools: PhaseToolRunner | None = None
        self._catalog: Catalog | None = None
        self._engine: Engine | None = None

    @property
    def memory(self) -> Memory:
        """Memory of the project, opened on first use.

        Raises:
            Fault: the database cannot be opened.
        """
        with self._lock:
            if self._memory is None:
                path = memory.database_path(self.root)
                self._memory = memory.Memory.open(path, read_only=self.read_only)
            return self._memory

    @property
    def tools(self) -> PhaseToolRunner:
        """Runner of tools for phases."""
        with self._lock:
            if self._phase_tools is None:
                self._phase_tools = PhaseToolRunner(self)
            return self._phase_tools

    @property
    def workflows(self) -> Catalog:
        """Catalog of the shipped workflows and the project's own."""
        with self._lock:
            if self._catalog is None:
                self._catalog = interpreter.Catalog(self.root / PROJECT_WORKFLOWS, self.tools)
            return self._catalog

    @property
    def engine(self) -> Engine:
        """Engine over this project's workflows, tools and journal; without a journal when read-only."""
        with self._lock:
            if self._engine is None:
                journal = None if self.read_only else MemoryJournal(self)
                self._engine = interpreter.Engine(
                    self.workflows, self.tools, journal, SystemClock(), default=DEFAULT_WORKFLOW
                )
            return self._engine

    def close(self) -> None:
        """Close the memory; closing twice is allowed."""
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
