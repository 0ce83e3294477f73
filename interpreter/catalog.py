"""The workflows there are: a project's own before the shipped ones; read once, read again when a file changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from ..faults import Code, Fault
from .checks import check
from .choices import did_you_mean, listed
from .loader import load, shown
from .problems import errors, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .definition import Definition, Loading, Source
    from .ports import Toolbox
    from .problems import Problem

SHIPPED = Path(__file__).resolve().parent.parent / "workflows"

Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """One workflow of the catalog, as a list shows it."""

    name: str
    version: str
    title: str
    source: Source
    path: str
    phases: int
    problems: int


class Catalog:
    """Finds and reads workflows; may be used from several threads.

    Args:
        project: the project's workflows folder (it need not exist), or None.
        tools: what phases may use; None leaves the tools unchecked.
        shipped: the folder of the workflows that come with the program.
    """

    def __init__(self, project: Path | None, tools: Toolbox | None = None, shipped: Path = SHIPPED) -> None:
        self._folders: tuple[tuple[Source, Path], ...] = (
            *((("project", project),) if project else ()),
            ("shipped", shipped),
        )
        self._tools = tools
        self._lock = RLock()
        self._stamp: Stamp | None = None
        self._loadings: dict[Path, Loading] = {}
        self._problems: dict[Path, tuple[Problem, ...]] = {}

    def stamp(self) -> Stamp:
        """Changes whenever a file of any workflow does: path, time and size of each."""
        return tuple(sorted(_stamps(folder for _, folder in self._folders)))

    def names(self) -> tuple[str, ...]:
        """The names that can be asked for, broken ones too."""
        with self._lock:
            return tuple(sorted(self._index()))

    def open(self, name: str) -> Definition:
        """The workflow of this name, its structure read but the rest not yet checked: enough to describe it.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the problems of its file.
        """
        with self._lock:
            loading = self._find(name)
            if loading.definition is None:
                raise _broken(name, in_order(loading.problems))
            return loading.definition

    def load(self, name: str) -> Definition:
        """The workflow of this name, checked and fit to run.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the errors of its file.
        """
        with self._lock:
            loading = self._find(name)
            found = errors(self._checked(loading))
            if found or loading.definition is None:
                raise _broken(name, found)
            return loading.definition

    def problems(self, name_or_path: str) -> tuple[Problem, ...]:
        """Every problem of a workflow, by its name or by its file, in order.

        Raises:
            Fault: NOT_FOUND when it is neither.
        """
        with self._lock:
            path = Path(name_or_path)
            if path.suffix in (".yaml", ".yml") or path.is_file():
                if not path.is_file():
                    raise Fault(Code.NOT_FOUND, f'there is no file "{name_or_path}"')
                return self._checked(self._read(path.absolute(), "file"))
            return self._checked(self._find(name_or_path))

    def summaries(self) -> tuple[Summary, ...]:
        """All workflows, by name."""
        with self._lock:
            return tuple(self._summary(name, loading) for name, loading in sorted(self._index().items()))

    def _summary(self, name: str, loading: Loading) -> Summary:
        found = errors(self._checked(loading))
        flow = loading.definition.workflow if loading.definition else None
        return Summary(
            name=name,
            version=flow.version if flow else "",
            title=flow.title if flow else "",
            source=self._source(loading.path),
            path=shown(loading.path),
            phases=len(flow.phases) if flow else 0,
            problems=len(found),
        )

    def _find(self, name: str) -> Loading:
        index = self._index()
        if name in index:
            return index[name]
        help_ = did_you_mean(name, index) or f"there are {listed(index)}; `aur workflow list` shows them"
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow "{name[:80]}"',
            help=help_,
            details={"workflows": sorted(index)},
        )

    def _index(self) -> dict[str, Loading]:
        """Name to file; a project's own hides a shipped one. Read anew when anything changed."""
        stamp = self.stamp()
        if stamp != self._stamp:
            self._stamp = stamp
            self._loadings.clear()
            self._problems.clear()
        found: dict[str, Loading] = {}
        for source, folder in self._folders:
            for path in _workflow_files(folder):
                loading = self._read(path, source)
                found.setdefault(loading.name or path.stem, loading)
        return found

    def _read(self, path: Path, source: Source) -> Loading:
        if source == "file":
            return load(path, source=source, base_of=self._base_of, known=self._stems)
        if path not in self._loadings:
            self._loadings[path] = load(path, source=source, base_of=self._base_of, known=self._stems)
        return self._loadings[path]

    def _base_of(self, name: str, asking: Path) -> Path | None:
        """The file that `extends: NAME` means: never the asking file itself, so that a project's soar extends ours."""
        for _, folder in self._folders:
            for path in _workflow_files(folder):
                if path.stem == name and path != asking:
                    return path
        return None

    def _stems(self) -> list[str]:
        return sorted({path.stem for _, folder in self._folders for path in _workflow_files(folder)})

    def _checked(self, loading: Loading) -> tuple[Problem, ...]:
        cached = self._problems.get(loading.path)
        if cached is not None and self._loadings.get(loading.path) is loading:
            return cached
        deeper = check(loading.definition, self._tools) if loading.definition else ()
        found = in_order((*loading.problems, *deeper))
        if self._loadings.get(loading.path) is loading:
            self._problems[loading.path] = found
        return found

    def _source(self, path: Path) -> Source:
        return next((source for source, folder in self._folders if path.is_relative_to(folder)), "file")


def _workflow_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml") and path.is_file())
    except OSError:
        return []


def _stamps(folders: Iterator[Path]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for path in folder.rglob("*"):
            try:
                status = path.stat()
            except OSError:
                continue
            if not path.is_dir():
                yield str(path), status.st_mtime_ns, status.st_size


def _broken(name: str, problems: tuple[Problem, ...]) -> Fault:
    count = f"{len(problems)} error" + ("" if len(problems) == 1 else "s")
    return Fault(
        Code.INVALID_INPUT,
        f'workflow "{name}" has {count}: {problems[0].heading}' if problems else f'workflow "{name}" cannot be read',
        help=f"`aur workflow validate {name}` shows them all",
        details={"problems": [problem.heading for problem in problems[:20]]},
    )
