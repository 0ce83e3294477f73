"""Loader of a workflow with its bases, schemas and prompts."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from aurora.interpreter.problems import (
    FileTooBigError,
    UnreadableFileError,
    codes,
    did_you_mean,
    limit_suggestions,
    list_names,
    read_file,
    select_errors,
    suggest_fix,
)
from aurora.interpreter.schema.json_values import to_canonical_json
from aurora.interpreter.yaml import Node, display_path, locate_file, make_map, read_yaml, to_key_text

from .build import EXTENDS, MAX_STRUCTURAL_PROBLEMS, find_node, locate_faults, to_model
from .definition import Definition, LoadResult, fill_input_schemas
from .document import Document
from .extends import apply_patch, correct_extends
from .model import END, LANGUAGE_VERSION, Phase, Workflow
from .repair import repair_structure
from .resources import Resources, hash_content, put_params_in_place, read_resources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter.problems import Problem

    from .definition import WorkflowSource

MAX_BASES = 8
"""Limit of the length of a chain of `extends`."""


def load_workflow(
    path: Path,
    *,
    source: WorkflowSource,
    base_of: Callable[[str, Path], Path | None],
    known: Callable[[Path], list[str]] = lambda _: [],
    text: str | None = None,
) -> LoadResult:
    """Read the workflow at `path`.

    Args:
        path: the file.
        source: the origin of the file.
        base_of: returns the file of the workflow that another file `extends`, or None.
        known: returns the names that `extends` in a file can refer to, for the message.
        text: the text to read instead of the file.
    """
    with limit_suggestions():
        return _load_workflow(path, source, _LoadSession(base_of, known, text))


def _load_workflow(path: Path, source: WorkflowSource, reading: _LoadSession) -> LoadResult:
    root = reading.read_tree(path)
    name = _read_name(root)
    if root is None:
        return LoadResult(None, tuple(reading.problems), path, name)
    data = root.to_data()
    workflow, problems = to_model(root, data)
    reading.add_structural(problems)
    if workflow is None:
        return _load_partial(root, reading, path, source, name)
    definition, further = _build_definition(workflow, (root, data), reading, path, source)
    all_problems = (*reading.problems, *further)
    if not select_errors(reading.problems):
        return LoadResult(definition, all_problems, path, name)
    return LoadResult(None, all_problems, path, name, definition, connected=_is_connected(reading))


def _is_connected(reading: _LoadSession) -> bool:
    """Return whether the rules are those that were meant: none is lost by a key twice or a removal."""
    lost = (codes.DUPLICATE_KEY.code, codes.STILL_NEEDED.code)
    return all(problem.code not in lost for problem in reading.problems)


def _build_definition(
    workflow: Workflow, document: tuple[Node, Any], reading: _LoadSession, path: Path, source: WorkflowSource
) -> tuple[Definition, tuple[Problem, ...]]:
    """Build the definition of a document, given as its tree and its plain value."""
    root, data = document
    resources = read_resources(partial(find_node, root), workflow)
    files = reading.files, reading.hashes
    resources.files[:0] = reading.settings.files
    resources.hashes[:0] = reading.settings.hashes
    definition = _make_definition(workflow, Document(lambda: root, data), resources, (path, source), files)
    return definition, tuple(resources.problems)


def _make_definition(
    workflow: Workflow,
    document: Document,
    resources: Resources,
    origin: tuple[Path, WorkflowSource],
    files: tuple[list[Path], list[str]],
) -> Definition:
    """Make a definition.

    Args:
        workflow: the model.
        document: the document.
        resources: the schemas and prompts, and every file but those of the workflow and its bases.
        origin: the workflow's own file, and where it comes from.
        files: the files of the workflow and its bases, and the hash of each.
    """
    text = _to_text(document.data, resources)
    return Definition(
        workflow=fill_input_schemas(workflow, resources.outputs, resources.answers),
        document=document,
        path=origin[0],
        source=origin[1],
        outputs=resources.outputs,
        answers=resources.answers,
        prompts=resources.prompts,
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        files=(*files[0], *resources.files),
        hashes=(*files[1], *resources.hashes),
        bases=len(files[0]) - 1,
        run_names=frozenset(_RUN_NAME.findall(text)),
    )


def _load_partial(
    root: Node, reading: _LoadSession, path: Path, source: WorkflowSource, name: str | None
) -> LoadResult:
    """Load the valid parts of a workflow whose structure is invalid."""
    repaired = repair_structure(root)
    data = repaired.root.to_data()
    workflow = to_model(repaired.root, data)[0]
    if workflow is not None:
        rest, further = _build_definition(workflow, (repaired.root, data), reading, path, source)
        return LoadResult(
            None,
            (*reading.problems, *further),
            path,
            name,
            rest,
            connected=repaired.connected and _is_connected(reading),
        )
    pruned = prune_invalid(repaired.root)
    if pruned is None:
        return LoadResult(None, tuple(reading.problems), path, name)
    document = pruned.root, pruned.root.to_data()
    rest, further = _build_definition(pruned.workflow, document, reading, path, source)
    return LoadResult(None, (*reading.problems, *further), path, name, rest, pruned.broken_phases)


def _read_name(root: Node | None) -> str | None:
    node = root.get("name") if root is not None else None
    return node.value if node is not None and isinstance(node.value, str) else None


_RUN_NAME = re.compile(r"""run(?:\.|\[\s*\\?["'])(folder|branch)\b""")
"""`run.folder` or `run["folder"]` in a text of JSON, where a quote may follow a backslash; some other names fit too."""


def _to_text(data: Any, resources: Resources) -> str:
    """Return a text of all that decides what the workflow does, the same for any layout and order of keys."""
    prompts = {phase: prompt.text for phase, prompt in resources.prompts.items()}
    return to_canonical_json([data, resources.outputs, resources.answers, prompts])


@dataclass(slots=True)
class _LoadSession:
    """The problems and files of one load."""

    find_base: Callable[[str, Path], Path | None]
    list_known: Callable[[Path], list[str]]
    text: str | None = None
    problems: list[Problem] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    settings: Resources = field(default_factory=Resources)

    def add_structural(self, problems: Sequence[Problem]) -> None:
        """Add problems of the structure; a number that is wrong anyway is not odd, too."""
        wrong = {(problem.path, problem.line, problem.column) for problem in problems}
        odd = codes.ODD_NUMBER.code
        kept = (one for one in self.problems if one.code != odd or (one.path, one.line, one.column) not in wrong)
        self.problems = [*kept, *problems]

    def read_tree(self, path: Path, chain: tuple[Path, ...] = ()) -> Node | None:
        """Read the file's tree, merged with its base."""
        try:
            # The text that was given is that of the file itself; the files that it extends are read.
            text = read_file(path) if chain or self.text is None else self.text
        except FileTooBigError as error:
            self.problems.append(codes.TOO_BIG.make_problem(locate_file(path), f"the file cannot be read: {error}"))
            return None
        except UnreadableFileError as error:
            help_ = "it is a link; let it lead to a file" if path.is_symlink() else ""
            self.problems.append(
                codes.UNREADABLE.make_problem(locate_file(path), f"the file cannot be read: {error}", help=help_)
            )
            return None
        self.files.append(path)
        # Of what was read just now: a folder is trusted by this content, whatever the file holds later.
        self.hashes.append(hash_content(text))
        root, problems = read_yaml(text, display_path(path))
        self.problems.extend(problems)
        if root is None:
            return None
        root = self._put_params_in_place(root)
        root, misspelt = correct_extends(root)
        self.problems.extend(misspelt)
        base = root.get(EXTENDS)
        if base is None:
            return root
        return self._merge_base(root, base, path, (*chain, path))

    def _put_params_in_place(self, root: Node) -> Node:
        found = Resources()
        root = put_params_in_place(root, found)
        self.problems.extend(found.problems)
        self.settings.files.extend(found.files)
        self.settings.hashes.extend(found.hashes)
        return root

    def _merge_base(self, root: Node, base: Node, path: Path, chain: tuple[Path, ...]) -> Node | None:
        if not isinstance(base.value, str):
            help_ = "name a workflow: `extends: NAME`"
            self.problems.append(
                codes.BAD_VALUE.make_problem(base.place, '"extends" must be the name of a workflow', help=help_)
            )
            return None
        found = self.find_base(base.value, path)
        if found is None:
            names = self.list_known(path)
            message = f'"{base.value}" is not a workflow that can be extended; expected one of {list_names(names)}'
            help_, fix = did_you_mean(base.value, names), suggest_fix(base.value, names)
            self.problems.append(codes.UNKNOWN_BASE.make_problem(base.place, message, help=help_, fix=fix))
            return None
        # A workflow that extends itself, directly or through others, would be read without end.
        if found in chain or len(chain) > MAX_BASES:
            circle = f'"{base.value}" itself extends this workflow'
            message = circle if found in chain else f"more than {MAX_BASES} workflows extend one another"
            note = f'"{base.value}" is {display_path(found)}'
            self.problems.append(
                codes.UNKNOWN_BASE.make_problem(base.place, message, help="extend another one", note=note)
            )
            return None
        tree = self.read_tree(found, chain)
        if tree is None or tree.kind != "map":
            return tree
        merged, problems = apply_patch(tree, root)
        self.problems.extend(problems)
        return merged


_END_RULES = [{"then": END}]


@dataclass(frozen=True, slots=True)
class PrunedWorkflow:
    """The valid part of a workflow, and the phases of which only the name is known."""

    workflow: Workflow
    root: Node
    broken_phases: frozenset[str]


def prune_invalid(root: Node) -> PrunedWorkflow | None:
    """Replace each invalid phase by a stub; None if too little is left.

    An unknown key that is not similar to a known one invalidates nothing: it is only removed.
    """
    data = root.to_data()
    if not isinstance(data, dict) or not isinstance(data.get("phases"), dict):
        return None
    try:
        Workflow.model_validate(data)
    except ValidationError as error:
        # So many faults are no workflow with a slip in it, and to locate each takes a tenth of a millisecond.
        if error.error_count() > MAX_STRUCTURAL_PROBLEMS:
            return None
        faults = locate_faults(root, error)
    else:
        return None
    broken: set[str] = set()
    for loc, harmless in faults:
        if loc[:1] != ("phases",):
            continue
        if not (harmless and _remove_key(data, loc)) and len(loc) > 1:
            broken.add(str(loc[1]))
    phases = {name: _make_stub(phase) if name in broken else phase for name, phase in data["phases"].items()}
    return _validate_pruned(root, {**_make_header(data, phases), "phases": phases}, frozenset(broken))


def _validate_pruned(root: Node, data: Mapping[str, Any], broken: frozenset[str]) -> PrunedWorkflow | None:
    try:
        workflow = Workflow.model_validate(data)
    except ValidationError:
        return None
    kept = tuple((key, value) for key, value in root.items if to_key_text(key.value) in data)
    return PrunedWorkflow(workflow, make_map(root.place, kept), broken)


def _make_header(data: Mapping[str, Any], phases: Mapping[str, Any]) -> dict[str, Any]:
    declared = data.get("start")
    is_name = isinstance(declared, str) and _is_valid_phase({"on_error": declared})
    start = declared if is_name else next(iter(phases), None)
    header = {"aurora": LANGUAGE_VERSION, "name": "salvaged", "version": "0", "start": start}
    try:
        Workflow.model_validate({**header, "vars": data.get("vars", {}), "phases": {"x": _make_stub({})}})
    except ValidationError:
        return header
    return {**header, "vars": data.get("vars", {})}


def _make_stub(phase: Any) -> dict[str, Any]:
    """Create a phase that keeps only the names of its inputs and its aliases."""
    inputs = phase.get("inputs") if isinstance(phase, dict) else None
    aliases = phase.get("aliases") if isinstance(phase, dict) else None
    stub = {"uses": "unknown", "answer": {}, "next_action": _END_RULES}
    names: dict[str, Any] = (
        {name: {} for name in inputs if _is_valid_phase({"inputs": {name: {}}})} if isinstance(inputs, dict) else {}
    )
    known_aliases = (
        [alias for alias in aliases if _is_valid_phase({"aliases": [alias]})] if isinstance(aliases, list) else []
    )
    return {**stub, "inputs": names, "aliases": known_aliases}


def _is_valid_phase(part: Mapping[str, Any]) -> bool:
    try:
        Phase.model_validate({**part, "next_action": _END_RULES})
    except ValidationError:
        return False
    return True


def _remove_key(data: Any, loc: tuple[str | int, ...]) -> bool:
    """Remove the key; return False where the path leads through a short form."""
    for part in loc[:-1]:
        inside = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if not inside and not (isinstance(data, dict) and part in data):
            return False
        data = data[part]
    return isinstance(data, dict) and data.pop(loc[-1], loc) is not loc
