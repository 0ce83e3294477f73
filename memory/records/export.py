"""Export of records and runs as reproducible JSON lines without secrets, and its file."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from aurora.errors import Code, Fault
from aurora.memory.files import EXPORT_PREFIX
from aurora.memory.model.json_columns import decode_json
from aurora.memory.model.runs import drop_signature
from aurora.system.files import write_atomically
from aurora.system.paths.read import open_inside
from aurora.system.paths.write import write_inside
from aurora.system.secrets.scan import find_secrets

from .records import read_records, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from aurora.memory.storage.store import Store, Tables
    from aurora.system.secrets.values import Secret


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
        # A run and its steps are one group, since a run without one of its steps could not be imported.
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
            # The signature is made with this account's key: elsewhere it proves nothing.
            "document": drop_signature(decode_json(text)),
        }
        yield [
            head,
            *(
                {"record": "step", "run": run, "seq": seq, "phase": phase, "at": at, "document": decode_json(step)}
                for seq, phase, at, step in db.runs.list_steps(run)
            ),
        ]


MAX_LINE_BYTES = 64_000_000
"""Longest line in bytes; a step of a run is far shorter."""
_EXPORT_PREFIX = EXPORT_PREFIX.encode()


def write_export(target: Path, text: str, root: Path | None = None) -> None:
    """Write the export to a file atomically.

    Args:
        target: the file.
        text: the lines.
        root: the folder that must contain the file, also when another process exchanges folders for links meanwhile;
            None for a place that a person chose.

    Raises:
        Fault: CONFLICT if the file exists and is not an export, INVALID_INPUT for a folder, NOT_FOUND if its folder is
            missing, FORBIDDEN if it cannot be written.
    """
    try:
        # Asked now, and again when the file is replaced: another process may make one meanwhile.
        _check_overwrite(target)
        if not target.parent.exists():
            raise FileNotFoundError
        data, check = text.encode("ascii"), partial(_check_overwrite, target)
        if root is None:
            write_atomically(target, data, check=check)
        else:
            write_inside(root, target.relative_to(root).as_posix(), data, check=check)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _build_file_fault(target, error, "written") from None


def read_lines(source: Path, root: Path | None = None) -> Iterator[bytes]:
    """Yield the lines of a file, each cut just after `MAX_LINE_BYTES`.

    Args:
        source: the file.
        root: the folder that must contain the file; None for a file that a person chose.

    Raises:
        Fault: INVALID_INPUT if it is not a regular file, NOT_FOUND if it is missing, FORBIDDEN if it is unreadable
            or outside the root.
    """
    try:
        opened = None if root is None else open_inside(root, source.relative_to(root).as_posix())
        if opened is None and not stat.S_ISREG(source.stat().st_mode):  # a pipe without a writer would block
            kind = "a folder" if source.is_dir() else "not a regular file"
            raise Fault(
                Code.INVALID_INPUT,
                f'"{source}" is {kind}',
                help="name a file that `aur mem export` wrote; `-` reads standard input",
                details={"path": str(source)},
            )
        with source.open("rb") if opened is None else os.fdopen(opened, "rb") as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                yield line
                if len(line) > MAX_LINE_BYTES:
                    return
    except (OSError, ValueError) as error:
        raise _build_file_fault(source, error, "read") from None


def _check_overwrite(target: Path) -> None:
    if target.is_dir():
        raise Fault(
            Code.INVALID_INPUT,
            f'"{target}" is a folder',
            help="choose a file in it",
            details={"path": str(target)},
        )
    if not os.path.lexists(target):
        return
    ordinary = target.is_file() and not target.is_symlink()
    if ordinary:
        with target.open("rb") as file:
            begin = file.read(len(_EXPORT_PREFIX))
        # An empty file has nothing that could be lost.
        if begin in {b"", _EXPORT_PREFIX}:
            return
    raise Fault(
        Code.CONFLICT,
        f'"{target}" exists and is not an export; it is unchanged',
        help="choose another file, or move it away",
        details={"path": str(target)},
    )


def _build_file_fault(path: Path, error: OSError | ValueError, done: str) -> Fault:
    if isinstance(error, FileNotFoundError):
        what = path if done == "read" else path.parent
        kind = "file" if done == "read" else "folder"
        return Fault(Code.NOT_FOUND, f'there is no {kind} "{what}"', help="check the path", details={"path": str(path)})
    why = getattr(error, "strerror", None) or str(error)
    return Fault(
        Code.FORBIDDEN,
        f'"{path}" cannot be {done}: {why}',
        help="check the path, its permissions, and the free disk space",
        details={"path": str(path)},
    )


def find_secret_in_record(value: Any) -> Secret | None:
    """Find the first secret among the strings of JSON values.

    A key and its value are also checked together, like `password: "…"` in a file.
    """
    return next(iter(find_secrets("\n".join(_iter_texts(value)))), None)


def _iter_texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:  # an explicit stack: the input may be nested deeply
        current = waiting.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, list):
            waiting.extend(current)
        elif isinstance(current, dict):
            for key, inner in current.items():
                yield f'{key} = "{inner}"' if isinstance(inner, str) else str(key)
            waiting.extend(current.values())


def reject_secret(value: Any) -> None:
    """Raise a fault for a value that contains a secret.

    Raises:
        Fault: FORBIDDEN, with the rule that matched, never the value.
    """
    found = find_secret_in_record(value)
    if found:
        raise Fault(
            Code.FORBIDDEN,
            f"this contains {found.kind}, and the memory stores no secrets",
            help="leave it out, or write where it is stored",
            details={"rule": found.kind},
        )
