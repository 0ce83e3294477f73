"""Proof of a migration: the hash of each row, in both databases."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from aurora.memory.records import read_records, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.memory.storage import Tables

    Digests = Mapping[str, bytes]

KINDS = ("facts and patterns", "uses", "undo log", "runs", "steps")
"""Parts of a memory that no file of the project contains."""
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class PartProof:
    """Part of a memory in both databases.

    Attributes:
        kind: one of `KINDS`.
        count: number of its rows in the source.
        present: number of these rows in the target, with the same content.
        digest: hash of the rows in the source.
        differing: names of the rows that the target lacks, or has with another content.
    """

    kind: str
    count: int
    present: int
    digest: str
    differing: Sequence[str]

    @classmethod
    def compare(cls, kind: str, given: Digests, found: Digests) -> Self:
        """Compare the rows of a part."""
        differing = [f"{kind}: {name}" for name, digest in given.items() if found.get(name) != digest]
        whole = _hash(sorted((name, digest.hex()) for name, digest in given.items()))
        return cls(kind, len(given), len(given) - len(differing), whole.hex(), differing)


def digest_parts(db: Tables) -> dict[str, Digests]:
    """Hash each row of each part, by its name."""
    records = {record.chunk.id: _hash(to_json(record)) for record in read_records(db)}
    uses = {f"{id_} at {at!r}": b"" for id_, moments in db.usage.iter_all() for at in moments}
    undo = {f"{at} {action} {place}": _hash(rest) for place, (_, at, action, *rest) in _number_undo_entries(db)}
    runs: dict[str, bytes] = {}
    steps: dict[str, bytes] = {}
    for head in list(db.runs.iter_all()):
        runs[head.run] = _hash(head)
        steps |= {f"{head.run} {step.seq}": _hash(step) for step in db.runs.list_steps(head.run)}
    return dict(zip(KINDS, (records, uses, undo, runs, steps), strict=True))


def _number_undo_entries(db: Tables) -> Sequence[tuple[int, tuple[object, ...]]]:
    return list(enumerate(db.records.list_undo_entries()))


def _hash(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode("ascii"), digest_size=_DIGEST_BYTES).digest()
