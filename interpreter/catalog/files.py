"""Files of a catalog: read and checked when they are needed, and again when one of them changes."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from threading import Lock, RLock
from typing import TYPE_CHECKING, Protocol

from aurora.interpreter import checks
from aurora.interpreter.language.build import find_node
from aurora.interpreter.language.definition import LoadResult
from aurora.interpreter.language.loader import load_workflow
from aurora.interpreter.problems import codes, read_source_text, select_errors, sort_problems
from aurora.interpreter.yaml import display_path, locate_file
from aurora.system.programs import SHIPPED_FOLDER

from .kept import KeptDefinitions, Neighbours
from .paths import WorkflowPaths, list_workflow_files
from .suppressions import apply_suppressions

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from pathlib import Path

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.run.ports import Toolbox

    from .kept import ByteCache
    from .paths import FileStamps

_CHANGED = "the file has changed since you trusted this folder, or a file that it is made of"

_TRUST_HELP = "`aur trust` in a terminal shows what has changed, and asks"


class WorkflowFiles:
    """Thread-safe cache of workflow files, as read and as checked.

    Args:
        project: the project's workflows folder (it need not exist), or None.
        tools: what phases may use; None leaves the tools unchecked.
        shipped: the folder of the workflows that come with the program.
        trust: the trust in the project; None for a folder that needs none.
        cache: the storage of checked workflows; None keeps none.
        for_display: what is shown of a workflow is kept of each, and not only the checks of large ones.
    """

    def __init__(  # noqa: PLR0913 - options of a catalog
        self,
        project: Path | None,
        tools: Toolbox | None = None,
        shipped: Path = SHIPPED_FOLDER,
        trust: ProjectTrust | None = None,
        cache: ByteCache | None = None,
        *,
        for_display: bool = False,
    ) -> None:
        self._paths = TrustedPaths(project, shipped, trust)
        self._shipped = shipped
        self._tools = tools
        self._kept = KeptDefinitions(cache, tools, for_display=for_display) if cache is not None else None
        self._lock = RLock()
        self._stamp: FileStamps | None = None
        self._loadings: dict[Path, LoadResult] = {}
        self._problems: dict[Path, tuple[Problem, ...]] = {}
        self._sound: set[Path] = set()  # files without errors
        self._checking: dict[Path, Lock] = {}  # held while the file is checked
        self._last_good: dict[str, Definition] = {}
        self._good_stamps: dict[str, FileStamps] = {}  # stamps of the files of the last good version
        self._taken: dict[str, tuple[FileStamps | None, bool]] = {}  # from the cache: when, and whether it is clean

    @property
    def _workflow_paths(self) -> WorkflowPaths:
        return self._paths.used

    def stamp_files(self) -> FileStamps:
        """Return a stamp that changes whenever a file of any workflow changes, or the trust in the project."""
        return self._paths.stamp_folders()

    def _follow_trust(self) -> None:
        """Forget every loaded version when the trust in the project has changed."""
        if self._paths.follow_trust():
            self._stamp = None
            # A version that was good under the former trust must not run on.
            self._last_good.clear()
            self._good_stamps.clear()
            self._taken.clear()

    def _refresh(self) -> None:
        """Clear the caches when a file changed."""
        self._follow_trust()
        stamp = self.stamp_files()
        if stamp != self._stamp:
            self._stamp = stamp
            # Any changed file clears all, because a workflow may extend, run or read any other file.
            self._loadings.clear()
            self._problems.clear()
            self._sound.clear()
            self._checking.clear()
            self._workflow_paths.scan()

    def _read_cached(self, path: Path) -> LoadResult:
        if path not in self._loadings:
            loading = self._load_path(path, self._workflow_paths)
            if not self._is_shown(path, loading.definition or loading.partial):
                self._workflow_paths.leave_out(path)
                problem = codes.UNREADABLE.make_problem(locate_file(path), _CHANGED, help=_TRUST_HELP)
                loading = LoadResult(None, (problem,), path, None)
            self._loadings[path] = loading
        return self._loadings[path]

    def _is_shown(self, path: Path, definition: Definition | None) -> bool:
        """Return whether a file is used, now that it was read: of a project, only what the person was shown."""
        if definition is None or self._workflow_paths.get_source(path) != "project":
            return True
        return self._paths.is_shown(zip(definition.files, definition.hashes, strict=True))

    def _load_any_file(self, path: Path, text: str | None = None) -> LoadResult:
        """Load a file, or a text as its content; a file that is not in use is read each time."""
        own = self._workflow_paths.find_known_file(path.absolute())
        # A text has no entry in the cache: it is only what the file would have.
        if own is not None and text is None:
            return self._read_cached(own)
        paths = self._workflow_paths if own is not None else self._paths.scan_around(path)
        return self._load_path(paths.find_known_file(path.absolute()) or path, paths, text)

    @staticmethod
    def _load_path(path: Path, paths: WorkflowPaths, text: str | None = None) -> LoadResult:
        if paths.is_link_outside(path):
            message = "the file, or its folder, is a link to a place outside of the workflows' folder"
            problem = codes.LEAVES_FOLDER.make_problem(locate_file(path), message, help="put a copy of the file there")
            return LoadResult(None, (problem,), path, None)

        source = paths.get_source(path)
        with pause_collector():
            return load_workflow(path, source=source, base_of=paths.find_base, known=paths.list_bases, text=text)

    def _use_kept(self, name: str) -> bool:
        """Use the definition of an earlier check; return False when the file must be, or was, read."""
        if not self._take_kept(name):
            return False
        if name not in self._good_stamps:
            self._record_good_stamp(name)
        return True

    def _take_kept(self, name: str) -> bool:
        """As `_use_kept`, but the next call looks at every file again."""
        if name in self._taken and self._taken[name][0] is self._stamp:
            return True
        paths = self._workflow_paths
        path = paths.map_names().get(name)
        if self._kept is None or path is None or path in self._loadings:
            return False
        # These are problems of the folder and not of the file, and no entry knows of them.
        if paths.is_link_outside(path) or paths.find_namesakes(path):
            return False
        with pause_collector():
            kept = self._kept.find(path, paths.get_source(path), self.find_neighbours(path))
        if kept is None or not self._is_shown(path, kept.definition):
            return False
        self._last_good[name] = kept.definition
        self._good_stamps.pop(name, None)
        self._taken[name] = (self._stamp, kept.is_clean)
        return True

    def _record_good_stamp(self, name: str) -> None:
        """Record the files of a good version, unless one changed during the load."""
        stamp = self._workflow_paths.stamp_files(self._last_good[name].files)
        # The stamp must be of the content that was read.
        if self.stamp_files() == self._stamp:
            self._good_stamps[name] = stamp

    def _find_errors(self, loading: LoadResult) -> tuple[Problem, ...]:
        """Find the errors of a loaded workflow, which is quicker than its check when there are none."""
        with self._lock:
            is_cached = self._loadings.get(loading.path) is loading
            checking = self._checking.setdefault(loading.path, Lock()) if is_cached else Lock()
        with checking:
            with self._lock:
                is_cached = self._loadings.get(loading.path) is loading
                if is_cached and loading.path in self._sound:
                    return ()
                is_checked = is_cached and loading.path in self._problems
                has_namesakes = is_cached and bool(self._check_namesakes(loading, self._workflow_paths))
            is_sound = not is_checked and not has_namesakes and self._is_sound(loading)
            if is_sound and is_cached:
                self._keep_sound(loading, has_warnings=True)  # or none: nobody has looked for them
        return () if is_sound else select_errors(self._check_loading(loading))

    def _is_sound(self, loading: LoadResult) -> bool:
        """Return whether a loaded workflow surely has no errors; one with a suppressed error may have some."""
        if loading.definition is None or select_errors(loading.problems):
            return False
        with pause_collector():
            return not checks.has_errors(loading.definition, self._tools, self.find_neighbours(loading.path))

    def _keep_sound(self, loading: LoadResult, *, has_warnings: bool) -> None:
        """Keep the definition of a workflow without errors, unless a file has changed since."""
        with self._lock:
            if self._loadings.get(loading.path) is not loading or loading.definition is None:
                return
            self._sound.add(loading.path)
            if self._kept is not None:
                known = self.find_neighbours(loading.path)
                self._kept.keep(loading.definition, known, has_warnings=has_warnings)

    def _check_loading(self, loading: LoadResult, text: str | None = None) -> tuple[Problem, ...]:
        """Check a loaded workflow, without the lock: the check of one file delays no call of another.

        Two calls that need the same file check it once: the second one waits for the first.
        """
        with self._lock:
            is_cached = self._loadings.get(loading.path) is loading
            checking = self._checking.setdefault(loading.path, Lock()) if is_cached else Lock()
        if not is_cached:
            return self._find_every_problem(loading, text)
        with checking:
            with self._lock:
                if self._loadings.get(loading.path) is loading and loading.path in self._problems:
                    return self._problems[loading.path]
            found = self._find_every_problem(loading, text)
            if not select_errors(found):
                self._keep_sound(loading, has_warnings=bool(found))
            return found

    def _find_every_problem(self, loading: LoadResult, text: str | None) -> tuple[Problem, ...]:
        known = self.find_neighbours(loading.path)
        with self._lock:
            namesakes = self._check_namesakes(loading, known.paths) if text is None else ()
        with pause_collector():
            if loading.definition is None:
                deeper = checks.check_valid_phases(loading, self._tools, known)
            else:
                deeper = checks.check_definition(loading.definition, self._tools, known)
        every = sort_problems((*loading.problems, *deeper, *namesakes))
        source = (display_path(loading.path), read_source_text(loading.path) if text is None else text)
        found = sort_problems(apply_suppressions(every, (source,), complete=loading.definition is not None))
        # What the person allows on this machine may change without a change of any file.
        depends_on_machine = any(one.code == codes.NOT_ALLOWED_HERE.code for one in every)
        with self._lock:
            if self._loadings.get(loading.path) is loading and not depends_on_machine:
                self._problems[loading.path] = found
        return found

    @staticmethod
    def _check_namesakes(loading: LoadResult, paths: WorkflowPaths) -> tuple[Problem, ...]:
        """Report two files of a catalog's folder with the same workflow name; a copy elsewhere is no clash."""
        own = paths.find_known_file(loading.path.absolute())
        others = paths.find_namesakes(own) if own is not None and paths.get_source(own) != "file" else ()
        if own is None or not others:
            return ()
        name = paths.get_name(own)
        place = find_node(loading.definition.root, ("name",)).place if loading.definition else locate_file(loading.path)
        return (
            codes.NAME_CLASH.make_problem(
                place,
                f'two files are called "{name}"',
                help='give one of them another "name"',
                note=f"the other is {' and '.join(display_path(path) for path in others)}",
            ),
        )

    def find_neighbours(self, path: Path) -> Neighbours:
        """Find the workflows that the phases of a file can run; those of an unused file are its neighbours."""
        with self._lock:
            used = self._workflow_paths
            if used.find_known_file(path.absolute()) is not None:
                return Neighbours(used, self._read_neighbour, self._find_errors)
            paths = self._paths.scan_around(path)
        return Neighbours(paths, lambda other: self._read_neighbour(other, paths), self._find_errors)

    def _read_neighbour(self, path: Path, paths: WorkflowPaths | None = None) -> LoadResult:
        """Read a file in use from the cache, and any other again."""
        with self._lock:
            if self._workflow_paths.get_source(path) != "file":
                return self._read_cached(path)
            return self._load_path(path, paths or self._workflow_paths)


class ProjectTrust(Protocol):
    """Trust in the project and in the contents that the person was shown; it may change at any time."""

    def is_trusted(self) -> bool:
        """Return whether the project's own workflows are used."""

    def stamp(self) -> Hashable:
        """Return a value that changes whenever the trust does."""

    def is_unchanged(self, path: Path, content: bytes) -> bool:
        """Return whether a file with this content is used, and the files are unchanged that it is made of."""

    def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
        """Return whether the person was shown these files, each with its SHA-256, as one workflow."""


class TrustedPaths:
    """Files of a project's workflows and of the shipped ones, by the trust in the project.

    Args:
        project: the folder of the project's workflows, which need not exist, or None.
        shipped: the folder of the shipped workflows.
        trust: the trust in the project; None for a folder that needs none.

    Attributes:
        used: the files in use, since the last `follow_trust`.
    """

    def __init__(self, project: Path | None, shipped: Path, trust: ProjectTrust | None) -> None:
        self._project = project
        self._trust = trust
        self._shipped = shipped
        self._shipped_paths = WorkflowPaths((("shipped", shipped),))
        folders = (*((("project", project),) if project else ()), ("shipped", shipped))
        self._every_path = WorkflowPaths(folders)
        self._trusted_paths = WorkflowPaths(folders, trust.is_unchanged) if trust is not None else self._every_path
        self._trust_stamp: Hashable = None
        self.used = self._trusted_paths

    def is_project_used(self) -> bool:
        """Return whether the project is trusted, or has no folder of workflows."""
        if self._trust is None or self._project is None or not self._project.is_dir():
            return True
        return self._trust.is_trusted()

    def follow_trust(self) -> bool:
        """Use the files that the trust allows now; return whether that has changed."""
        stamp = self._trust.stamp() if self._trust is not None else None
        used = self._trusted_paths if self.is_project_used() else self._shipped_paths
        if used is self.used and stamp == self._trust_stamp:
            return False
        self.used, self._trust_stamp = used, stamp
        return True

    def stamp_folders(self) -> FileStamps:
        """Return a stamp that changes whenever a file in use changes, or the trust."""
        is_used = self.is_project_used()
        paths = self._trusted_paths if is_used else self._shipped_paths
        trust = hash(self._trust.stamp()) if self._trust is not None else 0
        return (("trust", int(is_used), trust), *paths.stamp_folders())

    def scan_every_file(self) -> WorkflowPaths:
        """Return all files, the project's trusted or not, to inspect one: it may extend its neighbours."""
        # Files that are in use were scanned when they changed; the others only now.
        if self.used is not self._every_path:
            self._every_path.scan()
        return self._every_path

    def scan_around(self, path: Path) -> WorkflowPaths:
        """Return the files that a file can run or extend: those beside one without a name here, then all."""
        every = self.scan_every_file()
        if every.find_known_file(path.absolute()) is not None:
            return every
        around = WorkflowPaths((("file", path.absolute().parent), *every.folders))
        around.scan()
        return around

    def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
        """Return whether a project's workflow is used that was read from these files, each with its SHA-256.

        It is asked with what was read: a file may have changed since the scan, or one have appeared.
        """
        own = ((path, digest) for path, digest in files if not path.is_relative_to(self._shipped))
        return self._trust is None or self._trust.is_shown(own)

    def list_project_files(self) -> tuple[Path, ...]:
        """List the project's own files, trusted or not."""
        return tuple(list_workflow_files(self._project)) if self._project else ()

    def list_unused_files(self) -> tuple[Path, ...]:
        """List the project's own files that the last scan did not use, since they are not trusted."""
        if not self.is_project_used():
            return self.list_project_files()
        return tuple(path for path in self.list_project_files() if not self.used.has_file(path))

    def find_untrusted_file(self, name: str) -> Path | None:
        """Return the file of a project's workflow of this name that is not trusted; None for any other name."""
        if self._trust is None or self._project is None:
            return None
        every = self.scan_every_file()
        path = every.map_names().get(name)
        if path is None or every.get_source(path) != "project":
            return None
        return None if self.is_project_used() and self.used.has_file(path) else path


MANY_OBJECTS = 10_000
"""New objects from which on they are set aside after a pause: to look through 300,000 twice takes 0.2 s."""


class _PauseCounter:
    """Number of threads for which the collector is paused, and its state before the first of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._was_enabled = False

    def add(self) -> None:
        """Pause the collector for one more thread."""
        with self._lock:
            if self._count == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def remove(self) -> None:
        """End the pause of one thread; the last one enables the collector again."""
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._was_enabled:
                _set_aside()
                gc.enable()


def _set_aside() -> None:
    """Set the objects of a large workflow aside, so that no collection looks through them.

    They are freed like others when the workflow is forgotten. Only garbage in cycles stays, and an edit of a workflow
    of 1,000 phases leaves 40 objects of that kind.
    """
    if gc.get_count()[0] >= MANY_OBJECTS:
        gc.freeze()


_PAUSES = _PauseCounter()


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the garbage collector of the process.

    A workflow of 1,000 phases has a million objects, none of which is garbage before its check ends: the collector
    takes a third of the time to find that out. The size of a workflow is limited, and so is what waits meanwhile.
    """
    _PAUSES.add()
    try:
        yield
    finally:
        _PAUSES.remove()
