"""Record of a definition that was read and checked, so that another process need not do it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.yaml import display_path, read_yaml

from .definition import Definition, Prompt, Segment
from .document import Document
from .model import Workflow
from .resources import PROMPT_SUFFIXES, hash_content, read_own_file

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.interpreter.yaml import Node

    from .definition import WorkflowSource


def encode_definition(definition: Definition) -> bytes | None:
    """Encode a definition as JSON; None for one that depends on more than the content of its files.

    Such a definition extends another one, or has a prompt that would be a file if there were one.
    """
    flow, folder = definition.workflow, definition.path.parent
    inline = (prompt.text for prompt in definition.prompts.values() if not prompt.from_file)
    if definition.bases or any(text.endswith(PROMPT_SUFFIXES) for text in inline):
        return None
    try:
        record = {
            "files": [[str(path.relative_to(folder)), found] for path, found in _list_hashes(definition)],
            "data": definition.document.data,
            "lines": {
                name: [definition.document.find_rule_line(name, index) for index in range(len(phase.next_action))]
                for name, phase in flow.phases.items()
            },
            "outputs": definition.outputs,
            "answers": definition.answers,
            "prompts": {
                key: [one.text, one.name, one.from_file, one.segments] for key, one in definition.prompts.items()
            },
            "digest": definition.digest,
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
        text = _read_unchanged(found["files"], path)
        return None if text is None else _build_definition(found, text, path, source)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _list_hashes(definition: Definition) -> list[tuple[Path, str]]:
    return list(zip(definition.files, definition.hashes, strict=True))


def _read_unchanged(files: list[list[str]], path: Path) -> bytes | None:
    """Return the content of the workflow's own file, the first one; None when any file has changed."""
    try:
        text = read_file(path)
    except UnreadableFileError:
        return None
    if files[0] != [path.name, hash_content(text)]:
        return None
    for name, known in files[1:]:
        content = read_own_file(path.parent / name, path.parent)
        if content is None or hash_content(content) != known:
            return None
    return text


def _build_definition(found: dict[str, Any], text: bytes, path: Path, source: WorkflowSource) -> Definition:
    def read_root() -> Node:
        root = read_yaml(text, display_path(path))[0]
        if root is None:
            raise ValueError("a text that was read once can be read again")
        return root

    return Definition(
        workflow=Workflow.model_validate(found["data"]),
        document=Document(read_root, found["data"], found["lines"]),
        path=path,
        source=source,
        outputs=found["outputs"],
        answers=found["answers"],
        prompts={
            key: Prompt(prompt, name, from_file, tuple(Segment(*one) for one in segments))
            for key, (prompt, name, from_file, segments) in found["prompts"].items()
        },
        digest=found["digest"],
        files=tuple(path.parent / name for name, _ in found["files"]),
        hashes=tuple(known for _, known in found["files"]),
        is_kept=True,
    )
