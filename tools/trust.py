"""Workflows and agents that a project brings: what they are made of, and whether they are used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from aurora import hosts, trust
from aurora.errors import Fault
from aurora.interpreter.catalog.paths import MAX_ENTRIES, WORKFLOW_SUFFIXES, list_workflow_files
from aurora.system.paths.read import read_inside
from aurora.tools.core import PROJECT_WORKFLOWS
from aurora.trust import MAX_CONTENT_BYTES, hash_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from aurora.interpreter import Definition
    from aurora.tools.core import Project
    from aurora.trust import FileHashes, OwnDefinitions, ShownContents

ContentKind = Literal["workflow", "part of a workflow", "agent", "test with real tools", "assistant's settings"]
FileState = Literal["new", "changed", "shown"]
MAX_CASE_FILES = 2_000
"""Files of the projects of a file of tests; as many as one may have."""
MAX_WORKFLOWS = 200
"""Limit for the workflows that are read, as for those of a project that are used; a clone may bring any number."""
_FIRST_ENTRIES = 1_000
"""Limit for the entries of the folder of workflows that are counted at each start: a clone may bring any number."""
_FIRST_AGENTS = 100
"""Limit for the agents that are counted at each start; each costs some tenths of a millisecond."""


def survey_project(root: Path, *, whole: bool = False) -> OwnDefinitions:
    """List the files of the project's own workflows and agents, up to a limit.

    Args:
        root: the project's folder.
        whole: take the limits up to which a trusted folder's files are used, instead of the first few.
    """
    most = MAX_ENTRIES if whole else _FIRST_ENTRIES
    workflows, is_complete = _list_workflows(root, most)
    most_agents = hosts.MAX_AGENT_FILES if whole else _FIRST_AGENTS
    agents = hosts.list_agent_files(root, most_agents)
    return trust.OwnDefinitions(workflows, agents, is_complete and len(agents) < most_agents)


def survey_unused(project: Project) -> OwnDefinitions:
    """List the project's own files that are not used: without trust all, else the changed ones."""
    found = project.trust
    if found.uses_every_content:
        return trust.OwnDefinitions()
    own = survey_project(project.root)
    if not own or not found.is_trusted():
        return own
    workflows = tuple(file for file in own.workflows if not is_file_trusted(project, file))
    agents = tuple(file for file in own.agents if not is_file_trusted(project, file))
    return trust.OwnDefinitions(workflows, agents, is_changed=True)


def build_notice(project: Project) -> str:
    """Build the sentence that reports unused files, for people and models; empty when there are none."""
    unused = survey_unused(project)
    if not unused:
        return ""
    return (
        f"Not used: {unused.count_files()} of this folder, {unused.reason}. "
        "`aur trust` in a terminal shows them, and asks."
    )


def is_file_trusted(project: Project, file: str) -> bool:
    """Return whether a file of the project is as the person was shown it, with all that it is made of.

    Args:
        project: the open project.
        file: relative to it.
    """
    try:
        content = read_inside(project.root, file, trust.MAX_CONTENT_BYTES)
    except Fault:  # a link that leads outside, which is never used
        return False
    return project.trust.is_unchanged(project.root / file, content)


def _list_workflows(root: Path, most: int) -> tuple[tuple[str, ...], bool]:
    """List the workflow files, and whether these are all."""
    try:
        with os.scandir(root / PROJECT_WORKFLOWS) as entries:
            names = [entry.name for entry in islice(entries, most + 1)]
    except OSError:
        return (), True
    found = sorted(name for name in names if name.endswith(WORKFLOW_SUFFIXES) and not name.startswith("."))
    return tuple(f"{PROJECT_WORKFLOWS}/{name}" for name in found), len(names) <= most


@dataclass(frozen=True, slots=True)
class OwnFile:
    """File of the project, as it was read for the person.

    Attributes:
        path: relative to the project, with slashes.
        kind: what it is used as.
        state: whether the person was shown this content before.
        content: its bytes.
    """

    path: str
    kind: ContentKind
    state: FileState
    content: bytes

    @property
    def text(self) -> str:
        """The content as text; a byte that is no UTF-8 is an escape."""
        return self.content.decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class OwnContents:
    """Definitions of the project, and each file of them once.

    Attributes:
        definitions: the files of each definition, its own first.
        files: the files, in the order of the definitions.
    """

    definitions: tuple[FileHashes, ...]
    files: tuple[OwnFile, ...]

    @property
    def unshown(self) -> tuple[OwnFile, ...]:
        """The files that the person has not been shown yet."""
        return tuple(file for file in self.files if file.state != "shown")


def read_contents(project: Project, extra: Iterable[Path] = ()) -> OwnContents:
    """Read all that a project brings and that is used on trust.

    Args:
        project: the open project.
        extra: workflow files elsewhere in the project, which the person named.
    """
    shown = project.trust.read_shown()
    files: dict[str, OwnFile] = {}
    definitions: list[FileHashes] = []
    for kind, paths in _list_definitions(project, extra):
        read = {path: content for path in paths if (content := _read_file(project.root, path)) is not None}
        if not read or paths[0] not in read:
            continue
        hashes = tuple((path, hash_bytes(content)) for path, content in read.items())
        definitions.append(hashes)
        states = _compare_files(hashes, shown)
        for path, content in read.items():
            of_kind = kind if path == paths[0] or kind != "workflow" else "part of a workflow"
            if path not in files or files[path].state == "shown" or of_kind == "workflow":
                files[path] = OwnFile(path, of_kind, states[path], content)
    return OwnContents(tuple(definitions), tuple(files.values()))


def _compare_files(hashes: FileHashes, shown: ShownContents) -> dict[str, FileState]:
    """Compare the files of a definition with what was shown; a new combination is a change, too."""
    if shown.has(hashes):
        return {path: "shown" for path, _ in hashes}
    states: dict[str, FileState] = {
        path: "shown" if shown.has_file(path, digest) else "changed" if shown.has_path(path) else "new"
        for path, digest in hashes
    }
    is_mixed = all(state == "shown" for state in states.values())
    return dict.fromkeys(states, "changed") if is_mixed else states


def _list_definitions(project: Project, extra: Iterable[Path]) -> Iterator[tuple[ContentKind, tuple[str, ...]]]:
    """List the definitions, each with the paths of its files, its own first."""
    from aurora.interpreter.lab.cases import CASE_FOLDER  # noqa: PLC0415 - a call that only counts files does not load it

    own = survey_project(project.root, whole=True)
    for file in (*own.workflows, *(path.relative_to(project.root).as_posix() for path in extra)):
        yield "workflow", _list_files(file, project)
    for file in own.agents:
        yield "agent", (file,)
    for path in list_workflow_files(project.root / PROJECT_WORKFLOWS / CASE_FOLDER):
        if case_files := list_case_files(path, project.root):
            yield "test with real tools", case_files
    person = hosts.UserPaths.from_environment()
    for host in hosts.HOSTS:
        for state in hosts.read_host_states(host, project.root, person):
            if state.scope == "project":
                yield "assistant's settings", (state.file,)


def _list_files(file: str, project: Project) -> tuple[str, ...]:
    """List the files that a workflow is made of, without those that come with Aurora."""
    root = project.root
    try:
        definition: Definition | None = project.workflows.load_partial(str(root / file))[0]
    except Fault:
        definition = None
    paths = definition.files if definition is not None else ()
    own = (path for path in paths if path.is_relative_to(root) and not project.workflows.is_shipped(path))
    return tuple(dict.fromkeys([file, *(path.relative_to(root).as_posix() for path in own)]))


def list_case_files(path: Path, root: Path) -> tuple[str, ...]:
    """List a file of tests and the files of its projects; none when it runs no real tools."""
    from aurora.interpreter.lab.cases import PROJECT_HERE, read_cases  # noqa: PLC0415 - as above

    try:
        found = [case for case in read_cases(path) if case.script.runs_tools]
    except Fault:
        return ()
    folders = sorted({path.parent / case.project for case in found if case.project not in (None, PROJECT_HERE)})
    inside = (file for folder in folders for file in sorted(folder.rglob("*")) if not file.is_dir())
    files = (path, *islice(inside, MAX_CASE_FILES)) if found else ()
    return tuple(os.path.relpath(file, root).replace(os.sep, "/") for file in files)


def is_case_trusted(path: Path, project: Project) -> bool:
    """Return whether the tests of a file may run real tools: the person was shown all of it."""
    if project.trust.uses_every_content:
        return True
    contents = {file: _read_file(project.root, file) for file in list_case_files(path, project.root)}
    read = [(project.root / file, hash_bytes(content)) for file, content in contents.items() if content is not None]
    return len(read) == len(contents) and project.trust.is_shown(read)


def is_definition_trusted(definition: Definition, project: Project) -> bool:
    """Return whether a workflow that was read is used: one of the project only as the person was shown it."""
    read = zip(definition.files, definition.hashes, strict=True)
    return project.trust.is_shown(one for one in read if not project.workflows.is_shipped(one[0]))


def _read_file(root: Path, path: str) -> bytes | None:
    try:
        return read_inside(root, path, MAX_CONTENT_BYTES)
    except Fault:  # it is missing, or leaves the project, and is not used
        return None


def check_large_workflows(project: Project) -> None:
    """Check the large workflows of a trusted project; those without errors are kept as checked.

    Without trust nothing is kept, so nothing is checked.
    """
    from aurora.interpreter.catalog.kept import is_large  # noqa: PLC0415 - as above

    if not project.trust.is_trusted():
        return
    for file in survey_project(project.root).workflows[:MAX_WORKFLOWS]:
        if is_large(project.root / file):
            project.workflows.find_problems(str(project.root / file))
