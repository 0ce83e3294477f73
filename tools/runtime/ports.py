"""Adapters for the interpreter's ports: tools, journal, clock and surroundings."""

from __future__ import annotations

import hashlib
import json
import time
from collections import OrderedDict
from dataclasses import asdict, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pydantic

import aurora
from aurora import interpreter
from aurora.errors import Code, Fault
from aurora.interpreter.run.journal import Run
from aurora.interpreter.run.step import Step
from aurora.memory.files import DATA_FOLDER
from aurora.system.git.repository import read_branch
from aurora.system.paths.write import create_folder_inside
from aurora.system.programs import stamp_modules
from aurora.system.secrets.masks import mask_json
from aurora.tools import extensions
from aurora.tools.core import (
    JOB_TOOLS,
    PHASE_TOOLS,
    PhaseOrigin,
    Tool,
    extend_digest,
    has_own_steps,
    ignore_progress,
    is_own_run,
    sign_document,
)

from .dispatch import call_tool, find_tool, get_registry, validate_params

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

    from aurora.interpreter import ToolCall, ToolFacts
    from aurora.memory import RunRow, StepRow
    from aurora.tools.core import Project


MAX_KNOWN_RUNS = 8
"""Runs whose steps stay in memory."""


MAX_CACHED_PARAMS = 200
"""Size limit of the cache of validated params; each edit of a workflow leaves stale ones."""


class PhaseToolRunner:
    """Runner of the tools that phases may use; implements `interpreter.Toolbox`.

    Args:
        project: the open project.
        runs_job: the phases are those of a job that a person started in a terminal, so that they may also use the
            tools for jobs.
    """

    def __init__(self, project: Project, *, runs_job: bool = False) -> None:
        self._project = project
        self._runs_job = runs_job
        self._params_cache: dict[int, tuple[Mapping[str, Any], str, BaseModel]] = {}
        self._facts_cache: dict[str, ToolFacts] = {}  # building the schemas of a tool is slow

    def names(self, *, in_job: bool) -> Sequence[str]:
        """Return the tools that a phase of a workflow, or of a job, may use; imports none of Aurora's."""
        found = list(extensions.list_extensions(self._project.root))
        more = (one.name for _, one in found if isinstance(one, Tool) and (one.phases or (in_job and one.jobs)))
        return sorted((*PHASE_TOOLS, *(JOB_TOOLS if in_job else ()), *more))

    def facts(self, name: str) -> ToolFacts | None:
        """Return the facts of the tool with this name or alias, or None."""
        try:
            tool = find_tool(name, self._project.root)
        except Fault:
            return None
        if name not in self._facts_cache:
            self._facts_cache[name] = interpreter.ToolFacts(
                tool.name,
                tool.input.model_json_schema(),
                tool.params.model_json_schema(),
                tool.output.model_json_schema(mode="serialization"),
                tool.phase_use,
            )
        facts = self._facts_cache[name]
        return facts if tool.list_allowed is None else replace(facts, allowed=tool.list_allowed(self._project.root))

    def stamp_facts(self, name: str) -> str:
        """Return a text that changes whenever the facts of a tool do; imports none of Aurora's."""
        if get_registry().is_known(name):
            return stamp_code()
        facts = self.facts(name)
        return "" if facts is None else json.dumps(asdict(replace(facts, allowed={})))

    def call(self, call: ToolCall) -> dict[str, Any]:
        """Call the tool if its declaration allows it here, whatever a check of the workflow found.

        Raises:
            Fault: FORBIDDEN for a tool that these phases may not use, and the faults of `call_tool`.
        """
        tool = find_tool(call.name, self._project.root)
        if not (tool.phases or (self._runs_job and tool.jobs)):
            raise _make_forbidden_fault(tool, call)
        # The params of a phase are the same at every call and may be long: validate them once.
        kept = self._params_cache.get(id(call.params))
        if kept is None or kept[0] is not call.params or kept[1] != call.name:
            if len(self._params_cache) >= MAX_CACHED_PARAMS:
                self._params_cache.clear()
            kept = (call.params, call.name, validate_params(tool, call.params))
            self._params_cache[id(call.params)] = kept

        return call_tool(
            self._project,
            call.name,
            call.arguments,
            params=kept[2],
            request_id=call.request_id or None,
            progress=call.progress or ignore_progress,
            surface="phase",
            phase=PhaseOrigin(call.workflow, call.run, call.person),
        )


def _make_forbidden_fault(tool: Tool[Any, Any], call: ToolCall) -> Fault:
    if tool.jobs:
        message = f'the tool "{tool.name}" runs only in a job that a person starts in a terminal'
        remedy = f"A person runs it with `aur jobs run {call.workflow}`."
    else:
        message = f'no phase of a workflow may use the tool "{tool.name}"'
        remedy = (
            f"`aur workflow validate {call.workflow}` shows the phase; `aur tools show NAME` shows what a tool allows."
        )
    details = {"tool": tool.name, "workflow": call.workflow, "phase_use": tool.phase_use}
    return Fault(Code.FORBIDDEN, message, help=remedy, details=details)


class MemoryJournal:
    """Journal of runs in the project's database, without secrets; implements `interpreter.Journal`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: OrderedDict[str, tuple[Run, str]] = OrderedDict()

    def load(self, run: str) -> Run | None:
        """Return the run with all its steps, or None.

        Steps never change, so only those after the last known one are read.
        """
        row = self._project.memory.journal.head(run)
        while row is not None:
            if (found := self._read_steps(run, row)) is not None:
                return found
            before, row = row, self._project.memory.journal.head(run)
            # The head is as before, so no other call was writing: the steps are not those that were signed.
            if row is not None and row.document == before.document:
                raise Fault(
                    Code.FORBIDDEN,
                    f'the steps of run "{run}" are not those that this account wrote: some were changed or lost',
                    help="begin a new run; `aur runs show` shows what this one did",
                    details={"run": run},
                )
        return None

    def _read_steps(self, run: str, row: RunRow) -> Run | None:
        """Read the steps of a run; None if they are not those of its head, as after a concurrent append.

        Raises:
            Fault: FORBIDDEN for a run that this account did not write.
        """
        journal = self._project.memory.journal
        if not is_own_run(row, self._project):
            raise Fault(
                Code.FORBIDDEN,
                f'run "{run}" is not one that this account wrote: it came with the memory or from an import, or was '
                "changed, so anybody may have written its prompts and answers",
                help="begin a new run; `aur runs show` shows what this one did",
                details={"run": run},
            )
        known, digest = self._known.pop(run, (None, ""))
        count = len(known.steps) if known is not None else 0
        # The last known step is read again: where it differs, a backup was restored or the memory replaced meanwhile.
        rows = journal.steps(run, max(count, 1))
        if known is not None and (not rows or read_recorded_step(rows[0]).to_json() != known.steps[-1].to_json()):
            known, digest, rows = None, "", journal.steps(run)
        new = rows if known is None else rows[1:]
        digest = extend_digest(digest, (row.document for row in new))
        if not has_own_steps(row, digest, self._project):
            return None
        if known is None:
            return self._keep(read_recorded_run(row, tuple(map(read_recorded_step, rows))), digest)
        found = known.with_steps(tuple(map(read_recorded_step, new)))
        fresh = read_recorded_run(row, found.steps)
        return self._keep(replace(fresh, settled_history=found.settled_history, inner_runs=found.inner_runs), digest)

    def _keep(self, run: Run, digest: str) -> Run:
        """Keep a run, to read only its new steps next time."""
        run.collect_history()
        self._known[run.run] = run, digest
        if len(self._known) > MAX_KNOWN_RUNS:
            self._known.popitem(last=False)
        return run

    def begin(self, run: Run) -> None:
        """Store a new run with its steps."""
        steps = [(step.phase, mask_json(step.to_json())) for step in run.steps]
        begun = replace(run, origin=self._project.memory.describe_origin())
        digest = extend_digest("", (document for _, document in steps))
        document = sign_document(mask_json(begun.to_head()), digest, self._project)
        self._project.memory.journal.create(run.run, run.workflow, document, steps)

    def append(self, run: Run, steps: Sequence[Step]) -> None:
        """Add the steps to the run, all or none."""
        after = run.with_steps(steps)
        rows = [(step.phase, mask_json(step.to_json())) for step in steps]
        digest = extend_digest(self._get_digest(run), (document for _, document in rows))
        document = sign_document(mask_json(after.to_head()), digest, self._project)
        self._project.memory.journal.append(run.run, steps[0].seq, rows, document)

    def _get_digest(self, run: Run) -> str:
        """Return the digest of the run's steps as they are stored."""
        known, digest = self._known.get(run.run, (None, ""))
        if known is not None and len(known.steps) == len(run.steps):
            return digest
        stored = self._project.memory.journal.steps(run.run)[: len(run.steps)]
        return extend_digest("", (row.document for row in stored))


class SystemClock:
    """Clock of the system; implements `interpreter.Clock`."""

    @staticmethod
    def now() -> float:
        """Return the seconds since 1970."""
        return time.time()

    @staticmethod
    def today() -> str:
        """Return the date, as `2026-01-31`."""
        return date.today().isoformat()  # noqa: DTZ011 - the date of the person, not of UTC

    @staticmethod
    def elapsed() -> float:
        """Return the seconds of a monotonic clock."""
        return time.perf_counter()


class ProjectSurroundings:
    """Facts about the project that workflows read; implements `interpreter.Surroundings`."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def get_branch(self) -> str:
        """Return the branch that is checked out; empty without one."""
        return read_branch(self._project.root)

    @staticmethod
    def get_version() -> str:
        """Return the version of Aurora."""
        return aurora.__version__

    def make_folder(self, run: str) -> str:
        """Make the folder for the files of a run, and return its path from the project's folder.

        Raises:
            Fault: as `create_folder_inside`; FORBIDDEN if it cannot be created.
        """
        folder = f"{DATA_FOLDER}/runs/{run}"
        try:
            create_folder_inside(self._project.root, folder)
        except OSError as error:
            message = f'the folder "{folder}" of the run cannot be created: {error.strerror or error}'
            help_ = f'allow writing in "{DATA_FOLDER}", and move a file "{DATA_FOLDER}/runs" away'
            raise Fault(Code.FORBIDDEN, message, help=help_) from None
        return folder


_PACKAGES = ("doctor", "errors", "hosts", "interpreter", "memory", "system", "tools", "trust")
"""Packages that a tool may import."""


@cache
def stamp_code() -> str:
    """Return a stamp of the packages that a tool may import, and of the folder of the libraries.

    It takes 6 ms; importing the tools of a workflow, to look at them, takes 0.2 s.
    """
    root = Path(aurora.__file__).parent
    libraries = Path(pydantic.__file__).parents[1].stat().st_mtime_ns
    modules = sorted(stamp for name in _PACKAGES for stamp in stamp_modules(str(root / name)))
    text = json.dumps([aurora.__version__, libraries, modules])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_recorded_step(row: StepRow) -> Step:
    """Read a step from its row.

    Raises:
        Fault: UPSTREAM_ERROR for a record that is not complete.
    """
    try:
        step = Step.from_json(row.document)
    except (KeyError, TypeError) as error:  # of the constructor: the journal has checked the types
        raise _make_record_fault(row.run, f"step {row.seq}: {error}") from error
    for entry in step.decision:
        if isinstance(entry.get("rule"), int) and not {"then", "fired"} <= entry.keys():
            raise _make_record_fault(row.run, f"step {row.seq}: a rule has no outcome")
    return step


def read_recorded_run(row: RunRow, steps: tuple[Step, ...]) -> Run:
    """Read a run from its row and its steps.

    Raises:
        Fault: UPSTREAM_ERROR for a record that is not complete.
    """
    try:
        return Run.from_head({**row.document, "run": row.run}, steps)
    except KeyError as error:
        raise _make_record_fault(row.run, f"it has no {error}") from error


def _make_record_fault(run: str, reason: str) -> Fault:
    return Fault(
        Code.UPSTREAM_ERROR,
        f'run "{run}" can be neither continued nor explained: no Aurora of this version wrote its record ({reason})',
        help="begin a new run; `aur runs show` shows what this one did",
        details={"run": run},
    )
