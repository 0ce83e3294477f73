"""Reader of files that assistants read, for the checks of their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.hosts.config import Draft
from aurora.hosts.formats import ConfigFileError

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.doctor.context import DoctorContext


def read_text_file(written: str, context: DoctorContext) -> tuple[Path, str] | None:
    """Read a file's path and text; None when it is missing or unreadable."""
    draft = Draft(context.root, context.person)
    try:
        path = draft.resolve_path(written)
        text = draft.read_text(path)
    except ConfigFileError:
        return None
    return None if text is None else (path, text)


def format_location(shown: str, text: str, offset: int) -> str:
    """Format the place of a character as `file:line`."""
    return f"{shown}:{text.count(chr(10), 0, offset) + 1}"
