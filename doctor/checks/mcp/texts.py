"""Texts that assistants read: slash commands, skills, agents, notes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.hosts import AGENT_LOCATIONS
from aurora.hosts.config import Draft
from aurora.hosts.formats import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.doctor.context import DoctorContext
    from aurora.hosts import Host

_MAX_FILES = 300
"""Files of one folder that are read at most."""

_AGENT_OWNERS = {"copilot-cli": "copilot", "vscode": "copilot"}
"""Hosts that read the agents of another host."""


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Text file that an assistant reads.

    Attributes:
        path: its place, with links resolved.
        shown: its path for display.
        kind: `slash command`, `skill`, `agent` or `note`.
        text: its content.
    """

    path: Path
    shown: str
    kind: str
    text: str


def iter_texts(host: Host, context: DoctorContext) -> Iterator[AssistantText]:
    """Yield the host's readable texts in the project and in the user's folders."""
    for extra in host.extras:
        written = Path(extra.path)
        if extra.kind == "note":
            yield from _read_texts([extra.path], "note", context)
        elif extra.kind == "skill":
            yield from _read_texts(_list_files(written.parent.parent, f"*/{written.name}", context), "skill", context)
        else:
            yield from _read_texts(
                _list_files(written.parent, f"**/*{written.suffix}", context), "slash command", context
            )
    for place in AGENT_LOCATIONS:
        if place.host == _AGENT_OWNERS.get(host.name, host.name):
            folder = Path(place.folder if place.scope == "project" else f"~/{place.folder}")
            yield from _read_texts(
                _list_files(folder, "**/*.md" if place.nested else "*.md", context), "agent", context
            )


def read_text_file(written: str, context: DoctorContext) -> tuple[Path, str] | None:
    """Read a file's path and text; None when it is missing or unreadable."""
    draft = Draft(context.root, context.person)
    try:
        path = draft.resolve_path(written)
        text = draft.read_text(path)
    except ConfigFileError:
        return None
    return None if text is None else (path, text)


def _list_files(folder: Path, pattern: str, context: DoctorContext) -> Iterator[str]:
    """Yield the files of a folder as paths for `read_text_file`."""
    written = folder.as_posix()
    base = context.person.resolve_path(written) if written.startswith(("~/", "{")) else context.root / folder
    for path in sorted(islice(base.glob(pattern), _MAX_FILES)):
        yield f"{written}/{path.relative_to(base).as_posix()}"


def _read_texts(written: Iterable[str], kind: str, context: DoctorContext) -> Iterator[AssistantText]:
    for one in written:
        found = read_text_file(one, context)
        if found:
            path, text = found
            shown = Draft(context.root, context.person).format_path(path)
            yield AssistantText(path, shown, kind, text)
