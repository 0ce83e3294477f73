"""Files that a report mentions: paths of another machine, and names of modules."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aurora.memory.text_index import TextIndex

    from .query import Query

    Floats = NDArray[np.float32]
    Parts = tuple[str, ...]

_PACKAGE_FILES = frozenset({"__init__", "index", "mod"})
"""File names that stand for their folder."""


class _PathTable(NamedTuple):
    """Files by the last part of their path, and by the last part of their module name."""

    files: Mapping[str, Sequence[tuple[Parts, int]]]
    modules: Mapping[str, Sequence[tuple[Parts, int]]]


def score_mentions(index: TextIndex, query: Query) -> Floats:
    """Return 1 for a file that the report mentions, by document; less when the mention fits several files."""
    values = np.zeros(len(index.docs.first_n), np.float32)
    mentions = query.mentions
    if not mentions.paths and not mentions.modules:
        return values
    table = index.get_or_compute("path table", lambda: _build_table(index))
    for path in mentions.paths:
        _mark_files(values, _find_path(table, tuple(path.split("/"))))
    for module in mentions.modules:
        _mark_files(values, _find_module(table, tuple(module.split("."))))
    return values


def _build_table(index: TextIndex) -> _PathTable:
    files: dict[str, list[tuple[Parts, int]]] = defaultdict(list)
    modules: dict[str, list[tuple[Parts, int]]] = defaultdict(list)
    for doc, path in enumerate(index.docs.paths):
        if path is None:
            continue
        parts = tuple(path.split("/"))
        files[parts[-1]].append((parts, doc))
        stem = parts[-1].partition(".")[0]
        module = parts[:-1] if stem in _PACKAGE_FILES else (*parts[:-1], stem)
        if module:
            modules[module[-1]].append((module, doc))
    return _PathTable(files, modules)


def _mark_files(values: Floats, docs: Sequence[int]) -> None:
    for doc in docs:
        values[doc] = max(values[doc], 1 / len(docs))


def _find_path(table: _PathTable, wanted: Parts) -> Sequence[int]:
    """Find the files with the longest common end; a file name alone must be unique."""
    shared = [(_count_shared_end(parts, wanted), doc) for parts, doc in table.files.get(wanted[-1], ())]
    longest = max((count for count, _ in shared), default=0)
    docs = [doc for count, doc in shared if count == longest]
    return docs if longest > 1 or len(docs) == 1 else ()


def _find_module(table: _PathTable, names: Parts) -> Sequence[int]:
    """Find the module that a dotted name is, or is a member of."""
    for end in range(len(names), 1, -1):
        module = names[:end]
        if docs := [doc for parts, doc in table.modules.get(module[-1], ()) if parts[-end:] == module]:
            return docs
    return ()


def _count_shared_end(left: Parts, right: Parts) -> int:
    count = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        count += 1
    return count
