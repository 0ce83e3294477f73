"""Rows of the code graph as the database stores and returns them."""

from __future__ import annotations

from typing import NamedTuple

NodeRow = tuple[int, str, str, str, str, str, str, int, int, int | None]
"""Row of a node: number, id, path, symbol, name, kind, language, first and last line, number of the parent."""

NodeUpdate = tuple[str, str, int, int, int | None, int]
"""Update of a node: kind, language, first and last line, the number of the parent, and its own number."""

StoredNode = tuple[int, str, str]
"""Number, kind and language of a stored node."""

ReferenceRow = tuple[int, int, str, str, int]
"""Row of a reference: number of its node, kind, name, via and line."""

StoredReference = tuple[int, int, str, str, int, int]
"""Stored reference: number of its node, kind, name, via, its own number, and line."""

PendingReference = tuple[int, int, int, str, str, str, str, str]
"""Pending reference: its number, number of its node, kind, name and via; path, symbol and language of the node."""

NameCandidate = tuple[str, int, str, str, str, str]
"""Name and a node with that name: number, path, symbol, kind and language."""

LinkRow = tuple[int, int, int, int, float, str]
"""Row of a link: numbers of the reference, target and source, then kind, confidence, and the method."""


class StrongestLink(NamedTuple):
    """Link from one node to another, with its kind and position."""

    kind: str
    confidence: float
    how: str
    path: str
    line: int
