"""Context of a call: its project, its surface and phase, and the signature of runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from aurora.errors import Code, Fault
from aurora.memory.model.runs import SIGNATURE, STEPS_DIGEST
from aurora.trust import is_signed, sign_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from aurora.interpreter import Catalog, Engine, Toolbox
    from aurora.interpreter.run.call import PersonReply
    from aurora.memory import Memory, RunRow, ServerAddress
    from aurora.trust import FolderTrust

ProgressCallback = Callable[[float, float | None, str], None]
"""`(done, total, message)`; total is None while it is unknown."""


Surface = Literal["cli", "mcp", "page", "phase", "python"]
"""Origin of a call: the command line, a host, the page, a phase of a workflow, or a program that imports Aurora."""


def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Ignore a report of progress."""


class PhaseOrigin(NamedTuple):
    """Origin of a phase's call, as the engine knows it; no argument changes it.

    Attributes:
        workflow: the phase's workflow; empty for a call of another origin.
        run: its run; empty in the first call of a run.
        person: the reply of the person that this call brought, when it accepts; None without one.
    """

    workflow: str = ""
    run: str = ""
    person: PersonReply | None = None


NO_PHASE = PhaseOrigin()
"""Origin of a call that no phase makes."""


class Project(Protocol):
    """Open project; `runtime.Workspace` implements it."""

    @property
    def root(self) -> Path:
        """Absolute, resolved folder of the project."""
        ...

    @property
    def read_only(self) -> bool:
        """True if no tool that writes may run and no run is stored."""
        ...

    @property
    def keeps_log(self) -> bool:
        """True if each call is logged in the project's folder."""
        ...

    @property
    def server(self) -> ServerAddress | None:
        """Database server with the memory, and the project in it; None for a file.

        Raises:
            Fault: INVALID_INPUT when the environment names no usable one.
        """
        ...

    @property
    def index_step(self) -> str:
        """Step by which the caller gets the project's files indexed, as an imperative: `run …`."""
        ...

    def require_folder(self) -> None:
        """Raise a fault if the project's folder is no longer at its path.

        Raises:
            Fault: NOT_FOUND when it was moved or removed, CONFLICT when another folder is there.
        """
        ...

    @property
    def trust(self) -> FolderTrust:
        """Trust in the project's own workflows and agents."""
        ...

    @property
    def memory(self) -> Memory:
        """Memory of the project, opened on first use.

        Raises:
            Fault: when the database cannot be opened.
        """
        ...

    @property
    def tools(self) -> Toolbox:
        """Runner of tools for phases."""
        ...

    @property
    def workflows(self) -> Catalog:
        """Catalog of the shipped workflows, and of the project's own where the project is trusted."""
        ...

    @property
    def engine(self) -> Engine:
        """Engine over the project's workflows, tools and journal."""
        ...

    def close(self) -> None:
        """Close the memory; closing twice is allowed."""
        ...


class Context(NamedTuple):
    """Context of one call: the project, the params, the request id and the progress callback.

    Attributes:
        project: the open project: `.root`, `.memory` (opened on first use), `.workflows`, `.engine`.
        params: the validated settings of the phase that `uses` the tool, an instance of the tool's `params` model.
        request_id: the same in the log line, the response's metadata and the trace.
        progress: the callback for reports of progress.
        surface: the origin of the call.
        phase: the workflow and the run, if a phase of a workflow makes the call.
    """

    project: Project
    params: Any
    request_id: str
    progress: ProgressCallback = ignore_progress
    surface: Surface = "python"
    phase: PhaseOrigin = NO_PHASE

    @property
    def root(self) -> Path:
        """Absolute, resolved folder of the project."""
        return self.project.root

    def require_memory(self) -> None:
        """Require that the project has a memory.

        Raises:
            Fault: NOT_FOUND without one; nothing is created.
        """
        from aurora import memory  # noqa: PLC0415 - a call that needs no memory does not load it

        if not memory.has_memory(self.root):
            database = memory.records_path(self.root)
            raise Fault(
                Code.NOT_FOUND,
                f'there is no memory at "{database}" yet',
                help="run `aur mem index` or `aur mem add` first",
                details={"path": str(database)},
            )


def sign_document(document: Mapping[str, Any], steps: str, project: Project) -> dict[str, Any]:
    """Return a run's document with the signature of this account.

    In a database server many accounts continue each other's runs, and the person named it: none is needed there.

    Args:
        document: the run's.
        steps: the digest of all its steps.
        project: the open project.
    """
    if project.server is not None:
        return dict(document)
    signed = {**document, STEPS_DIGEST: steps}
    signature = sign_words("run", document["run"], document["workflow"], _to_text(signed))
    return {**signed, SIGNATURE: signature} if signature else dict(document)


def is_own_run(row: RunRow, project: Project) -> bool:
    """Check that this account wrote a run, or that it is in the database server that the person named.

    A clone can bring a memory with runs, and with prompts in them that the assistant would be told to follow.
    """
    if project.server is not None:
        return True
    # The signature covers the id and the workflow, so that a document cannot be moved to another run.
    signed = {key: value for key, value in row.document.items() if key != SIGNATURE}
    return is_signed(row.document.get(SIGNATURE), "run", row.run, row.workflow, _to_text(signed))


def has_own_steps(row: RunRow, steps: str, project: Project) -> bool:
    """Check that the steps of one's own run are those of its signature, by their digest."""
    return project.server is not None or SIGNATURE not in row.document or row.document.get(STEPS_DIGEST) == steps


def extend_digest(digest: str, documents: Iterable[Mapping[str, Any]]) -> str:
    """Extend the digest of the steps before by further steps; that of none is empty."""
    for document in documents:
        digest = hashlib.sha256(f"{digest}:{_to_text(document)}".encode()).hexdigest()
    return digest


def _to_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"), sort_keys=True)


DEFAULT_WORKFLOW = "soar"
"""The workflow of a call that names neither a workflow nor a run."""


PROJECT_WORKFLOWS = ".aurora/workflows"
"""The folder of a project's own workflows."""
