"""Checked definitions that are kept in a file, and the files that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pydantic

import aurora
from aurora.interpreter.language.kept import decode_definition, encode_definition
from aurora.interpreter.schema.json_values import to_canonical_json
from aurora.system.programs import stamp_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aurora.interpreter.checks import KnownWorkflows
    from aurora.interpreter.language.definition import Definition, LoadResult, WorkflowSource
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.run.ports import Toolbox

    from .paths import WorkflowPaths

MIN_BYTES = 10_000
"""Size of a workflow's file from which it is kept; a smaller one, with its prompts, is read and checked in 0.2 s."""


_FORMAT = 5

_PACKAGE = Path(__file__).resolve().parents[1]


class ByteCache(Protocol):
    """Cache of byte strings, which nobody but the user can change."""

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key; None without one."""

    def write(self, key: str, entry: bytes) -> None:
        """Keep an entry, if possible."""


class KeptDefinition(NamedTuple):
    """Definition that was read and checked, and whether the check found nothing at all."""

    definition: Definition
    is_clean: bool


class KeptDefinitions:
    """Definitions without errors that this version of Aurora has read and checked.

    An entry counts as long as the workflow's files, Aurora's code, the facts of the tools that the workflow uses and
    the workflows that its phases run are the same. Anything else makes a check necessary again.

    Args:
        cache: the storage.
        tools: what phases may use.
        for_display: definitions of every size are kept, with the places of their rules.
    """

    def __init__(self, cache: ByteCache, tools: Toolbox | None, *, for_display: bool = False) -> None:
        self._cache = cache
        self._tools = tools
        self._least_bytes = 0 if for_display else MIN_BYTES
        self._with_places = for_display

    def find(self, path: Path, source: WorkflowSource, known: Neighbours) -> KeptDefinition | None:
        """Return the checked definition of a file; None when it must be read and checked.

        Args:
            path: the file.
            source: the origin of the file.
            known: the workflows that its phases can run.
        """
        if not is_large(path, self._least_bytes):
            return None
        entry = self._cache.read(_make_key(path, source))
        # The hash of what the check depended on comes first, then what it allowed, then the definition.
        head, _, rest = (entry or b"").partition(b"\n")
        found, _, record = rest.partition(b"\n")
        definition = decode_definition(record, path, source) if record else None
        if definition is None or not _has_same_bases(definition, known.paths):
            return None
        if head != self._hash_facts(definition, known):
            return None
        return KeptDefinition(definition, bool(found) and self._list_allowed(json.loads(found)) == json.loads(found))

    def keep(self, definition: Definition, known: Neighbours, *, has_warnings: bool) -> None:
        """Keep a definition that was checked with these workflows and has no errors."""
        if not is_large(definition.path, self._least_bytes):
            return
        record = encode_definition(definition, with_places=self._with_places)
        if record is not None and _has_same_bases(definition, known.paths):
            allowed = self._list_allowed(_list_tools(definition))
            # Warnings are not kept, only that there are none: to show one, the file is checked again.
            found = b"" if has_warnings else json.dumps(allowed).encode("ascii")
            key = _make_key(definition.path, definition.source)
            self._cache.write(key, b"\n".join([self._hash_facts(definition, known), found, record]))

    def _list_allowed(self, names: Iterable[str]) -> dict[str, Any]:
        """Map those of the tools to what the person allows whose use can make a warning of a file elsewhere."""
        found = ((name, self._tools.facts(name)) for name in names) if self._tools is not None else ()
        return {name: _to_plain(facts.allowed) for name, facts in found if facts is not None and facts.allowed}

    def _hash_facts(self, definition: Definition, known: KnownWorkflows) -> bytes:
        """Hash the facts of the tools and workflows that a workflow uses, as far as an error depends on them."""
        tools = self._tools
        parts = [[name, tools.stamp_facts(name) if tools is not None else None] for name in _list_tools(definition)]
        return _hash(to_canonical_json([self._tools is None, parts, _list_inner(definition, known)]))


def _to_plain(allowed: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {argument: list(values) for argument, values in allowed.items()}


def _list_tools(definition: Definition) -> list[str]:
    """List the tools that a workflow names."""
    flow = definition.workflow
    used = {phase.uses for phase in flow.phases.values() if phase.uses is not None}
    return sorted(used.union(flow.requires.tools if flow.requires is not None else ()))


def _has_same_bases(definition: Definition, paths: WorkflowPaths) -> bool:
    """Return whether the names that its files extend still lead to the files that it was made of."""
    chain = definition.files[: definition.bases + 1]
    return all(paths.is_base(base, asking) for asking, base in pairwise(chain))


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


def is_large(path: Path, least_bytes: int = MIN_BYTES) -> bool:
    """Return whether a workflow's file is so large that its check is kept."""
    try:
        return path.stat().st_size >= least_bytes
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


@dataclass(frozen=True)
class Neighbours:
    """The workflows of some folders by name, for the checks of a file.

    Attributes:
        paths: the folders.
        read: reads a file of theirs.
        find_errors: checks what was read.
    """

    paths: WorkflowPaths
    read: Callable[[Path], LoadResult]
    find_errors: Callable[[LoadResult], tuple[Problem, ...]]
    _loadings: dict[str, LoadResult | None] = field(default_factory=dict)
    _errors: dict[str, Problem | None] = field(default_factory=dict)

    def list_names(self) -> Sequence[str]:
        """List the names of all workflows, including broken ones."""
        return sorted(self.paths.map_names())

    def find_definition(self, name: str) -> Definition | None:
        """Return the workflow of this name, unchecked; None if there is none, or if its file is broken."""
        loading = self._read(name)
        return loading.definition if loading is not None else None

    def find_error(self, name: str) -> Problem | None:
        """Find the first error of the workflow of this name, which runs itself nowhere."""
        if name not in self._errors:
            loading = self._read(name)
            self._errors[name] = next(iter(self.find_errors(loading)), None) if loading is not None else None
        return self._errors[name]

    def _read(self, name: str) -> LoadResult | None:
        if name not in self._loadings:
            path = self.paths.map_names().get(name)
            self._loadings[name] = self.read(path) if path is not None else None
        return self._loadings[name]
