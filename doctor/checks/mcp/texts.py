"""The texts that assistants read besides their entries: slash commands, skills, agents, notes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.hosts import AGENT_PLACES
from aurora.hosts.config.draft import Draft
from aurora.hosts.formats.errors import Broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.doctor.context import Subject
    from aurora.hosts import Host

_MOST = 300
"""Files of one folder; who has more of them has them from somewhere else."""

_AGENTS_OF = {"copilot-cli": "copilot", "vscode": "copilot"}
"""Hosts that read the agents of another name."""


@dataclass(frozen=True, slots=True)
class Text:
    """One such file.

    Attributes:
        path: where it is, links followed.
        shown: what a person calls it.
        kind: `slash command`, `skill`, `agent` or `note`.
        text: what it says.
    """

    path: Path
    shown: str
    kind: str
    text: str


def texts(host: Host, subject: Subject) -> Iterator[Text]:
    """The host's texts in the project, and the person's own where it keeps them there; unreadable ones left out."""
    for extra in host.extras:
        written = Path(extra.path)
        if extra.kind == "note":
            yield from _read([extra.path], "note", subject)
        elif extra.kind == "skill":
            yield from _read(_under(written.parent.parent, f"*/{written.name}", subject), "skill", subject)
        else:
            yield from _read(_under(written.parent, f"**/*{written.suffix}", subject), "slash command", subject)
    for place in AGENT_PLACES:
        if place.host == _AGENTS_OF.get(host.name, host.name):
            folder = Path(place.folder if place.scope == "project" else f"~/{place.folder}")
            yield from _read(_under(folder, "**/*.md" if place.nested else "*.md", subject), "agent", subject)


def read(written: str, subject: Subject) -> tuple[Path, str] | None:
    """A file's place and text; None when there is none, or none that can be read."""
    draft = Draft(subject.root, subject.person)
    try:
        path = draft.place(written)
        text = draft.text(path)
    except Broken:
        return None
    return None if text is None else (path, text)


def _under(folder: Path, pattern: str, subject: Subject) -> Iterator[str]:
    """The files of a folder, as `read` takes them."""
    written = folder.as_posix()
    base = subject.person.place(written) if written.startswith(("~/", "{")) else subject.root / folder
    for path in sorted(islice(base.glob(pattern), _MOST)):
        yield f"{written}/{path.relative_to(base).as_posix()}"


def _read(written: Iterable[str], kind: str, subject: Subject) -> Iterator[Text]:
    for one in written:
        found = read(one, subject)
        if found:
            path, text = found
            shown = Draft(subject.root, subject.person).shown(path)
            yield Text(path, shown, kind, text)
