"""Definitions that were read and checked before, kept by the content of their files."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pydantic

import aurora
from aurora.interpreter.language import decode_definition, encode_definition
from aurora.interpreter.schema import to_canonical_json
from aurora.startup import stamp_modules

if TYPE_CHECKING:
    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language import Definition, WorkflowSource
    from aurora.interpreter.run import Toolbox

MIN_BYTES = 50_000
"""Size of a workflow's file from which it is kept; a smaller one is read and checked in 0.2 s."""
_FORMAT = 3
_PACKAGE = Path(__file__).resolve().parents[1]


class ByteCache(Protocol):
    """Cache of byte strings, which nobody but the user can change."""

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key; None without one."""

    def write(self, key: str, entry: bytes) -> None:
        """Keep an entry, if possible."""


class KeptDefinitions:
    """Definitions without errors that this version of Aurora has read and checked.

    An entry counts as long as the workflow's files, Aurora's code, the facts of the tools that the workflow uses and
    the workflows that its phases run are the same. Anything else makes a check necessary again.

    Args:
        cache: the storage.
        tools: what phases may use.
    """

    def __init__(self, cache: ByteCache, tools: Toolbox | None) -> None:
        self._cache = cache
        self._tools = tools

    def find(self, path: Path, source: WorkflowSource, known: KnownWorkflows) -> Definition | None:
        """Return the checked definition of a file; None when it must be read and checked.

        Args:
            path: the file.
            source: the origin of the file.
            known: the workflows that its phases can run.
        """
        if not is_large(path):
            return None
        entry = self._cache.read(_make_key(path, source))
        head, _, record = (entry or b"").partition(b"\n")
        definition = decode_definition(record, path, source) if record else None
        return definition if definition is not None and head == self._hash_facts(definition, known) else None

    def keep(self, definition: Definition, known: KnownWorkflows) -> None:
        """Keep a definition that was checked with these workflows and has no errors."""
        if not is_large(definition.path):
            return
        record = encode_definition(definition)
        if record is not None:
            key = _make_key(definition.path, definition.source)
            self._cache.write(key, self._hash_facts(definition, known) + b"\n" + record)

    def _hash_facts(self, definition: Definition, known: KnownWorkflows) -> bytes:
        """Hash the facts of the tools and workflows that a workflow uses, as far as an error depends on them."""
        flow = definition.workflow
        used = {phase.uses for phase in flow.phases.values() if phase.uses is not None}
        used.update(flow.requires.tools if flow.requires is not None else ())
        parts = [[name, self._describe_tool(name)] for name in sorted(used)]
        return _hash(to_canonical_json([self._tools is None, parts, _list_inner(definition, known)]))

    def _describe_tool(self, name: str) -> str | list[Any] | None:
        """Return what identifies the facts of a tool, or the facts themselves, for which the tool is imported."""
        if self._tools is None:
            return None
        identity = self._tools.identify(name)
        if identity is not None:
            return identity
        found = self._tools.facts(name)
        return None if found is None else [found.name, found.input, found.params, found.output, found.phase_use]


def _list_inner(definition: Definition, known: KnownWorkflows) -> list[list[str | None]]:
    """List the workflows that phases run, and that those run, each with its digest; None for a broken one."""
    digests: dict[str, str | None] = {}
    todo = [definition]
    while todo:
        for phase in todo.pop().workflow.phases.values():
            if phase.workflow is not None and phase.workflow not in digests:
                inner = known.find_definition(phase.workflow)
                digests[phase.workflow] = inner.digest if inner is not None else None
                todo += [inner] if inner is not None else []
    return [[name, digest] for name, digest in sorted(digests.items())]


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
    return _hash(json.dumps([libraries, sorted(stamp_modules(os.fspath(_PACKAGE)))])).decode("ascii")


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest().encode("ascii")
