"""`mem.add`: store a fact or a reasoning pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from aurora.memory import records
from aurora.tools.core import Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context

_MAX_SUBJECT_CHARS = 120


class AddInput(StrictModel):
    """Fact or pattern to store."""

    text: str = Field(min_length=1, max_length=50_000, description="The text to store, in plain words.")
    subject: str = Field(default="", max_length=200, description="Its subject; by default the beginning of the text.")
    pattern: bool = Field(default=False, description="Store a way of working that proved good instead of a fact.")
    tags: tuple[str, ...] = Field(default=(), max_length=20, description="Words that group records.")
    source: str = Field(default="", max_length=500, description="Its source: a file, a person, a link.")


class AddOutput(StrictModel):
    """Stored record; the same text and subject always have the same id."""

    id: str
    kind: str
    subject: str
    created: bool


def add_record(given: AddInput, context: Context) -> AddOutput:
    """Store a record.

    Raises:
        Fault: INVALID_INPUT for an empty text, FORBIDDEN for one that contains a secret.
    """
    metadata: dict[str, object] = {}
    if given.tags:
        metadata["tags"] = list(dict.fromkeys(given.tags))
    if given.source:
        metadata["sources"] = [given.source]
    records.reject_secret({"text": given.text, "subject": given.subject, **metadata})
    kind = "pattern" if given.pattern else "fact"
    subject = " ".join(given.subject.split()) or _derive_subject(given.text)
    name, created = context.project.memory.remember(
        type="reas" if given.pattern else "know", kind=kind, symbol=subject, text=given.text, metadata=metadata
    )
    return AddOutput(id=name, kind=kind, subject=subject, created=created)


def _derive_subject(text: str) -> str:
    """Return the first line, truncated at a word."""
    first = " ".join(next((line for line in text.splitlines() if line.strip()), "").split())
    if len(first) <= _MAX_SUBJECT_CHARS:
        return first
    return f"{first[:_MAX_SUBJECT_CHARS].rpartition(' ')[0] or first[:_MAX_SUBJECT_CHARS]} …"


TOOL = Tool(
    name="mem.add",
    title="Remember a fact",
    description=(
        "Store a fact about the project, or with `pattern` a way of working that proved good, where aurora_search "
        "finds it and indexing leaves it alone. A duplicate is stored once; a text that contains a secret is rejected."
    ),
    input=AddInput,
    output=AddOutput,
    run=add_record,
    family="knowledge",
    risk="write",
    idempotent=True,
    timeout=30.0,
    jobs=True,
    examples=(
        Example("A fact", {"text": "Releases are tagged on Thursdays.", "subject": "Releases", "tags": ["process"]}),
        Example("A pattern", {"text": "Read the failing test before the code.", "pattern": True}),
    ),
    mcp="aurora_mem_add",
    command=Command("mem add", "Add a fact or a pattern.", arguments=("text",), joins_words=True),
)
