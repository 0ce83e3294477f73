"""File to definition: reads a workflow, what it extends, its schemas and its prompts; all problems at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes
from aurora.interpreter.problems.files import TooBig, Unreadable, read_file
from aurora.interpreter.problems.problem import errors
from aurora.interpreter.problems.suggestions import did_you_mean, listed, respelt
from aurora.interpreter.schema.validate import canonical
from aurora.interpreter.yaml.display_path import shown, whole
from aurora.interpreter.yaml.load import read_yaml

from .build import to_model
from .definition import Definition, Loading
from .extends import extend
from .prune_invalid import salvage
from .resources import Resources, read_resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.yaml.node import Node

    from .definition import Source
    from .model import Workflow

MAX_BASES = 8
"""How long a chain of `extends` may be."""


def load(
    path: Path,
    *,
    source: Source,
    base_of: Callable[[str, Path], Path | None],
    known: Callable[[], list[str]] = list,
    text: str | None = None,
) -> Loading:
    """Read the workflow at `path`.

    Args:
        path: the file.
        source: where it was found.
        base_of: gives the file of the workflow that another file `extends`, or None.
        known: the names that `extends` could have meant, for the message.
        text: what is read instead of the file, as if it stood there.
    """
    reading = _Reading(base_of, known, text)
    root = reading.tree(path)
    name = _name(root)
    if root is None:
        return Loading(None, tuple(reading.problems), path, name)
    workflow, problems = to_model(root)
    reading.problems.extend(problems)
    if workflow is None:
        return _rest(root, reading, path, source, name)
    definition, wrong = _defined(workflow, root, reading, path, source)
    every = (*reading.problems, *wrong)
    if not errors(reading.problems):
        return Loading(definition, every, path, name)
    # which of two values was meant nobody knows, so what hangs on more than one phase is left alone
    connected = all(one.code != codes.DUPLICATE_KEY.code for one in reading.problems)
    return Loading(None, every, path, name, definition, connected=connected)


def _defined(
    workflow: Workflow, root: Node, reading: _Reading, path: Path, source: Source
) -> tuple[Definition, tuple[Problem, ...]]:
    resources = read_resources(root, workflow)
    definition = Definition(
        workflow=workflow,
        root=root,
        path=path,
        source=source,
        outputs=resources.outputs,
        answers=resources.answers,
        prompts=resources.prompts,
        digest=_digest(root, resources),
        files=(*reading.files, *resources.files),
    )
    return definition, tuple(resources.problems)


def _rest(root: Node, reading: _Reading, path: Path, source: Source, name: str | None) -> Loading:
    """What is left when the shape is wrong in places; nothing to run, and yet something to look at."""
    saved = salvage(root)
    if saved is None:
        return Loading(None, tuple(reading.problems), path, name)
    rest, wrong = _defined(saved.workflow, saved.root, reading, path, source)
    return Loading(None, (*reading.problems, *wrong), path, name, rest, saved.broken)


def _name(root: Node | None) -> str | None:
    node = root.get("name") if root is not None else None
    return node.value if node is not None and isinstance(node.value, str) else None


def _digest(root: Node, resources: Resources) -> str:
    prompts = {phase: prompt.text for phase, prompt in resources.prompts.items()}
    parts = [root.data(), resources.outputs, resources.answers, prompts]
    return hashlib.sha256(canonical(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class _Reading:
    """The problems and files of one load."""

    base_of: Callable[[str, Path], Path | None]
    known: Callable[[], list[str]]
    text: str | None = None
    problems: list[Problem] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def tree(self, path: Path, chain: tuple[Path, ...] = ()) -> Node | None:
        """The file's tree, merged with what it extends."""
        try:
            text = read_file(path) if chain or self.text is None else self.text
        except TooBig as error:
            self.problems.append(codes.TOO_BIG.at(whole(path), f"the file cannot be read: {error}"))
            return None
        except Unreadable as error:
            help_ = "it is a link; let it lead to a file" if path.is_symlink() else ""
            self.problems.append(codes.UNREADABLE.at(whole(path), f"the file cannot be read: {error}", help=help_))
            return None
        self.files.append(path)
        root, problems = read_yaml(text, shown(path))
        self.problems.extend(problems)
        base = root.get("extends") if root is not None else None
        if root is None or base is None:
            return root
        return self._extended(root, base, path, (*chain, path))

    def _extended(self, root: Node, base: Node, path: Path, chain: tuple[Path, ...]) -> Node | None:
        if not isinstance(base.value, str):
            help_ = "name a workflow: `extends: NAME`"
            self.problems.append(codes.BAD_VALUE.at(base.place, '"extends" must be the name of a workflow', help=help_))
            return None
        found = self.base_of(base.value, path)
        if found is None:
            names = self.known()
            message = f'"{base.value}" is no workflow that could be extended; expected one of {listed(names)}'
            help_, fix = did_you_mean(base.value, names), respelt(base.value, names)
            self.problems.append(codes.UNKNOWN_BASE.at(base.place, message, help=help_, fix=fix))
            return None
        if found in chain or len(chain) > MAX_BASES:
            circle = f'"{base.value}" itself extends this workflow'
            message = circle if found in chain else f"more than {MAX_BASES} workflows extend one another"
            note = f'"{base.value}" is {shown(found)}'
            self.problems.append(codes.UNKNOWN_BASE.at(base.place, message, help="extend another one", note=note))
            return None
        tree = self.tree(found, chain)
        if tree is None or tree.kind != "map":
            return tree
        merged, problems = extend(tree, root)
        self.problems.extend(problems)
        return merged
