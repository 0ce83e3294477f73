"""Record of a definition that was read and checked, so that another process need not do it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import Place, UnreadableFileError, read_file
from aurora.interpreter.yaml import display_path, read_yaml

from .definition import Definition, Prompt, Segment, fill_input_schemas
from .document import Document
from .extends import apply_patch
from .model import Workflow
from .resources import PROMPT_SUFFIXES, Resources, hash_content, put_params_in_place, read_own_file

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter.yaml import Node

    from .definition import WorkflowSource


def encode_definition(definition: Definition, *, with_places: bool = False) -> bytes | None:
    """Encode a definition as JSON; None for one that depends on more than the content of its files.

    Such a definition has a prompt that would be a file if there were one.

    Args:
        definition: the definition.
        with_places: the places of the rules and failures are kept even if the tree must be read for them.
    """
    inline = (prompt.text for prompt in definition.prompts.values() if not prompt.from_file)
    if any(text.endswith(PROMPT_SUFFIXES) for text in inline):
        return None
    try:
        record = {
            "files": _list_hashes(definition),
            "bases": definition.bases,
            "data": definition.document.data,
            **(_list_places(definition) if with_places or definition.document.has_places else _list_lines(definition)),
            "outputs": definition.outputs,
            "answers": {name: _leave_out(name, answer, definition) for name, answer in definition.answers.items()},
            "prompts": {
                key: [one.text, one.name, one.from_file, one.segments] for key, one in definition.prompts.items()
            },
            "digest": definition.digest,
            "run_names": sorted(definition.run_names),
        }
        return json.dumps(record, allow_nan=False).encode("ascii")
    except (ValueError, TypeError):  # a file elsewhere, or a value that is not JSON
        return None


def decode_definition(record: bytes, path: Path, source: WorkflowSource) -> Definition | None:
    """Decode the record of a workflow; None when one of its files has changed, or the record is damaged.

    Args:
        record: what `encode_definition` made of the workflow of this file.
        path: the workflow's own file.
        source: the origin of the file.
    """
    try:
        found = json.loads(record)
        texts = _read_unchanged(found, path)
        return None if texts is None else _build_definition(found, texts, path, source)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _leave_out(phase: str, answer: Any, definition: Definition) -> Any:
    """Return the schema of an answer, or None if it is in the document, as most are."""
    # A workflow of a thousand phases would otherwise have each schema twice.
    return None if answer == definition.document.data["phases"].get(phase, {}).get("answer") else answer


def _list_hashes(definition: Definition) -> list[tuple[str, str]]:
    """List the files with their hashes, each file from the folder of the workflow."""
    folder = definition.path.parent
    return [
        (str(path.relative_to(folder) if path.is_relative_to(folder) else path), known)
        for path, known in zip(definition.files, definition.hashes, strict=True)
    ]


def _list_lines(definition: Definition) -> dict[str, Any]:
    """List the lines of the rules by phase."""
    lines = {
        name: [definition.document.find_rule_line(name, index) for index in range(len(phase.next_action))]
        for name, phase in definition.workflow.phases.items()
    }
    return {"places": None, "lines": lines, "failures": None}


def _list_places(definition: Definition) -> dict[str, Any]:
    """List the places of the rules and failures by phase, each with the number of its file for the path.

    Raises:
        ValueError: a rule has its place in another file.
    """
    paths = [display_path(path) for path in definition.files[: definition.bases + 1]]
    document = definition.document

    def encode(place: Place) -> list[int]:
        return [paths.index(place.path), *place[1:]]

    places = {
        name: [encode(document.find_rule_place(name, index)) for index in range(len(phase.next_action))]
        for name, phase in definition.workflow.phases.items()
    }
    failures = {name: encode(document.find_failure_place(name)) for name in places}
    return {"places": places, "lines": None, "failures": failures}


def _read_unchanged(found: dict[str, Any], path: Path) -> list[bytes] | None:
    """Read the workflow's own file and those that it extends; None when any file has changed."""
    files = [(path.parent / name, known) for name, known in found["files"]]
    workflows, resources = files[: found["bases"] + 1], files[found["bases"] + 1 :]
    try:
        texts = [read_file(file) for file, _ in workflows]
    except UnreadableFileError:
        return None
    hashes = [hash_content(text) for text in texts]
    if workflows[0][0] != path or hashes != [known for _, known in workflows]:
        return None
    folders = [file.parent for file, _ in workflows]
    return texts if all(_is_unchanged(file, known, folders) for file, known in resources) else None


def _is_unchanged(file: Path, known: str, folders: list[Path]) -> bool:
    """Return whether a prompt or a schema in one of the folders has the hash that it had."""
    folder = next((one for one in folders if file.is_relative_to(one)), folders[0])
    content = read_own_file(file, folder)
    return content is not None and hash_content(content) == known


def _read_tree(text: bytes, name: str) -> Node:
    root = read_yaml(text, name)[0]
    if root is None:
        raise ValueError("a text that was read once can be read again")
    return put_params_in_place(root, Resources())


def _build_definition(found: dict[str, Any], texts: list[bytes], path: Path, source: WorkflowSource) -> Definition:
    files = tuple(path.parent / name for name, _ in found["files"])
    paths = [display_path(file) for file in files[: found["bases"] + 1]]

    def read_root() -> Node:
        # The texts that were compared, not the files, which may have changed since.
        trees = [_read_tree(text, name) for text, name in zip(texts, paths, strict=True)]
        root = trees.pop()
        while trees:
            root = apply_patch(root, trees.pop())[0]
        return root

    def decode(place: list[int]) -> Place:
        return Place(paths[place[0]], *place[1:])

    places = found["places"] and {name: [*map(decode, several)] for name, several in found["places"].items()}
    failures = found["failures"] and {name: decode(place) for name, place in found["failures"].items()}
    answers = {
        name: found["data"]["phases"][name]["answer"] if answer is None else answer
        for name, answer in found["answers"].items()
    }
    return Definition(
        workflow=fill_input_schemas(Workflow.model_validate(found["data"]), found["outputs"], answers),
        document=Document(read_root, found["data"], places, found["lines"], failures),
        path=path,
        source=source,
        outputs=found["outputs"],
        answers=answers,
        prompts={
            key: Prompt(prompt, name, from_file, tuple(Segment(*one) for one in segments))
            for key, (prompt, name, from_file, segments) in found["prompts"].items()
        },
        digest=found["digest"],
        files=files,
        hashes=tuple(known for _, known in found["files"]),
        bases=found["bases"],
        run_names=frozenset(found["run_names"]),
        is_kept=True,
    )
