"""The workflows there are: a project's own before the shipped ones; read once, read again when a file changes."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.interpreter.language.build import find
from aurora.interpreter.language.definition import Loading
from aurora.interpreter.language.loader import load
from aurora.interpreter.problems import codes
from aurora.interpreter.problems.problem import errors, in_order
from aurora.interpreter.problems.render import text_of
from aurora.interpreter.problems.suggestions import did_you_mean, listed
from aurora.interpreter.yaml.display_path import shown, whole

from .paths import Shelf
from .suppressions import without_ignored

if TYPE_CHECKING:
    from aurora.interpreter.analysis.proof import Proof
    from aurora.interpreter.language.definition import Definition, Source
    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.run.ports import Toolbox

    from .paths import Stamp

SHIPPED = Path(__file__).resolve().parents[2] / "workflows"


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
        self._shelf = Shelf((*((("project", project),) if project else ()), ("shipped", shipped)))
        self._tools = tools
        self._lock = RLock()
        self._stamp: Stamp | None = None
        self._loadings: dict[Path, Loading] = {}
        self._problems: dict[Path, tuple[Problem, ...]] = {}
        self._good: dict[str, Definition] = {}
        self._steady: dict[str, Stamp] = {}  # what the good edition was made from, as it was then

    def stamp(self) -> Stamp:
        """Changes whenever a file of any workflow does."""
        return self._shelf.stamp()

    def names(self) -> tuple[str, ...]:
        """The names that can be asked for, broken ones too."""
        with self._lock:
            self._refresh()
            return tuple(sorted(self._shelf.names()))

    def open(self, name: str) -> Definition:
        """The workflow of this name, its structure read but the rest not yet checked: enough to describe it.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the problems of its file.
        """
        with self._lock:
            loading = self._find(name)
            if name in self._good:
                return self.load(name)
            if loading.definition is None:
                raise _broken(name, in_order(loading.problems))
            return loading.definition

    def load(self, name: str) -> Definition:
        """The workflow of this name, checked and fit to run.

        An edit that breaks the file does not stop who is at work: the last good edition stands in for it, and its
        `stands_in` tells, until the file is mended.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the errors of its file when it was never good.
        """
        with self._lock:
            if name in self._steady and self._shelf.stamp_of(self._good[name].files) == self._steady[name]:
                return self._good[name]
            loading = self._find(name)
            found = errors(self._checked(loading))
            if not found and loading.definition is not None:
                self._good[name] = loading.definition
                self._keep_stamp(name)
                return loading.definition
            if name not in self._good:
                raise _broken(name, found)
            return replace(self._good[name], stands_in=found[0].heading if found else "the file cannot be read")

    def load_file(self, path: Path) -> Definition:
        """The workflow of this file, wherever it lies, checked and fit to run.

        Raises:
            Fault: NOT_FOUND, or INVALID_INPUT with the errors of the file.
        """
        with self._lock:
            if not os.path.lexists(path):
                raise Fault(Code.NOT_FOUND, f'there is no file "{str(path)[:200]}"')
            self._refresh()
            own = self._shelf.own(path)
            loading = self._read(own) if own else self._load(path, "file")
            found = errors(self._checked(loading))
            if found or loading.definition is None:
                raise _broken(loading.name or path.name, found)
            return loading.definition

    def problems(self, name_or_path: str) -> tuple[Problem, ...]:
        """Every problem of a workflow, by its name or by its file, in order.

        Raises:
            Fault: NOT_FOUND when it is neither.
        """
        with self._lock:
            return self._checked(self._meant(name_or_path))

    def legible(self, name_or_path: str) -> tuple[Definition | None, tuple[Problem, ...]]:
        """What can be read of a workflow, by its name or by its file, to be looked at and not to be run; its problems.

        Raises:
            Fault: NOT_FOUND when it is neither.
        """
        with self._lock:
            loading = self._meant(name_or_path)
            return loading.definition or loading.rest, self._checked(loading)

    def shaped(self, name_or_path: str) -> tuple[Definition | None, tuple[Problem, ...]]:
        """A workflow whose shape is whole, be the rest of it wrong, by its name or by its file; its problems.

        Raises:
            Fault: NOT_FOUND when it is neither.
        """
        with self._lock:
            loading = self._meant(name_or_path)
            return loading.definition, self._checked(loading)

    def problems_of(self, definition: Definition) -> tuple[Problem, ...]:
        """Every problem of a definition, wherever it was read."""
        from aurora.interpreter.checks import check  # noqa: PLC0415 - 15 ms that listing tools must not pay

        return check(definition, self._tools)

    def problems_in(self, text: str, path: Path) -> tuple[Problem, ...]:
        """Every problem of a text, as if it stood in the file `path`, which need not exist."""
        with self._lock:
            self._refresh()
            own = self._shelf.own(path.absolute()) or path
            return self._checked(self._load(own, self._shelf.source(own), text), text)

    def proof_in(self, text: str, path: Path) -> Proof | None:
        """What holds of every run of a text, as if it stood in the file `path`; None when it has errors."""
        from aurora.interpreter.analysis.proof import proof  # noqa: PLC0415 - a server's start does not need it

        with self._lock:
            self._refresh()
            loading = self._load(path, self._shelf.source(path), text)
            if loading.definition is None or errors(self._checked(loading, text)):
                return None
            return proof(loading.definition, self._tools)

    def proof(self, name_or_path: str) -> Proof | None:
        """What holds of every run of a workflow, by its name or by its file; None when it has errors.

        Raises:
            Fault: NOT_FOUND when it is neither.
        """
        from aurora.interpreter.analysis.proof import proof  # noqa: PLC0415 - a server's start does not need it

        with self._lock:
            loading = self._meant(name_or_path)
            if loading.definition is None or errors(self._checked(loading)):
                return None
            return proof(loading.definition, self._tools)

    def path(self, name: str) -> Path:
        """The file of the workflow of this name.

        Raises:
            Fault: NOT_FOUND.
        """
        with self._lock:
            return self._find(name).path

    def summaries(self) -> tuple[Summary, ...]:
        """All workflows, by name."""
        with self._lock:
            self._refresh()
            return tuple(self._summary(name, self._read(path)) for name, path in sorted(self._shelf.names().items()))

    def _summary(self, name: str, loading: Loading) -> Summary:
        found = errors(self._checked(loading))
        flow = loading.definition.workflow if loading.definition else None
        return Summary(
            name=name,
            version=flow.version if flow else "",
            title=flow.title if flow else "",
            source=self._shelf.source(loading.path),
            path=shown(loading.path),
            phases=len(flow.phases) if flow else 0,
            problems=len(found),
        )

    def _meant(self, name_or_path: str) -> Loading:
        if not name_or_path.endswith((".yaml", ".yml")) and not os.path.isfile(name_or_path):  # noqa: PTH113 - Path's raises on a name too long
            return self._find(name_or_path)
        if not os.path.lexists(name_or_path):
            raise Fault(Code.NOT_FOUND, f'there is no file "{name_or_path[:200]}"')
        self._refresh()
        path = Path(name_or_path).absolute()
        own = self._shelf.own(path)
        return self._read(own) if own else self._load(path, "file")

    def _find(self, name: str) -> Loading:
        self._refresh()
        names = self._shelf.names()
        if name in names:
            return self._read(names[name])
        help_ = did_you_mean(name[:80], names) or f"there are {listed(names)}; `aur workflow list` shows them"
        raise Fault(
            Code.NOT_FOUND,
            f'there is no workflow "{name[:80]}"',
            help=help_,
            details={"workflows": sorted(names)},
        )

    def _refresh(self) -> None:
        """Forget what was read when anything changed."""
        stamp = self.stamp()
        if stamp != self._stamp:
            self._stamp = stamp
            self._loadings.clear()
            self._problems.clear()
            self._shelf.look()

    def _keep_stamp(self, name: str) -> None:
        """Note what the good edition was made from, unless a file was changed while it was read."""
        stamp = self._shelf.stamp_of(self._good[name].files)
        if self.stamp() == self._stamp:
            self._steady[name] = stamp

    def _read(self, path: Path) -> Loading:
        if path not in self._loadings:
            self._loadings[path] = self._load(path, self._shelf.source(path))
        return self._loadings[path]

    def _load(self, path: Path, source: Source, text: str | None = None) -> Loading:
        if self._shelf.leads_out(path):
            message = "the file is a link that leads out of the workflows' folder"
            problem = codes.LEAVES_FOLDER.at(whole(path), message, help="put the file itself there")
            return Loading(None, (problem,), path, None)
        known = lambda: sorted(self._shelf.names())  # noqa: E731 - asked for only by a message
        return load(path, source=source, base_of=self._shelf.base_of, known=known, text=text)

    def _checked(self, loading: Loading, text: str | None = None) -> tuple[Problem, ...]:
        ours = self._loadings.get(loading.path) is loading
        if ours and loading.path in self._problems:
            return self._problems[loading.path]
        from aurora.interpreter.checks import check, check_rest  # noqa: PLC0415 - 15 ms that listing tools must not pay

        deeper = check(loading.definition, self._tools) if loading.definition else check_rest(loading, self._tools)
        every = in_order((*loading.problems, *deeper, *(self._namesakes(loading) if ours else ())))
        said = (shown(loading.path), text_of(loading.path) if text is None else text)
        found = in_order(without_ignored(every, (said,), complete=loading.definition is not None))
        if ours:
            self._problems[loading.path] = found
        return found

    def _namesakes(self, loading: Loading) -> tuple[Problem, ...]:
        """The problem of two files of one folder that bear one name: neither is the one that was meant."""
        others = self._shelf.namesakes(loading.path)
        if not others:
            return ()
        name = self._shelf.name(loading.path)
        place = find(loading.definition.root, ("name",)).place if loading.definition else whole(loading.path)
        return (
            codes.CLASH.at(
                place,
                f'two files are called "{name}"',
                help='give one of them another "name"',
                note=f"the other is {' and '.join(shown(path) for path in others)}",
            ),
        )


def _broken(name: str, problems: tuple[Problem, ...]) -> Fault:
    count = f"{len(problems)} error" + ("" if len(problems) == 1 else "s")
    return Fault(
        Code.INVALID_INPUT,
        f'workflow "{name}" has {count}: {problems[0].heading}' if problems else f'workflow "{name}" cannot be read',
        help=f"`aur workflow validate {name}` shows them all",
        details={"problems": [problem.heading for problem in problems[:20]]},
    )
