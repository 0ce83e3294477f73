"""Declaration of a host: configuration files, entry shape, signs of use."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

FileFormat = Literal["json", "json-comments", "jsonc", "toml", "yaml"]
"""File format: strict JSON, JSON with comments, JSON with comments and trailing commas, TOML, YAML."""

Scope = Literal["project", "person"]
ExtraKind = Literal["command", "skill", "note"]


class Slot(Enum):
    """Placeholder in the shape of a host's entry."""

    COMMAND = "command"
    ARGS = "args"
    ARGV = "argv"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """Additional text file that a host reads.

    Attributes:
        kind: `command` and `skill` are files of Aurora's own; a `note` is a block between markers in a shared file.
        path: relative to the project, or `~/…`, which is written only with `--user`.
        text: the content; empty for the skill, which the caller generates from the declarations.
        is_former: an earlier version wrote it, and a skill of the same name has replaced it: it is deleted.
    """

    kind: ExtraKind
    path: str
    text: str = ""
    is_former: bool = False


@dataclass(frozen=True, slots=True)
class HttpShape:
    """Entry of a host for a server over HTTP.

    Attributes:
        url: the key of the address.
        fixed: the other fields of the entry.
        variable: the value of the header Authorization, with `{name}` for the environment variable that the host
            expands; empty if it expands none.
        header: the keys that lead to the value of the header, from the entry.
        variable_key: the key that takes the name of the variable itself, in place of the header; empty for none.
        note: what the person must know about the variable, as a sentence.
    """

    url: str = "url"
    fixed: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    variable: str = ""
    header: tuple[str, ...] = ("headers", "Authorization")
    variable_key: str = ""
    note: str = ""

    @property
    def takes_variable(self) -> bool:
        """Check whether the host reads a token from an environment variable."""
        return bool(self.variable or self.variable_key)


@dataclass(frozen=True, slots=True)
class ToolAllowance:
    """Settings in which a host keeps the tools that it runs without asking.

    Attributes:
        path: the file, relative to the project.
        keys: the object and, in it, the list of rules.
        rule: a rule, with `{server}` and `{tool}`.
        tools: the tools, by their names over MCP.
        form: the file format.
        note: who else gets the file, as a sentence.
    """

    path: str
    keys: tuple[str, str]
    rule: str
    tools: tuple[str, ...]
    form: FileFormat
    note: str


_EVENT_WORDS = {"session-start": "start", "user-prompt": "prompt", "file-use": "file"}


@dataclass(frozen=True, slots=True)
class HookSettings:
    """Settings of a host for commands at the start of a session, at a prompt, and at a use of a file.

    Attributes:
        path: the person's file, in the project or `~/…`; a file of the team is none of Aurora's choice.
        events: Aurora's event -> the host's.
        timeout: the time limit of a command in the host's unit, well above the one that Aurora keeps itself.
        form: the file format.
        note: who else gets the file, or what the person must do, as a sentence.
        shows_message: True if the host shows the person what was added.
        is_grouped: True where an event has groups of commands; else it has the commands themselves.
        command_key: the key of a command line.
        timeout_key: the key of its time limit.
        fresh: the content of a new file besides the hooks.
        matchers: Aurora's event -> the pattern of the host's own tools at which a command runs.
    """

    path: str
    events: Mapping[str, str]
    timeout: int
    form: FileFormat
    note: str
    shows_message: bool = False
    is_grouped: bool = True
    command_key: str = "command"
    timeout_key: str = "timeout"
    fresh: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    matchers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def describe_events(self) -> str:
        """Describe when the commands run: `at each start, prompt and file`."""
        *others, last = (_EVENT_WORDS[event] for event in self.events)
        return f"at each {', '.join(others)} and {last}" if others else f"at each {last}"


@dataclass(frozen=True, slots=True)
class Host:
    """Assistant that calls Aurora's tools.

    Attributes:
        name: the name on the command line.
        title: the product name.
        project: its files in a project: the first existing one is edited, else the first is created. May be empty.
        user: its file for the user, as `UserPaths.resolve_path` reads it.
        keys: the path of keys to the servers.
        shape: an entry with a `Slot` in place of the server's command.
        helpful: fields of a new entry that may be absent.
        form: the file format.
        marks: files and folders that show it in use, in the project or (with `~/`, `{config}/`, `{apps}/`) the user's.
        programs: its programs on PATH.
        extras: additional files that it reads.
        fresh: the content of a new file besides the servers.
        advice: the next step for the user; may be empty.
        ask: its own command that tries the connection; empty if none is known.
        allowance: its settings for tools that it runs without asking; None if they are not known.
        http: its entry for a server over HTTP; None if it takes none.
        hooks: its settings for hooks; None if it has none, or none that were tried.
        allow_by_hand: what the user writes to allow the tools where Aurora does not; empty if that is not known.
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
    helpful: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    advice: str = ""
    ask: str = ""
    allowance: ToolAllowance | None = None
    allow_by_hand: str = ""
    http: HttpShape | None = None
    hooks: HookSettings | None = None
