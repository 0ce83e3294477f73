"""File to definition: reads a workflow, what it extends, its schemas and its prompts; all problems at once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import codes
from .choices import did_you_mean, listed
from .definition import Definition, Loading, Prompt
from .extending import extend
from .source import MAX_BYTES, Node, read_yaml
from .structure import find, to_model
from .values import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .definition import Source
    from .model import Workflow
    from .problems import Problem

MAX_BASES = 8
PROMPT_ENDINGS = (".md", ".txt", ".j2", ".jinja")

Bases = "Callable[[str, Path], Path | None]"


def load(
    path: Path,
    *,
    source: Source,
    base_of: Callable[[str, Path], Path | None],
    known: Callable[[], list[str]] = list,
) -> Loading:
    """Read the workflow at `path`.

    Args:
        path: the file.
        source: where it was found.
        base_of: gives the file of the workflow that another file `extends`, or None.
        known: the names that `extends` could have meant, for the message.
    """
    reading = _Reading(base_of, known)
    root = reading.tree(path)
    name = _name(root)
    if root is None:
        return Loading(None, tuple(reading.problems), path, name)
    workflow, problems = to_model(root)
    reading.problems.extend(problems)
    if workflow is None:
        return Loading(None, tuple(reading.problems), path, name)
    resources = _Resources(root, workflow, reading)
    resources.read()
    definition = Definition(
        workflow=workflow,
        root=root,
        path=path,
        source=source,
        outputs=resources.outputs,
        answers=resources.answers,
        prompts=resources.prompts,
        digest=_digest(root, resources),
        files=tuple(reading.files),
    )
    return Loading(definition, tuple(reading.problems), path, name)


def shown(path: Path) -> str:
    """The path as a person would name it: relative when that is inside the current folder."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return str(path)


def _name(root: Node | None) -> str | None:
    node = root.get("name") if root is not None and root.kind == "map" else None
    return node.value if node is not None and isinstance(node.value, str) else None


def _digest(root: Node, resources: _Resources) -> str:
    prompts = {phase: prompt.text for phase, prompt in resources.prompts.items()}
    whole = [root.data(), resources.outputs, resources.answers, prompts]
    return hashlib.sha256(canonical(whole).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class _Reading:
    """The problems and files of one load."""

    base_of: Callable[[str, Path], Path | None]
    known: Callable[[], list[str]]
    problems: list[Problem] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def tree(self, path: Path, chain: tuple[Path, ...] = ()) -> Node | None:
        """The file's tree, merged with what it extends."""
        try:
            text = path.read_bytes()
        except OSError as error:
            message = f"the file cannot be read: {error.strerror or error}"
            self.problems.append(codes.UNREADABLE.at(_start(path), message))
            return None
        self.files.append(path)
        root, problems = read_yaml(text, shown(path))
        self.problems.extend(problems)
        base = root.get("extends") if root is not None and root.kind == "map" else None
        if root is None or base is None:
            return root
        return self._extended(root, base, path, (*chain, path))

    def _extended(self, root: Node, base: Node, path: Path, chain: tuple[Path, ...]) -> Node | None:
        found = self.base_of(base.value, path) if isinstance(base.value, str) else None
        if found is None or found in chain or len(chain) > MAX_BASES:
            message = f'"{base.value}" is no workflow that could be extended'
            if found is not None:
                message = f'"{base.value}" extends this workflow itself'
            names = self.known()
            help_ = did_you_mean(str(base.value), names) or f"there are {listed(names)}"
            self.problems.append(codes.UNKNOWN_BASE.at(base.place, message, help=help_))
            return None
        tree = self.tree(found, chain)
        return None if tree is None or tree.kind != "map" else extend(tree, root)


class _Resources:
    """The schemas and prompts that a workflow names, inline or in files under its folder."""

    def __init__(self, root: Node, workflow: Workflow, reading: _Reading) -> None:
        self.root = root
        self.workflow = workflow
        self.reading = reading
        self.outputs: dict[str, Mapping[str, Any]] = {}
        self.answers: dict[str, Mapping[str, Any]] = {}
        self.prompts: dict[str, Prompt] = {}

    def read(self) -> None:
        """Read them all; problems go to the reading."""
        for name, phase in self.workflow.phases.items():
            for key, value, kept in (("output", phase.output, self.outputs), ("answer", phase.answer, self.answers)):
                schema = self._schema(name, key, value)
                if schema is not None:
                    kept[name] = schema
            if phase.prompt_template is not None:
                self._prompt(name, phase.prompt_template)

    def _schema(self, phase: str, key: str, value: str | dict[str, Any] | None) -> Mapping[str, Any] | None:
        if value is None or isinstance(value, dict):
            return value
        node = find(self.root, ("phases", phase, key))
        text = self._file(node, value)
        if text is None:
            return None
        try:
            schema = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._problem(codes.BAD_SCHEMA, node, f'"{value}" is not JSON: {error}')
            return None
        if not isinstance(schema, dict):
            self._problem(codes.BAD_SCHEMA, node, f'"{value}" holds no JSON Schema: a schema is an object')
            return None
        return schema

    def _prompt(self, phase: str, value: str) -> None:
        node = find(self.root, ("phases", phase, "prompt_template"))
        if "\n" in value or " " in value or not value.endswith(PROMPT_ENDINGS):
            self.prompts[phase] = Prompt(value, f'prompt of "{phase}"', from_file=False)
            return
        text = self._file(node, value)
        if text is not None:
            self.prompts[phase] = Prompt(text, value, from_file=True)

    def _file(self, node: Node, name: str) -> str | None:
        """The text of a file under the folder of the workflow file that names it."""
        folder = Path(node.place.path).resolve().parent
        path = folder / name
        try:
            real = path.resolve()
            if not real.is_relative_to(folder):
                self._problem(codes.LEAVES_FOLDER, node, f'"{name}" leads out of the workflow\'s folder')
                return None
            if real.is_file() and real.stat().st_size > MAX_BYTES:
                self._problem(codes.TOO_BIG, node, f'"{name}" is larger than {MAX_BYTES:,} bytes')
                return None
            text = real.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            self._problem(codes.ENCODING, node, f'"{name}" is not UTF-8', "save the file as UTF-8")
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a file name"
            self._problem(codes.MISSING_FILE, node, f'"{name}" cannot be read: {reason}', _near(folder, name))
            return None
        self.reading.files.append(real)
        return text

    def _problem(self, kind: codes.Kind, node: Node, message: str, help_: str = "") -> None:
        self.reading.problems.append(kind.at(node.place, message, help=help_))


def _start(path: Path) -> Any:
    from .problems import Place  # noqa: PLC0415 - one use

    return Place(shown(path), 1, 1, 1, 2)


def _near(folder: Path, name: str) -> str:
    try:
        files = [
            found.relative_to(folder).as_posix()
            for pattern in ("*", "*/*", "*/*/*")
            for found in sorted(folder.glob(pattern))[:500]
            if found.is_file()
        ]
    except OSError:
        return ""
    return did_you_mean(name, files)
