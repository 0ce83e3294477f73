"""Definitions that were read and checked before, kept by the content of their files."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pydantic

import aurora
from aurora.interpreter.language import decode_definition, encode_definition
from aurora.interpreter.schema import to_canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter.language import Definition, WorkflowSource
    from aurora.interpreter.run import Toolbox

MIN_BYTES = 50_000
"""Size of a workflow's file from which it is kept; a smaller one is read and checked in 0.2 s."""
_FORMAT = 1
_PACKAGE = Path(__file__).resolve().parents[1]


class ByteCache(Protocol):
    """Cache of byte strings, which nobody but the user can change."""

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key; None without one."""

    def write(self, key: str, entry: bytes) -> None:
        """Keep an entry, if possible."""


class KeptDefinitions:
    """Definitions without errors that this version of Aurora has read and checked.

    An entry counts as long as the workflow's files, Aurora's code and the facts of the tools that the workflow uses
    are the same. Anything else makes a check necessary again.

    Args:
        cache: the storage.
        tools: what phases may use.
    """

    def __init__(self, cache: ByteCache, tools: Toolbox | None) -> None:
        self._cache = cache
        self._tools = tools

    def find(self, path: Path, source: WorkflowSource) -> Definition | None:
        """Return the checked definition of a file; None when it must be read and checked."""
        if not is_large(path):
            return None
        entry = self._cache.read(_make_key(path, source))
        head, _, record = (entry or b"").partition(b"\n")
        definition = decode_definition(record, path, source) if record else None
        return definition if definition is not None and head == self._hash_tools(definition) else None

    def keep(self, definition: Definition) -> None:
        """Keep a definition that was checked and has no errors."""
        if not is_large(definition.path):
            return
        record = encode_definition(definition)
        if record is not None:
            key = _make_key(definition.path, definition.source)
            self._cache.write(key, self._hash_tools(definition) + b"\n" + record)

    def _hash_tools(self, definition: Definition) -> bytes:
        """Hash the facts of the tools that a workflow uses, as far as an error depends on them."""
        flow = definition.workflow
        used = {phase.uses for phase in flow.phases.values() if phase.uses is not None}
        used.update(flow.requires.tools if flow.requires is not None else ())
        facts = [(name, self._tools.facts(name) if self._tools is not None else None) for name in sorted(used)]
        parts = [
            [name, [one.name, one.input, one.params, one.output, one.phase_use] if one is not None else None]
            for name, one in facts
        ]
        return _hash(to_canonical_json([self._tools is None, parts]))


def is_large(path: Path) -> bool:
    """Return whether a workflow's file is so large that its check is kept."""
    try:
        return path.stat().st_size >= MIN_BYTES
    except (OSError, ValueError):
        return False


def _make_key(path: Path, source: WorkflowSource) -> str:
    return json.dumps([_FORMAT, aurora.__version__, _stamp_code(), source, os.fspath(path)])


@cache
def _stamp_code() -> str:
    """Stamp the interpreter's code and the folder of the libraries: an upgrade may find more."""
    libraries = Path(pydantic.__file__).parents[1].stat().st_mtime_ns
    return _hash(json.dumps([libraries, sorted(_stamp_modules(os.fspath(_PACKAGE)))])).decode("ascii")


def _stamp_modules(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _stamp_modules(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest().encode("ascii")
