"""Export of records and runs as reproducible JSON lines without secrets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.memory.model import decode_json, drop_signature
from aurora.memory.records.records import read_records, to_json

from .secret_check import find_secret_in_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.memory.storage import Store, Tables

FORMAT = "memory"
VERSION = 1
"""Version of the format; an older Aurora rejects a newer one."""


@dataclass(frozen=True, slots=True)
class WithheldRecord:
    """Record or run that contains a secret, and the rule that matched."""

    id: str
    rule: str


@dataclass(frozen=True, slots=True)
class Export:
    """Export lines, their counts by kind, and the withheld records."""

    lines: tuple[str, ...]
    counts: dict[str, int]
    withheld: tuple[WithheldRecord, ...]

    def to_text(self) -> str:
        """Return the content of the export file."""
        return "".join(f"{line}\n" for line in self.lines)


def export_records(store: Store, *, code: bool = False, index: Store | None = None) -> Export:
    """Export facts, patterns, accesses and runs from one snapshot.

    Args:
        store: the store.
        code: include the chunks of files, for other programs; an import skips them.
        index: the store with these chunks, if it is another.
    """
    counts = {"chunk": 0, "code": 0, "accesses": 0, "run": 0, "step": 0}
    body: list[str] = []
    withheld: dict[str, WithheldRecord] = {}
    with store.begin_read() as db, (index or store).begin_read() as files:
        for group in (*_iter_records(db), *(_iter_code_chunks(files) if code else ()), *_iter_runs(db)):
            name = str(group[0].get("id") or group[0]["run"])
            if found := find_secret_in_record(group):
                withheld[name] = WithheldRecord(name, found.kind)
                continue
            for document in group:
                counts[document["record"]] += 1
                body.append(_encode_line(document))
        for id_, times in db.usage.iter_all():
            if id_ not in withheld:
                counts["accesses"] += 1
                body.append(_encode_line({"record": "accesses", "id": id_, "at": times}))
    head = _encode_line({"aurora": FORMAT, "version": VERSION, "lines": len(body)})
    return Export((head, *body), counts, tuple(withheld.values()))


def _encode_line(document: dict[str, Any]) -> str:
    """Encode a line as ASCII JSON with the shortest exact floats."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def _iter_records(db: Tables) -> Iterator[list[dict[str, Any]]]:
    for record in read_records(db):
        yield [{"record": "chunk", **to_json(record)}]


def _iter_code_chunks(db: Tables) -> Iterator[list[dict[str, Any]]]:
    for chunk in db.chunks.iter_file_chunks():
        place = {"path": chunk.path, "start_line": chunk.start_line, "end_line": chunk.end_line}
        what = {"symbol": chunk.symbol, "kind": chunk.kind, "language": chunk.language, "text": chunk.text}
        yield [
            {"record": "code", "id": chunk.id, "type": chunk.type, **place, **what, "metadata": dict(chunk.metadata)}
        ]


def _iter_runs(db: Tables) -> Iterator[list[dict[str, Any]]]:
    """Yield each run with its steps, which are exported together or not at all."""
    for run, workflow, created_at, updated_at, text in db.runs.iter_all():
        times = {"created_at": created_at, "updated_at": updated_at}
        head = {
            "record": "run",
            "run": run,
            "workflow": workflow,
            **times,
            "document": drop_signature(decode_json(text)),
        }
        yield [
            head,
            *(
                {"record": "step", "run": run, "seq": seq, "phase": phase, "at": at, "document": decode_json(step)}
                for seq, phase, at, step in db.runs.list_steps(run)
            ),
        ]
