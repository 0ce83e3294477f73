"""An open project: its memory, its workflows and the engine; the one mutable thing that a surface holds."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Self

from aurora.tools.core import DEFAULT_WORKFLOW, PROJECT_WORKFLOWS

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from aurora.interpreter import Catalog, Engine
    from aurora.memory import Memory

    from .ports import PhaseToolRunner


class Workspace:
    """One project, open; closed by `with`. May be used from several threads.

    Args:
        root: the project's folder.
        read_only: no tool that writes may run, and no run is kept. `READ_ONLY=1` in the environment says the same.
        untouched: read-only as well, because there is no database yet and none shall be made; calls are logged.
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
        """The project's memory, opened on first use.

        Raises:
            Fault: when the database cannot be opened.
        """
        with self._lock:
            if self._memory is None:
                from aurora.memory import Memory, database_path  # noqa: PLC0415 - listing tools must not pay for SQLite

                self._memory = Memory.open(database_path(self.root), read_only=self.read_only)
            return self._memory

    @property
    def tools(self) -> PhaseToolRunner:
        """The tools as phases use them."""
        with self._lock:
            if self._phase_tools is None:
                from .ports import PhaseToolRunner  # noqa: PLC0415 - a search needs no interpreter

                self._phase_tools = PhaseToolRunner(self)
            return self._phase_tools

    @property
    def workflows(self) -> Catalog:
        """The shipped workflows and the project's own."""
        with self._lock:
            if self._catalog is None:
                from aurora.interpreter import Catalog  # noqa: PLC0415 - as above

                self._catalog = Catalog(self.root / PROJECT_WORKFLOWS, self.tools)
            return self._catalog

    @property
    def engine(self) -> Engine:
        """The engine over this project's workflows, tools and journal; without a journal when read-only."""
        with self._lock:
            if self._engine is None:
                from aurora.interpreter import Engine  # noqa: PLC0415 - as above

                from .ports import MemoryJournal, SystemClock  # noqa: PLC0415 - as above

                journal = None if self.read_only else MemoryJournal(self)
                self._engine = Engine(self.workflows, self.tools, journal, SystemClock(), default=DEFAULT_WORKFLOW)
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
