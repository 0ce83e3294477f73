"""A host as data: where it keeps its configuration, what an entry looks like, how one sees that it is in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

FileFormat = Literal["json", "json-comments", "jsonc", "toml", "yaml"]
"""How a file is written: strict JSON, JSON with comments, JSON with comments and trailing commas, TOML, YAML."""

Scope = Literal["project", "person"]


class Slot(Enum):
    """What a host's entry is filled with."""

    COMMAND = "command"
    ARGS = "args"
    ARGV = "argv"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """A text of ours that a host reads besides its entry.

    Attributes:
        kind: `command` and `skill` are files of our own; a `note` is a block between markers in a shared file.
        path: from the project's root, or `~/…`, which is written only when the person's own files are asked for.
        text: what it says; empty for the skill, which is made from the tools' declarations by who knows these.
    """

    kind: Literal["command", "skill", "note"]
    path: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """An assistant that calls Aurora's tools.

    Attributes:
        name: how it is called on the command line.
        title: how its maker calls it.
        project: its files in a project; the first that is there is edited, and the first of all is made. May be empty.
        user: its file for the person alone, as `Person.place` reads it.
        keys: the way to the servers in the file.
        shape: an entry, with a `Slot` where the server's command goes.
        form: how the file is written.
        marks: files and folders, in the project or (with `~/`, `{config}/`, `{apps}/`) the person's,
            that show it in use.
        programs: its programs, looked for on PATH.
        extras: what else it reads.
        fresh: what a new file holds besides the servers.
        advice: what the person has still to do; may be empty.
    """

    name: str
    title: str
    project: tuple[str, ...]
    user: str
    keys: tuple[str, ...]
    shape: Mapping[str, Any]
    form: FileFormat
    marks: tuple[str, ...]
    programs: tuple[str, ...] = ()
    extras: tuple[ExtraFile, ...] = ()
    fresh: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    advice: str = ""
