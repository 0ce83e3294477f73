"""Runs and steps: rows, the types of their fields, and the protocol of a journal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .json_columns import is_readable_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MAX_NUMBER = 2**63
"""Bound of the numbers: greater ones fit into no column, and a float cannot represent them."""

_MAYBE_INFINITE = re.compile(r"NaN|Infinity|[0-9][eE]\+?0*[0-9]{3}|[0-9]{300}")
"""Text that every JSON number contains which Python reads as infinite or as no number."""


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) < _MAX_NUMBER


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and abs(value) < _MAX_NUMBER  # neither infinite nor NaN


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "a whole number": _is_whole,
    "a whole number from 0": lambda value: _is_whole(value) and value >= 0,
    "a number": _is_number,
    "the number of a rule": lambda value: isinstance(value, str) or (_is_whole(value) and value >= 1),
    "an object": lambda value: isinstance(value, dict),
    "a list": lambda value: isinstance(value, list),
    "a list of texts": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "a list of objects": lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
}

_NULLABLE = " or null"

_RUN_FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("workflow", "version", "digest", "status", "question"), "a text"),
    **dict.fromkeys(("forked_from", "phase", "next"), "a text or null"),
    **dict.fromkeys(("tokens", "budget"), "a whole number or null"),
    **dict.fromkeys(("origin", "output"), "an object or null"),
}

_STEP_FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("phase", "key", "status", "fingerprint", "tool", "kind"), "a text"),
    **dict.fromkeys(("seq", "call", "index", "tokens"), "a whole number"),
    **dict.fromkeys(("given", "inputs", "response"), "an object"),
    **dict.fromkeys(("edge", "error", "by", "output", "arguments"), "an object or null"),
    **dict.fromkeys(("brought", "settled"), "a list"),
    "items": "a list or null",
    "branches": "a list of texts",
    "defaults": "a list of texts or null",
    "decision": "a list of objects",
    "asks": "a whole number or null",
    "at": "a number",
    "holds": "true or false",
}

_EDGE_FIELDS: Mapping[str, str] = {
    "token": "a text",
    "target": "a text or null",
    "rule": "a whole number from 0 or null",
    "spent": "true or false",
    "say": "a text or null",
    "early_exit": "true or false",
}

_RULE_FIELDS: Mapping[str, str] = {
    "rule": "the number of a rule or null",
    "then": "a text",
    "reason": "a text",
    "fired": "true or false",
    "when": "a text or null",
    "spent": "a text or null",
    "values": "an object",
}

_RESPONSE_FIELDS: Mapping[str, str] = dict.fromkeys(("metadata", "error"), "an object or null")

_ERROR_FIELDS: Mapping[str, str] = {"code": "a text", "message": "a text", "details": "an object or null"}
"""Fields by name, and the type of each; absent ones, and those of later versions, are not checked."""


def read_run_document(head: RunHead) -> tuple[dict[str, Any], str]:
    """Read the document of a run, empty when it is unreadable, and what is wrong with the run."""
    document, wrong = _read_object(head.document)
    for name, at in (("created_at", head.created_at), ("updated_at", head.updated_at)):
        if not is_moment(at):
            wrong = wrong or f'"{name}" must be a time of ISO 8601'
    return document, wrong or find_wrong_run_field(document)


def read_step_document(text: str) -> tuple[dict[str, Any], str]:
    """Read the document of a step, and what is wrong with it; an empty document with what is unreadable."""
    document, wrong = _read_object(text)
    return document, wrong or find_wrong_step_field(document)


def _read_object(text: str) -> tuple[dict[str, Any], str]:
    """Read a document that is an object of finite numbers, and what is wrong with it otherwise."""
    if not is_readable_document(text):
        return {}, "its document is nested too deep, or has a number that is too long"
    try:
        document = json.loads(text)
        # Written again only where the text could have such a number, since that takes longer than reading.
        if _MAYBE_INFINITE.search(text):
            json.dumps(document, allow_nan=False)
    except ValueError:
        return {}, "its document is not JSON, or has an infinite number"
    return (document, "") if isinstance(document, dict) else ({}, "its document is not a JSON object")


def find_wrong_run_field(document: Mapping[str, Any]) -> str:
    """Find a field of a run's document with a wrong type, in words; empty without one."""
    return _find_wrong(document, _RUN_FIELDS)


def find_wrong_step_field(document: Mapping[str, Any]) -> str:
    """Find a field of a step's document with a wrong type, in words; empty without one."""
    if wrong := _find_wrong(document, _STEP_FIELDS):
        return wrong
    edge: Mapping[str, Any] = document.get("edge") or {}
    if edge and "token" not in edge:
        return '"edge" has no "token"'
    response: Mapping[str, Any] = document.get("response") or {}
    metadata = {"duration_ms": "a number or null"}
    parts: list[tuple[Mapping[str, Any] | None, Mapping[str, str], str]] = [
        (edge, _EDGE_FIELDS, "edge."),
        (response, _RESPONSE_FIELDS, "response."),
        (document.get("error"), _ERROR_FIELDS, "error."),
        *((entry, _RULE_FIELDS, f"decision[{at}].") for at, entry in enumerate(document.get("decision", ()))),
    ]
    wrong = next((found for part, fields, at in parts if (found := _find_wrong(part or {}, fields, at))), "")
    return (
        wrong
        or _find_wrong(response.get("metadata") or {}, metadata, "response.metadata.")
        or _find_wrong(response.get("error") or {}, _ERROR_FIELDS, "response.error.")
    )


def _find_wrong(document: Mapping[str, Any], fields: Mapping[str, str], place: str = "") -> str:
    for name, wanted in fields.items():
        value = document.get(name)
        if value is None and (name not in document or wanted.endswith(_NULLABLE)):
            continue
        if not _CHECKS[wanted.removesuffix(_NULLABLE)](value):
            return f'"{place}{name}" must be {wanted}'
    return ""


def is_moment(at: str) -> bool:
    """Check that a text is a time in ISO 8601 which this computer can convert to seconds."""
    try:
        datetime.fromisoformat(at).timestamp()
    except (ValueError, OverflowError, OSError):
        return False
    return True


SIGNATURE, STEPS_DIGEST = "signature", "steps_digest"
"""Fields of a run's document that show which account wrote it, and which steps; they do not leave the database."""


DAMAGED = "damaged"
"""Status of a run whose document cannot be read, in place of its own."""


def drop_signature(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's document without the signature and what it needs."""
    return {key: value for key, value in document.items() if key not in {SIGNATURE, STEPS_DIGEST}}


@dataclass(frozen=True, slots=True)
class RunRow:
    """Run in the journal; of `document`, the interpreter's JSON, only the types are known here.

    `damage` says what is wrong with a run that nobody can show or continue; its document is then that of `DAMAGED`.
    """

    run: str
    workflow: str
    created_at: str
    updated_at: str
    steps: int
    document: Mapping[str, Any]
    damage: str = ""


@dataclass(frozen=True, slots=True)
class StepRow:
    """Step in the journal; `seq` counts from 1 within the run."""

    run: str
    seq: int
    phase: str
    at: str
    document: Mapping[str, Any]


class RunJournal(Protocol):
    """Journal of runs; every method is one transaction, durable when it returns."""

    def create(
        self, run: str, workflow: str, document: Mapping[str, Any], steps: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        """Create a run with first steps `(phase, document)`; CONFLICT when it exists."""

    def append(
        self, run: str, seq: int, steps: Sequence[tuple[str, Mapping[str, Any]]], head: Mapping[str, Any]
    ) -> None:
        """Append steps from number `seq` and replace the run's document; CONFLICT when one of them exists."""

    def head(self, run: str) -> RunRow | None:
        """Return the run, or None."""

    def steps(self, run: str, first: int = 1) -> Sequence[StepRow]:
        """Return the steps of a run in order, from number `first`."""

    def runs(self, limit: int, offset: int = 0, workflow: str | None = None) -> Sequence[RunRow]:
        """Return runs, newest first; only those of `workflow` when given."""


class RunHead(NamedTuple):
    """Run without its steps; times are ISO 8601 in UTC."""

    run: str
    workflow: str
    created_at: str
    updated_at: str
    document: str


class RunStep(NamedTuple):
    """Step of a run; `seq` counts from 1."""

    seq: int
    phase: str
    at: str
    document: str


class UndoEntry(NamedTuple):
    """Entry of the undo log; `at` is ISO 8601 in UTC, `document` is JSON."""

    n: int
    at: str
    action: str
    summary: str
    document: str


class RowCounts(NamedTuple):
    """Numbers of rows."""

    files: int
    vectors: int
    runs: int
    nodes: int
    """Definitions, files and sections in the code graph."""


class UsageCounts(NamedTuple):
    """Number of known accesses, and of the chunks they belong to."""

    accesses: int
    chunks: int
