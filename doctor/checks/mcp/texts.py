"""Reader of files that assistants read, for the checks of their texts."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.hosts import find_texts
from aurora.hosts.config import Draft
from aurora.hosts.formats import ConfigFileError
from aurora.memory.files import SourceFile, discover_files

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.doctor.context import DoctorContext
    from aurora.hosts import AssistantText


_MAX_FILES = 5_000
"""Files of a project among which the texts of its inner folders are looked for."""


def find_project_texts(context: DoctorContext) -> tuple[AssistantText, ...]:
    """Find the texts that hosts read: in their places, and in the project's inner folders."""
    return find_texts(context.root, context.person, _list_project_files(context))


def _list_project_files(context: DoctorContext) -> list[str]:
    """List the first files of the project and of assistants in it; none in a home, which is no project."""
    if context.person.describe_unusable_root(context.root):
        return []
    try:
        found = list(islice(discover_files(context.root), _MAX_FILES))
    except Fault:
        return []
    own = [one.path for one in found if not isinstance(one, SourceFile) and one.reason == "assistant"]
    texts = (text for path in own for text in (context.root / path).rglob("*.md"))
    return [
        *(one.path for one in found if isinstance(one, SourceFile)),
        *(text.relative_to(context.root).as_posix() for text in islice(texts, _MAX_FILES)),
    ]


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
