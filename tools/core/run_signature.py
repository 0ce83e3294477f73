"""Signature of a run, which shows that this account wrote it and its steps."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from aurora.memory.model.runs import SIGNATURE, STEPS_DIGEST
from aurora.trust import is_signed, sign_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.memory import RunRow

    from .project import Project


def sign_document(document: Mapping[str, Any], steps: str, project: Project) -> dict[str, Any]:
    """Return a run's document with the signature of this account.

    In a database server many accounts continue each other's runs, and the person named it: none is needed there.

    Args:
        document: the run's.
        steps: the digest of all its steps.
        project: the open project.
    """
    if project.server is not None:
        return dict(document)
    signed = {**document, STEPS_DIGEST: steps}
    signature = sign_words("run", document["run"], document["workflow"], _to_text(signed))
    return {**signed, SIGNATURE: signature} if signature else dict(document)


def is_own_run(row: RunRow, project: Project) -> bool:
    """Check that this account wrote a run, or that it is in the database server that the person named.

    A clone can bring a memory with runs, and with prompts in them that the assistant would be told to follow.
    """
    if project.server is not None:
        return True
    signed = {key: value for key, value in row.document.items() if key != SIGNATURE}
    return is_signed(row.document.get(SIGNATURE), "run", row.run, row.workflow, _to_text(signed))


def has_own_steps(row: RunRow, steps: str, project: Project) -> bool:
    """Check that the steps of one's own run are those of its signature, by their digest."""
    return project.server is not None or SIGNATURE not in row.document or row.document.get(STEPS_DIGEST) == steps


def extend_digest(digest: str, documents: Iterable[Mapping[str, Any]]) -> str:
    """Extend the digest of the steps before by further steps; that of none is empty."""
    for document in documents:
        digest = hashlib.sha256(f"{digest}:{_to_text(document)}".encode()).hexdigest()
    return digest


def _to_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"), sort_keys=True)
