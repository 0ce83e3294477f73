"""Catalog of workflows, the project's before the shipped, reloaded on change."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.interpreter import analysis, checks
from aurora.interpreter.language import LoadResult, find_node, load_workflow
from aurora.interpreter.problems import (
    codes,
    did_you_mean,
    limit_problems,
    list_names,
    read_source_text,
    select_errors,
    sort_problems,
)
from aurora.interpreter.yaml import display_path, locate_file

from .collector import pause_collector
from .kept import KeptDefinitions
from .neighbours import Neighbours
from .paths import WORKFLOW_SUFFIXES
from .suppressions import apply_suppressions
from .trusted_paths import TrustedPaths

if TYPE_CHECKING:
    from aurora.interpreter.analysis import WorkflowProof
    from aurora.interpreter.language import Definition, WorkflowSource
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.run import Toolbox

    from .kept import ByteCache
    from .paths import FileStamps, WorkflowPaths
    from .trusted_paths import ProjectTrust

SHIPPED_FOLDER = Path(__file__).resolve().parents[2] / "workflows"


@dataclass(frozen=True, slots=True)
class WorkflowSummary:
    """One workflow of the catalog, as a list shows it."""

    name: str
    version: str
    title: str
    source: WorkflowSource
    path: str
    phases: int
    problems: int


class Catalog:
    """Thread-safe catalog that finds, reads and checks workflows.

    While the project is not trusted, its own workflows have no name here: the shipped one of that name is used. Their
    files can still be read and checked, which is how a person inspects them.

    Args:
        project: the project's workflows folder (it need not exist), or None.
        tools: what phases may use; None leaves the tools unchecked.
        shipped: the folder of the workflows that come with the program.
        trust: the trust in the project; None for a folder that needs none.
        cache: the storage of checked workflows; None keeps none.
    """

    def __init__(
        self,
        project: Path | None,
        tools: Toolbox | None = None,
        shipped: Path = SHIPPED_FOLDER,
        trust: ProjectTrust | None = None,
        cache: ByteCache | None = None,
    ) -> None:
        self._paths = TrustedPaths(project, shipped, trust)
        self._shipped = shipped
        self._tools = tools
        self._kept = KeptDefinitions(cache, tools) if cache is not None else None
        self._lock = RLock()
        self._stamp: FileStamps | None = None
        self._loadings: dict[Path, LoadResult] = {}
        self._problems: dict[Path, tuple[Problem, ...]] = {}
        self._checking: dict[Path, Lock] = {}  # held while the file is checked
        self._last_good: dict[str, Definition] = {}
        self._good_stamps: dict[str, FileStamps] = {}  # stamps of the files of the last good version

    @property
    def _workflow_paths(self) -> WorkflowPaths:
        return self._paths.used

    def stamp_files(self) -> FileStamps:
        """Return a stamp that changes whenever a file of any workflow changes, or the trust in the project."""
        return self._paths.stamp_folders()

    def list_project_files(self) -> tuple[Path, ...]:
        """List the project's own workflow files, whether the project is trusted or not."""
        return self._paths.list_project_files()

    def list_untrusted_files(self) -> tuple[Path, ...]:
        """List the project's own workflow files while they are not used, because the project is not trusted."""
        return () if self._paths.is_project_used() else self._paths.list_project_files()

    def find_untrusted_file(self, name: str) -> Path | None:
        """Return the file of the project's own workflow of this name while it is not used; else None."""
        with self._lock:
            return self._paths.find_untrusted_file(name)

    def is_shipped(self, path: Path) -> bool:
        """Return whether a file is in the folder of the workflows that come with the program."""
        return path.resolve().is_relative_to(self._shipped)

    def reject_untrusted(self, name: str) -> None:
        """Reject the name of a workflow that only the project has, while the project is not trusted.

        Raises:
            Fault: FORBIDDEN.
        """
        path = self.find_untrusted_file(name)
        if path is None:
            return
        raise Fault(
            Code.FORBIDDEN,
            f'"{name}" is one of this folder\'s own workflows, which are not trusted yet, so it is not used',
            help="a person decides that: `aur trust` in a terminal shows this folder's own workflows, and asks; "
            f"`aur workflow validate {display_path(path.parent)}` checks them without using them",
            details={"workflow": name, "trusted": False},
        )

    def list_names(self) -> tuple[str, ...]:
        """List the names of all workflows, including broken ones."""
        with self._lock:
            self._refresh()
            return tuple(sorted(self._workflow_paths.map_names()))

    def count_left_out(self) -> int:
        """Count the workflow files that are not used, because the project has too many, or too large ones."""
        with self._lock:
            self._refresh()
            return self._workflow_paths.left_out

    def open(self, name: str) -> Definition:
        """Return the workflow with only its structure checked, to describe it.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the problems of its file.
        """
        with self._lock:
            self._refresh()
            has_good = name in self._last_good or self._use_kept(name)
            loading = self._find_loading(name) if not has_good else None
        if loading is None:
            return self.load(name)
        if loading.definition is None:
            raise _make_broken_fault(name, sort_problems(loading.problems))
        return loading.definition

    def load(self, name: str) -> Definition:
        """Return the workflow, checked and ready to run.

        While the file has errors, its last good version is returned instead, with the first error as its
        `fallback_reason`.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the errors of its file without an earlier valid version.
        """
        with self._lock:
            self._follow_trust()
            if (
                name in self._good_stamps
                and self._workflow_paths.stamp_files(self._last_good[name].files) == self._good_stamps[name]
            ):
                return self._last_good[name]
            self._refresh()
            if self._use_kept(name):
                return self._last_good[name]
            loading = self._find_loading(name)
            stamp = self._stamp
        found = select_errors(self._check_loading(loading))
        with self._lock:
            self._follow_trust()
            if not found and loading.definition is not None:
                if self._stamp is stamp:  # no file, nor the trust, changed during the check
                    self._last_good[name] = loading.definition
                    self._record_good_stamp(name)
                return loading.definition
            if name not in self._last_good:
                raise _make_broken_fault(name, found)
            return replace(
                self._last_good[name], fallback_reason=found[0].heading if found else "the file cannot be read"
            )

    def load_file(self, path: Path) -> Definition:
        """Return the workflow of any file, checked and ready to run.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the errors of the file.
        """
        with self._lock:
            if not os.path.lexists(path):
                raise Fault(Code.NOT_FOUND, f'there is no file "{str(path)[:200]}"')
            self._refresh()
            loading = self._load_any_file(path)
        found = select_errors(self._check_loading(loading))
        if found or loading.definition is None:
            raise _make_broken_fault(loading.name or path.name, found)
        return loading.definition

    def find_problems(self, name_or_path: str) -> tuple[Problem, ...]:
        """List the first problems of a workflow, given by name or file, in order.

        Raises:
            Fault: NOT_FOUND when there is no such name or file.
        """
        return limit_problems(self._check_loading(self._find_by_name_or_path(name_or_path)))

    def load_partial(self, name_or_path: str) -> tuple[Definition | None, tuple[Problem, ...]]:
        """Return what can be read of a workflow, to inspect it, and its problems.

        Raises:
            Fault: NOT_FOUND when there is no such name or file.
        """
        loading = self._find_by_name_or_path(name_or_path)
        return loading.definition or loading.partial, limit_problems(self._check_loading(loading))

    def load_with_problems(self, name_or_path: str) -> tuple[Definition | None, tuple[Problem, ...]]:
        """Return a workflow with a valid structure, or None, and its problems.

        Raises:
            Fault: NOT_FOUND when there is no such name or file.
        """
        loading = self._find_by_name_or_path(name_or_path)
        return loading.definition, limit_problems(self._check_loading(loading))

    def check_definition(self, definition: Definition) -> tuple[Problem, ...]:
        """List every problem of a definition."""
        return checks.check_definition(definition, self._tools, self.find_neighbours(definition.path))

    def check_text(self, text: str, path: Path, *, limited: bool = True) -> tuple[Problem, ...]:
        """List the problems of a text, as the content of the file `path`; all of them unless `limited`."""
        with self._lock:
            self._refresh()
            loading = self._load_any_file(path, text)
        found = self._check_loading(loading, text)
        return limit_problems(found) if limited else found

    def examine_text(self, text: str, path: Path) -> tuple[tuple[Problem, ...], WorkflowProof | None]:
        """List the first problems of a text, and prove what is true of its runs; None when it has errors."""
        with self._lock:
            self._refresh()
            loading = self._load_any_file(path, text)
        return self._examine_loading(loading, text)

    def examine(self, name_or_path: str) -> tuple[tuple[Problem, ...], WorkflowProof | None]:
        """List the first problems of a workflow, and prove what is true of its runs; None when it has errors.

        Raises:
            Fault: NOT_FOUND when there is no such name or file.
        """
        return self._examine_loading(self._find_by_name_or_path(name_or_path))

    def prove(self, name_or_path: str) -> WorkflowProof | None:
        """Prove what is true of every run of a workflow; None when it has errors.

        Raises:
            Fault: NOT_FOUND when there is no such name or file.
        """
        return self.examine(name_or_path)[1]

    def _examine_loading(
        self, loading: LoadResult, text: str | None = None
    ) -> tuple[tuple[Problem, ...], WorkflowProof | None]:
        found = self._check_loading(loading, text)
        if loading.definition is None or select_errors(found):
            return limit_problems(found), None
        known = self.find_neighbours(loading.path)
        with pause_collector():
            return limit_problems(found), analysis.prove_workflow(loading.definition, self._tools, known)

    def find_path(self, name: str) -> Path:
        """Return the file of the workflow.

        Raises:
            Fault: NOT_FOUND.
        """
        with self._lock:
            return self._find_loading(name).path

    def list_summaries(self) -> tuple[WorkflowSummary, ...]:
        """List all workflows, by name."""
        with self._lock:
            self._refresh()
            names = sorted(self._workflow_paths.map_names().items())
        return tuple(self._summarize(name, path) for name, path in names)

    def _summarize(self, name: str, path: Path) -> WorkflowSummary:
        with self._lock:
            loading = self._read_cached(path)
            source = self._workflow_paths.get_source(path)
        found = select_errors(self._check_loading(loading))
        flow = loading.definition.workflow if loading.definition else None
        return WorkflowSummary(
            name=name,
            version=flow.version if flow else "",
            title=flow.title if flow else "",
            source=source,
            path=display_path(loading.path),
            phases=len(flow.phases) if flow else 0,
            problems=len(found),
        )

    def _find_by_name_or_path(self, name_or_path: str) -> LoadResult:
        with self._lock:
            if not name_or_path.endswith(WORKFLOW_SUFFIXES) and not _is_file(name_or_path):
                return self._find_loading(name_or_path)
            if not os.path.lexists(name_or_path):
                raise Fault(Code.NOT_FOUND, f'there is no file "{name_or_path[:200]}"')
            self._refresh()
            return self._load_any_file(Path(name_or_path).absolute())

    def _find_loading(self, name: str) -> LoadResult:
        self._refresh()
        names = self._workflow_paths.map_names()
        if name in names:
            return self._read_cached(names[name])
        self.reject_untrusted(name)
        help_ = did_you_mean(name[:80], names) or f"there are {list_names(names)}; `aur workflow list` shows them"
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow "{name[:80]}"',
            help=help_,
            details={"workflows": sorted(names)},
        )

    def _follow_trust(self) -> None:
        """Forget every loaded version when the trust in the project has changed."""
        if self._paths.follow_trust():
            self._stamp = None
            self._last_good.clear()
            self._good_stamps.clear()

    def _refresh(self) -> None:
        """Clear the caches when a file changed."""
        self._follow_trust()
        stamp = self.stamp_files()
        if stamp != self._stamp:
            self._stamp = stamp
            self._loadings.clear()
            self._problems.clear()
            self._checking.clear()
            self._workflow_paths.scan()

    def _use_kept(self, name: str) -> bool:
        """Use the definition of an earlier check; return False when the file must be, or was, read."""
        paths = self._workflow_paths
        path = paths.map_names().get(name)
        if self._kept is None or path is None or path in self._loadings:
            return False
        if paths.is_link_outside(path) or paths.find_namesakes(path):
            return False
        with pause_collector():
            definition = self._kept.find(path, paths.get_source(path))
        if definition is not None:
            self._last_good[name] = definition
            self._record_good_stamp(name)
        return definition is not None

    def _record_good_stamp(self, name: str) -> None:
        """Record the files of a good version, unless one changed during the load."""
        stamp = self._workflow_paths.stamp_files(self._last_good[name].files)
        if self.stamp_files() == self._stamp:
            self._good_stamps[name] = stamp

    def _read_cached(self, path: Path) -> LoadResult:
        if path not in self._loadings:
            self._loadings[path] = self._load_path(path, self._workflow_paths)
        return self._loadings[path]

    def _load_any_file(self, path: Path, text: str | None = None) -> LoadResult:
        """Load a file, or a text as its content; a file that is not in use is read each time."""
        own = self._workflow_paths.find_known_file(path.absolute())
        if own is not None and text is None:
            return self._read_cached(own)
        paths = self._workflow_paths if own is not None else self._paths.scan_every_file()
        return self._load_path(paths.find_known_file(path.absolute()) or path, paths, text)

    @staticmethod
    def _load_path(path: Path, paths: WorkflowPaths, text: str | None = None) -> LoadResult:
        if paths.is_link_outside(path):
            message = "the file, or its folder, is a link to a place outside of the workflows' folder"
            problem = codes.LEAVES_FOLDER.make_problem(locate_file(path), message, help="put a copy of the file there")
            return LoadResult(None, (problem,), path, None)

        def list_known() -> list[str]:
            return sorted(paths.map_names())

        source = paths.get_source(path)
        with pause_collector():
            return load_workflow(path, source=source, base_of=paths.find_base, known=list_known, text=text)

    def _check_loading(self, loading: LoadResult, text: str | None = None) -> tuple[Problem, ...]:
        """Check a loaded workflow, without the lock: the check of one file delays no call of another.

        Two calls that need the same file check it once: the second one waits for the first.
        """
        with self._lock:
            is_cached = self._loadings.get(loading.path) is loading
            checking = self._checking.setdefault(loading.path, Lock()) if is_cached else Lock()
        if not is_cached:
            return self._find_every_problem(loading, text, ())
        with checking:
            with self._lock:
                if self._loadings.get(loading.path) is loading and loading.path in self._problems:
                    return self._problems[loading.path]
                namesakes = self._check_namesakes(loading)
            found = self._find_every_problem(loading, text, namesakes)
            if self._kept is not None and loading.definition is not None and not select_errors(found):
                self._kept.keep(loading.definition)
            return found

    def _find_every_problem(
        self, loading: LoadResult, text: str | None, namesakes: tuple[Problem, ...]
    ) -> tuple[Problem, ...]:
        known = self.find_neighbours(loading.path)
        with pause_collector():
            if loading.definition is None:
                deeper = checks.check_valid_phases(loading, self._tools, known)
            else:
                deeper = checks.check_definition(loading.definition, self._tools, known)
        every = sort_problems((*loading.problems, *deeper, *namesakes))
        source = (display_path(loading.path), read_source_text(loading.path) if text is None else text)
        found = sort_problems(apply_suppressions(every, (source,), complete=loading.definition is not None))
        depends_on_machine = any(one.code == codes.NOT_ALLOWED_HERE.code for one in every)
        with self._lock:
            if self._loadings.get(loading.path) is loading and not depends_on_machine:
                self._problems[loading.path] = found
        return found

    def find_neighbours(self, path: Path) -> Neighbours:
        """Find the workflows that the phases of a file can run; those of an unused file are its neighbours."""
        with self._lock:
            used = self._workflow_paths
            if self._paths.is_project_used() or used.find_known_file(path.absolute()) is not None:
                return Neighbours(used, self._read_neighbour)
            return Neighbours(self._paths.scan_every_file(), self._read_neighbour)

    def _read_neighbour(self, path: Path) -> LoadResult:
        """Read a file in use from the cache, and any other again."""
        with self._lock:
            if self._workflow_paths.get_source(path) != "file":
                return self._read_cached(path)
            return self._load_path(path, self._paths.scan_every_file())

    def _check_namesakes(self, loading: LoadResult) -> tuple[Problem, ...]:
        """Report two files of one folder with the same workflow name."""
        others = self._workflow_paths.find_namesakes(loading.path)
        if not others:
            return ()
        name = self._workflow_paths.get_name(loading.path)
        place = find_node(loading.definition.root, ("name",)).place if loading.definition else locate_file(loading.path)
        return (
            codes.NAME_CLASH.make_problem(
                place,
                f'two files are called "{name}"',
                help='give one of them another "name"',
                note=f"the other is {' and '.join(display_path(path) for path in others)}",
            ),
        )


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # the name is too long, or contains a zero
        return False


def _make_broken_fault(name: str, problems: tuple[Problem, ...]) -> Fault:
    count = f"{len(problems)} error" + ("" if len(problems) == 1 else "s")
    return Fault(
        Code.INVALID_INPUT,
        f'workflow "{name}" has {count}: {problems[0].heading}' if problems else f'workflow "{name}" cannot be read',
        help=f"`aur workflow validate {name}` shows them all",
        details={"problems": [problem.heading for problem in problems[:20]]},
    )
