"""Signature of a run, which shows that it began on this account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.memory.model import SIGNATURE
from aurora.trust import is_signed, sign_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.memory import RunRow

    from .project import Project


def sign_document(document: Mapping[str, Any], project: Project) -> dict[str, Any]:
    """Return a run's document with the signature of this account.

    In a database server many accounts continue each other's runs, and the person named it: none is needed there.
    """
    signature = "" if project.server is not None else sign_words("run", document["run"], document["workflow"])
    return {**document, SIGNATURE: signature} if signature else dict(document)


def is_own_run(row: RunRow, project: Project) -> bool:
    """Check that a run began on this account, or is in the database server that the person named.

    A clone can bring a memory with runs, and with prompts in them that the assistant would be told to follow.
    """
    return project.server is not None or is_signed(row.document.get(SIGNATURE), "run", row.run, row.workflow)
