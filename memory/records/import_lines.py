"""Lines of an import: the validator, which reports all problems by line."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.errors import Fault, did_you_mean, quote_names
from aurora.memory.model.chunks import compute_chunk_id
from aurora.memory.model.json_columns import clean_text, encode_json
from aurora.memory.model.runs import find_wrong_run_field, find_wrong_step_field, is_moment

from .export import FORMAT, MAX_LINE_BYTES, VERSION, find_secret_in_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_DEPTH = 500
_MAX_NAME, _MAX_SOURCE = 200, 500
"""Limits of `mem.add`: characters of a subject, and of a source."""
_MAX_LISTED = 1_000
"""Tags or sources of a record: `mem.add` allows 20, but merges of near-duplicates add them up."""
_CHUNK_TYPES = ("code", "know", "reas")
_TYPE_NAMES = {
    str: "a text",
    dict: "an object",
    list: "a list",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
FIELD_TYPES: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "chunk": {
        "id": (str,),
        "type": (str,),
        "kind": (str,),
        "symbol": (str,),
        "language": (str,),
        "text": (str,),
        "metadata": (dict,),
        "at": (float, int, type(None)),
    },
    "accesses": {"id": (str,), "at": (list,)},
    "run": {"run": (str,), "workflow": (str,), "created_at": (str,), "updated_at": (str,), "document": (dict,)},
    "step": {"run": (str,), "seq": (int,), "phase": (str,), "at": (str,), "document": (dict,)},
}
"""Kind of record -> its fields and their types."""
_FIELD_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "chunk": {"id": None, "language": "", "metadata": {}, "at": None, "symbol": "", "kind": "fact"}
}
"""Fields that a hand-written line may omit."""


class LineProblem(NamedTuple):
    """Problem of a line, counted from 1."""

    line: int
    message: str


@dataclass(slots=True)
class ImportData:
    """Records that the lines contain."""

    chunks: dict[str, dict[str, Any]] = field(default_factory=dict)
    accesses: dict[str, tuple[float, ...]] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    skipped_chunks: int = 0
    newer_version: int | None = None
    problems: list[LineProblem] = field(default_factory=list)
    first_lines: dict[tuple[Any, ...], int] = field(default_factory=dict)
    """First line of each record."""


class _InvalidLineError(Exception):
    """Error of an invalid line."""


def parse_lines(lines: Iterable[bytes]) -> ImportData:
    """Parse and validate every line.

    Use the result only if `problems` is empty and `newer_version` is None.
    """
    out = ImportData()
    promised: int | None = None
    count = number = 0
    for number, raw in enumerate(lines, 1):
        try:
            if number == 1:
                # Some editors begin a file with a byte-order mark.
                promised = _read_head(_parse_document(raw.removeprefix(b"\xef\xbb\xbf")), out)
                if out.newer_version is not None:
                    return out
            elif raw.strip():
                count += 1
                _read_record(_parse_document(raw), number, out)
        except _InvalidLineError as error:
            out.problems.append(LineProblem(number, str(error)))
            if number == 1:
                return out  # without a header it is not an export, and every line would be a problem
    if not number:
        out.problems.append(LineProblem(1, "the file is empty"))
    # Each line of a file that was cut between two lines is valid: only the count shows that some are missing.
    elif promised is not None and promised != count and not out.problems:
        message = f"the header says {promised} lines, but {count} follow: lines are missing or added"
        out.problems.append(LineProblem(1, message))
    _check_steps(out)
    return out


def _parse_document(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise _InvalidLineError(f"the line is longer than {MAX_LINE_BYTES:,} bytes")
    try:
        document = json.loads(raw.rstrip(b"\r\n").decode("utf-8"), parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise _InvalidLineError(f"byte 0x{raw[error.start]:02x} is not UTF-8") from None
    except RecursionError:
        raise _InvalidLineError(f"it is nested more than {MAX_DEPTH} deep") from None
    except json.JSONDecodeError as error:
        raise _InvalidLineError(f"it is not JSON ({error.msg}, at character {error.pos + 1})") from None
    except ValueError as error:  # NaN, or a number with too many digits
        raise _InvalidLineError(f"it is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise _InvalidLineError(f"it is {_TYPE_NAMES[type(document)]} where an object was expected")
    if _is_too_deep(document):
        raise _InvalidLineError(f"it is nested more than {MAX_DEPTH} deep")
    return document


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def _is_too_deep(document: Any) -> bool:
    # Level by level, since a recursive walk of a hostile value would itself nest too deep.
    level = [document]
    for _ in range(MAX_DEPTH):
        level = _list_containers(level)
        if not level:
            return False
    return True


def _list_containers(level: list[Any]) -> list[Any]:
    """List the objects and lists directly inside of these objects and lists."""
    found: list[Any] = []
    for container in level:
        values = container.values() if isinstance(container, dict) else container
        found += [value for value in values if isinstance(value, dict | list)]
    return found


def _read_head(document: dict[str, Any], out: ImportData) -> int | None:
    version, promised = document.get("version"), document.get("lines")
    if document.get("aurora") != FORMAT or type(version) is not int:
        raise _InvalidLineError(
            f'this is not an export; its first line must be {{"aurora":"{FORMAT}","version":{VERSION}}}'
        )
    if version > VERSION:
        out.newer_version = version
    elif version < 1:
        raise _InvalidLineError(f"there is no version {version}")
    if promised is not None and type(promised) is not int:
        raise _InvalidLineError(f'"lines" must be a whole number, and is {_TYPE_NAMES[type(promised)]}')
    return promised


def _read_record(document: dict[str, Any], number: int, out: ImportData) -> None:
    kind = document.pop("record", None)
    if kind == "code":
        out.skipped_chunks += 1
        return
    if not isinstance(kind, str) or kind not in FIELD_TYPES:
        known = quote_names([*FIELD_TYPES, "code"])
        suggestion = did_you_mean(kind, FIELD_TYPES) if isinstance(kind, str) else ""
        message = (
            f'there is no record "{kind[:40]}"; {suggestion}' if suggestion else f'"record" must be one of {known}'
        )
        raise _InvalidLineError(message)
    given = _check_fields(kind, document)
    if found := find_secret_in_record(document):
        raise _InvalidLineError(f"it contains {found.kind}, and the memory stores no secrets")
    _RECORD_READERS[kind](given, number, out)


def _check_fields(kind: str, document: dict[str, Any]) -> dict[str, Any]:
    shape, defaults = FIELD_TYPES[kind], _FIELD_DEFAULTS.get(kind, {})
    for name in document:
        if name not in shape:
            raise _InvalidLineError(
                f'unexpected key "{name[:40]}" in a "{kind}"; expected one of {quote_names([*shape, "record"])}'
            )
    given = {**defaults, **document}
    for name, types in shape.items():
        if name not in given:
            raise _InvalidLineError(f'a "{kind}" has no "{name}"')
        value = given[name]
        # Not isinstance: to Python, true and false are whole numbers.
        if (name in document or value is not None) and type(value) not in types:
            raise _InvalidLineError(f'"{name}" must be {_TYPE_NAMES[types[0]]}, and is {_TYPE_NAMES[type(value)]}')
        if isinstance(value, str) and not _is_encodable(value):
            raise _InvalidLineError(f'"{name}" contains a lone surrogate')
        if isinstance(value, dict):
            try:
                encode_json(value)
            except Fault as fault:
                raise _InvalidLineError(f'"{name}": {fault.message}') from None
    return given


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _to_timestamp(value: Any) -> float:
    # Not isinstance, to which true is a number.
    if type(value) not in {int, float}:
        raise _InvalidLineError(f'"at" must be a number, and is {_TYPE_NAMES[type(value)]}')
    try:
        at = float(value)
    except OverflowError:
        at = math.inf
    if not math.isfinite(at):
        raise _InvalidLineError('"at" is not a finite time')
    return at


def _check_unique(key: tuple[Any, ...], number: int, what: str, out: ImportData) -> None:
    first = out.first_lines.setdefault(key, number)
    if first != number:
        raise _InvalidLineError(f"{what} is a duplicate of line {first}")


def _add_chunk(given: dict[str, Any], number: int, out: ImportData) -> None:
    if given["type"] not in _CHUNK_TYPES:
        raise _InvalidLineError(
            f'there is no chunk type "{given["type"][:40]}"; use one of {quote_names(_CHUNK_TYPES)}'
        )
    for name in ("kind", "symbol", "text"):
        given[name] = clean_text(given[name])
    _check_lengths(given)
    if not given["text"].strip():
        raise _InvalidLineError('"text" is empty')
    own = compute_chunk_id(given["type"], given["kind"], given["symbol"], " ".join(given["text"].split()))
    # The id is the hash of the record: with another one, a file could pass a text off as a known record.
    if given["id"] is not None and given["id"] != own:
        raise _InvalidLineError(
            f'the id "{given["id"][:40]}" does not match the record, whose id is "{own}"; it may be omitted'
        )
    given["id"] = own
    given["at"] = None if given["at"] is None else _to_timestamp(given["at"])
    _check_unique(("chunk", own), number, f'"{own}"', out)
    out.chunks[own] = given


def _check_lengths(given: Mapping[str, Any]) -> None:
    """Check the names of a record, which are shown whole wherever it is found.

    Raises:
        _InvalidLineError: a longer one than Aurora writes.
    """
    for name in ("symbol", "kind", "language"):
        if len(given[name]) > _MAX_NAME:
            raise _InvalidLineError(f'"{name}" is longer than {_MAX_NAME} characters')
    for name in ("tags", "sources"):
        listed = given["metadata"].get(name)
        if isinstance(listed, list) and len(listed) > _MAX_LISTED:
            raise _InvalidLineError(f'"{name}" has more than {_MAX_LISTED:,} members')
    sources = given["metadata"].get("sources")
    if any(isinstance(one, str) and len(one) > _MAX_SOURCE for one in (sources if isinstance(sources, list) else ())):
        raise _InvalidLineError(f'a member of "sources" is longer than {_MAX_SOURCE} characters')


def _add_accesses(given: dict[str, Any], number: int, out: ImportData) -> None:
    times = tuple(sorted({_to_timestamp(time) for time in given["at"]}))
    _check_unique(("accesses", given["id"]), number, f'when "{given["id"][:40]}" was used', out)
    out.accesses[given["id"]] = times


def _add_run(given: dict[str, Any], number: int, out: ImportData) -> None:
    _check_unique(("run", given["run"]), number, f'run "{given["run"][:40]}"', out)
    out.runs[given["run"]] = given  # also an invalid one, so that its steps are not reported as without a run
    out.steps.setdefault(given["run"], {})
    for name in ("created_at", "updated_at"):
        if not is_moment(given[name]):
            raise _InvalidLineError(f'"{name}" must be a time of ISO 8601, such as 2026-01-31T12:00:00Z')
    if wrong := find_wrong_run_field(given["document"]):
        raise _InvalidLineError(f"in its document, {wrong}")


def _add_step(given: dict[str, Any], number: int, out: ImportData) -> None:
    if given["run"] not in out.runs:
        raise _InvalidLineError(f'no line above contains the run "{given["run"][:40]}"')
    _check_unique(
        ("step", given["run"], given["seq"]), number, f'step {given["seq"]} of run "{given["run"][:40]}"', out
    )
    out.steps[given["run"]][given["seq"]] = given
    if wrong := find_wrong_step_field(given["document"]):
        raise _InvalidLineError(f"in its document, {wrong}")


_RECORD_READERS = {"chunk": _add_chunk, "accesses": _add_accesses, "run": _add_run, "step": _add_step}


def _check_steps(out: ImportData) -> None:
    for run, steps in out.steps.items():
        if sorted(steps) != list(range(1, len(steps) + 1)):
            message = f'the steps of run "{run[:40]}" are not numbered from 1 without a gap'
            out.problems.append(LineProblem(out.first_lines["run", run], message))
