"""A difference between two versions of a workflow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

ChangeKind = Literal["added", "removed", "changed", "words"]
"""`words` changes only what people and models read, not the edges or the inputs."""


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two versions of a workflow.

    Attributes:
        phase: its id in the later version; empty for the workflow as a whole.
        about: the subject: `phase`, `rule`, `input`, `tool`, `prompt`, `answer`, `result`, `failure` …
        kind: whether something was added, removed or changed.
        text: the difference in words.
        before, after: the two values; empty where there is nothing to show.
        breaking: a caller of the phase, or a recorded run, may no longer fit.
        was_at, is_at: `path:line:column`; empty where there is none.
    """

    phase: str
    about: str
    kind: ChangeKind
    text: str
    before: str = ""
    after: str = ""
    breaking: bool = False
    was_at: str = ""
    is_at: str = ""

    def with_places(self, was_at: str, is_at: str) -> Change:
        """Return the change with its two places."""
        return replace(self, was_at=was_at, is_at=is_at)
