"""Catalog of workflows, the project's before the shipped, reloaded on change."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault
from aurora.interpreter import checks
from aurora.interpreter.problems import did_you_mean, limit_problems, list_names, select_errors, sort_problems
from aurora.interpreter.yaml import display_path

from .files import WorkflowFiles, pause_collector
from .paths import WORKFLOW_SUFFIXES

if TYPE_CHECKING:
    from aurora.interpreter.lab.proof import WorkflowProof
    from aurora.interpreter.language.definition import Definition, LoadResult, WorkflowSource
    from aurora.interpreter.language.model import Workflow
    from aurora.interpreter.problems import Problem


@dataclass(frozen=True, slots=True)
class WorkflowSummary:
    """One workflow of the catalog, as a list shows it.

    Attributes:
        problems: the number of errors.
        workflow: the model of the file; None for one with errors.
    """

    name: str
    version: str
    title: str
    source: WorkflowSource
    path: str
    phases: int
    problems: int
    workflow: Workflow | None = None


class Catalog(WorkflowFiles):
    """Thread-safe catalog that finds, reads and checks workflows.

    While the project is not trusted, its own workflows have no name here: the shipped one of that name is used. Their
    files can still be read and checked, which is how a person inspects them.

    Args:
        project: the project's workflows folder (it need not exist), or None.
        tools: what phases may use; None leaves the tools unchecked.
        shipped: the folder of the workflows that come with the program.
        trust: the trust in the project; None for a folder that needs none.
        cache: the storage of checked workflows; None keeps none.
        for_display: what is shown of a workflow is kept of each, and not only the checks of large ones.
    """

    def list_project_files(self) -> tuple[Path, ...]:
        """List the project's own workflow files, whether the project is trusted or not."""
        return self._paths.list_project_files()

    def list_untrusted_files(self) -> tuple[Path, ...]:
        """List the project's workflow files that are not used: without trust all, else the changed ones."""
        with self._lock:
            self._refresh()
            return self._paths.list_unused_files()

    def find_untrusted_file(self, name: str) -> Path | None:
        """Return the file of the project's own workflow of this name while it is not used; else None."""
        with self._lock:
            self._refresh()
            return self._paths.find_untrusted_file(name)

    def is_shipped(self, path: Path) -> bool:
        """Return whether a file is in the folder of the workflows that come with the program."""
        return path.resolve().is_relative_to(self._shipped)

    def reject_untrusted(self, name: str) -> None:
        """Reject the name of a workflow that only the project has, while its file is not trusted.

        Raises:
            Fault: FORBIDDEN.
        """
        path = self.find_untrusted_file(name)
        if path is None:
            return
        is_changed = self._paths.is_project_used()
        reason = "and new or changed since the folder was trusted" if is_changed else "which are not trusted yet"
        raise Fault(
            Code.FORBIDDEN,
            f'"{name}" is one of this folder\'s own workflows, {reason}, so it is not used',
            # No tool trusts a folder, so the assistant is told who does.
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
                # Each step of a run asks: while the files of this workflow are the same, nothing else is read.
                name in self._good_stamps
                and self._workflow_paths.stamp_files(self._last_good[name].files) == self._good_stamps[name]
            ):
                return self._last_good[name]
            self._refresh()
            if self._use_kept(name):
                return self._last_good[name]
            loading = self._find_loading(name)
            stamp = self._stamp
        # Without the lock: a check takes up to a second, and another workflow is loaded meanwhile.
        found = self._find_errors(loading)
        with self._lock:
            self._follow_trust()
            if not found and loading.definition is not None:
                if self._stamp is stamp:  # no file, nor the trust, changed during the check
                    self._last_good[name] = loading.definition
                    self._taken.pop(name, None)
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
        found = self._find_errors(loading)
        if found or loading.definition is None:
            raise _make_broken_fault(loading.name or path.name, found, display_path(path))
        return loading.definition

    def load_neighbour(self, path: Path, name: str) -> Definition:
        """Return the workflow of this name that a phase of the file `path` runs, checked and ready to run.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the errors of its file.
        """
        paths = self.find_neighbours(path).paths
        found = paths.map_names().get(name)
        is_beside = found is not None and paths.get_source(found) == "file"
        return self.load_file(found) if found is not None and is_beside else self.load(name)

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
        with self._lock:
            self._refresh()
            if self._take_kept(name_or_path) and self._taken[name_or_path][1]:
                return self._last_good[name_or_path], ()
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
            from aurora.interpreter.lab.proof import prove_workflow  # noqa: PLC0415 - a list needs no checks

            return limit_problems(found), prove_workflow(loading.definition, self._tools, known)

    def find_path(self, name: str) -> Path:
        """Return the file of the workflow.

        Raises:
            Fault: NOT_FOUND.
        """
        with self._lock:
            self._refresh()
            path = self._workflow_paths.map_names().get(name)
            return self._find_loading(name).path if path is None else path

    def list_summaries(self) -> tuple[WorkflowSummary, ...]:
        """List all workflows, by name."""
        with self._lock:
            self._refresh()
            names = sorted(self._workflow_paths.map_names().items())
        return tuple(self._summarize(name, path) for name, path in names)

    def _summarize(self, name: str, path: Path) -> WorkflowSummary:
        with self._lock:
            if self._take_kept(name):
                good = self._last_good[name]
                return _summarize_workflow(name, good.path, self._workflow_paths.get_source(path), good.workflow, 0)
            loading = self._read_cached(path)
            source = self._workflow_paths.get_source(path)
        found = select_errors(self._check_loading(loading))
        flow = loading.definition.workflow if loading.definition else None
        return _summarize_workflow(name, loading.path, source, flow, len(found))

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
        while name in names:
            loading = self._read_cached(names[name])
            # Reading shows whether the person was shown all its files; else it was left out.
            if self._workflow_paths.has_file(names[name]):
                return loading
            names = self._workflow_paths.map_names()  # it was left out: the next one of this name is used, if any
        self.reject_untrusted(name)
        help_ = (
            self._name_other_workflow(name, names)
            or did_you_mean(name[:80], names)
            or f"there are {list_names(names)}; `aur workflow list` shows them"
        )
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow "{name[:80]}"',
            help=help_,
            details={"workflows": sorted(names)},
        )

    @staticmethod
    def _name_other_workflow(name: str, names: dict[str, Path]) -> str:
        """Say which workflow the file of this name defines; empty without such a file."""
        other = next((one for one, path in names.items() if path.stem == name), None)
        return f'the file "{display_path(names[other])}" has the `name` "{other}"' if other is not None else ""


def _summarize_workflow(
    name: str, path: Path, source: WorkflowSource, flow: Workflow | None, errors: int
) -> WorkflowSummary:
    return WorkflowSummary(
        name=name,
        version=flow.version if flow else "",
        title=flow.title if flow else "",
        source=source,
        path=display_path(path),
        phases=len(flow.phases) if flow else 0,
        problems=errors,
        workflow=None if errors else flow,
    )


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # the name is too long, or contains a zero
        return False


def _make_broken_fault(name: str, problems: tuple[Problem, ...], file: str = "") -> Fault:
    count = f"{len(problems)} error" + ("" if len(problems) == 1 else "s")
    return Fault(
        Code.INVALID_INPUT,
        f'workflow "{name}" has {count}: {problems[0].heading}' if problems else f'workflow "{name}" cannot be read',
        help=f"`aur workflow validate {file or name}` shows them all",
        details={"problems": [problem.heading for problem in problems[:20]]},
    )
