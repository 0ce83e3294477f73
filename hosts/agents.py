"""Agent definitions that hosts read."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from aurora.errors import Fault
from aurora.system.paths.read import read_inside

from .edit_lines import parse_yaml
from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    IsUsed = Callable[[Path, bytes], bool]


AgentScope = Literal["project", "person"]


@dataclass(frozen=True, slots=True)
class Agent:
    """Agent definition; it stays in the file that its host reads.

    Attributes:
        name: the name in the host.
        description: when to use it, as its author wrote it.
        tools: the tools it may use; empty if the definition names none.
        model: the model that the definition names, or None.
        host: the host of the definition's format: `claude-code`, `copilot`, `cursor`, `opencode`.
        scope: `project` or `person`.
        path: the definition's file, relative to the project, or as `~/…`.
    """

    name: str
    description: str
    tools: tuple[str, ...]
    model: str | None
    host: str
    scope: AgentScope
    path: str


@dataclass(frozen=True, slots=True)
class AgentProblem:
    """Problem in an agent definition file, which is not offered, with its fix."""

    path: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class AgentCatalog:
    """Agents by name, project agents first, and the problems in their files."""

    agents: tuple[Agent, ...]
    problems: tuple[AgentProblem, ...]


@dataclass(frozen=True, slots=True)
class AgentLocation:
    """Folder of agent definitions; `nested` includes its subfolders."""

    host: str
    scope: AgentScope
    folder: str
    nested: bool


AGENT_LOCATIONS = (
    AgentLocation("claude-code", "project", ".claude/agents", nested=True),
    AgentLocation("copilot", "project", ".github/agents", nested=False),
    AgentLocation("opencode", "project", ".opencode/agent", nested=True),
    AgentLocation("opencode", "project", ".opencode/agents", nested=True),
    AgentLocation("cursor", "project", ".cursor/agents", nested=True),
    AgentLocation("claude-code", "person", ".claude/agents", nested=True),
    AgentLocation("copilot", "person", ".copilot/agents", nested=False),
    AgentLocation("opencode", "person", ".config/opencode/agent", nested=True),
    AgentLocation("opencode", "person", ".config/opencode/agents", nested=True),
    AgentLocation("cursor", "person", ".cursor/agents", nested=True),
)
"""In order of precedence: the first definition of a name counts."""


MAX_AGENT_BYTES = 256_000
MAX_AGENT_FILES = 1_000
_MOST_FOLDERS = 1_000
"""Limits for the files, and the folders, of one location."""
_FRONTMATTER_HELP = (
    "Begin the file with ---, name: and description: lines (quote a value that contains a colon), and ---."
)


def discover_agents(root: Path | None, home: Path | None = None, *, is_used: IsUsed | None = None) -> AgentCatalog:
    """Read every agent definition of the project and of the user.

    Args:
        root: the project's folder; None leaves the project's agents out.
        home: the user's home folder; None leaves the user's agents out.
        is_used: decides by its content whether a file of the project is used; None uses all.

    Returns:
        The agents, each name once (project before user), and a problem for each invalid definition. No file raises
        an error, and a link that leads outside is not followed.
    """
    agents: dict[str, Agent] = {}
    problems: list[AgentProblem] = []
    for place in AGENT_LOCATIONS:
        base = root if place.scope == "project" else home
        if base is None:
            continue
        for path in _iter_files(base, place, problems):
            agent = _read_agent(path, base, place, problems, is_used if base is root else None)
            if agent is not None:
                # The first definition counts: the order of the locations is that of precedence.
                agents.setdefault(agent.name, agent)
    return AgentCatalog(tuple(agents.values()), tuple(problems))


def list_agent_files(root: Path, limit: int = MAX_AGENT_FILES) -> tuple[str, ...]:
    """List the files of the project's own agents, relative to it; read none.

    Args:
        root: the project's folder.
        limit: the number of files after which to stop.
    """
    found: list[str] = []
    for place in AGENT_LOCATIONS:
        if place.scope == "project" and len(found) < limit and (root / place.folder).is_dir():
            found += (_format_path(path, root, place) for path in _iter_files(root, place, []))
    return tuple(found[:limit])


def _iter_files(base: Path, place: AgentLocation, problems: list[AgentProblem]) -> Iterator[Path]:
    """List a location's Markdown files by name; skip links that lead outside."""
    folder = base / place.folder
    if not _is_inside(folder, base):
        problems.append(_build_link_problem(_format_path(folder, base, place)))
        return
    found: list[Path] = []
    # A clone may bring any number of folders and files.
    for here, folders, files in islice(os.walk(folder), _MOST_FOLDERS):
        folders[:] = sorted(folders) if place.nested else []
        found += [folder.joinpath(here, name) for name in sorted(files) if name.endswith(".md")]
        if len(found) >= MAX_AGENT_FILES:
            break
    for path in found[:MAX_AGENT_FILES]:
        if _is_inside(path, base):
            yield path
        else:
            problems.append(_build_link_problem(_format_path(path, base, place)))


def _read_agent(
    path: Path, base: Path, place: AgentLocation, problems: list[AgentProblem], is_used: IsUsed | None
) -> Agent | None:
    shown = _format_path(path, base, place)
    content, unread, remedy = _read_content(path, base)
    # Decided by the bytes that are read here, so that a file that changes after the trust is not used.
    if not unread and is_used is not None and not is_used(path, content):
        return None
    text, unread, remedy = _decode_text(content) if not unread else ("", unread, remedy)
    matter = parse_frontmatter(text) if not unread else None
    values = matter.values if matter else {}
    trouble = unread or (matter.problem if matter else "") or _find_missing_key(matter, place)
    if trouble:
        problems.append(AgentProblem(shown, trouble, remedy))
        return None
    return Agent(
        # Only Claude Code needs a name; the others take that of the file.
        name=_read_string(values, "name") or path.name.removesuffix(".md").removesuffix(".agent"),
        description=" ".join(_read_string(values, "description").split()),
        tools=_parse_tools(values.get("tools")),
        model=_read_string(values, "model") or None,
        host=place.host,
        scope=place.scope,
        path=shown,
    )


def _find_missing_key(matter: Frontmatter | None, place: AgentLocation) -> str:
    """Describe the key that is missing; empty if none is. Only Claude Code needs a name."""
    values = matter.values if matter else {}
    needed = ("name", "description") if place.host == "claude-code" else ("description",)
    missing = next((key for key in needed if not _read_string(values, key)), "")
    # A key that cannot be found is more likely to be written wrongly than left out.
    if missing and matter and matter.yaml_problem:
        return matter.yaml_problem
    return f"its frontmatter has no {missing}" if missing else ""


def _read_content(path: Path, base: Path) -> tuple[bytes, str, str]:
    """Read a file of the folder `base`; return its content, the problem if any, and the fix."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):  # a pipe would block the reader
            return b"", "it is not a regular file", "Move it away, or put the definition there."
        if facts.st_size > MAX_AGENT_BYTES:
            return b"", f"it is larger than {MAX_AGENT_BYTES:,} bytes", "Move long quotations into other files."
        return read_agent_bytes(path, base), "", ""
    except OSError as error:
        return b"", f"it cannot be read ({error.strerror or error})", "Change its permissions so that you can read it."
    except Fault as fault:
        return b"", f"it cannot be read ({fault.message})", "Put the definition itself there."


def _decode_text(content: bytes) -> tuple[str, str, str]:
    """Decode a definition; return its text, the problem if any, and the fix of its frontmatter."""
    try:
        return content.decode("utf-8"), "", _FRONTMATTER_HELP
    except UnicodeDecodeError:
        return "", "it is not UTF-8 text", "Save it as UTF-8."


def read_agent_bytes(path: Path, base: Path) -> bytes:
    """Read a definition, at most `MAX_AGENT_BYTES` bytes, without leaving the folder.

    Args:
        path: the file.
        base: the project's folder, or the user's home folder.

    Raises:
        Fault: it is outside of the folder, in a folder of version control, no regular file, or not readable.
    """
    folder = base.resolve()
    return read_inside(folder, str(folder / path.relative_to(base)), MAX_AGENT_BYTES)


def _read_string(values: Any, key: str) -> str:
    value = values.get(key)
    return value.strip() if isinstance(value, str) else ""


def _parse_tools(value: Any) -> tuple[str, ...]:
    """Parse `Read, Grep`, a list, or a mapping of names to booleans."""
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if isinstance(value, dict):
        return tuple(name for name, allowed in value.items() if isinstance(name, str) and allowed is True)
    if isinstance(value, list):
        return tuple(name for name in value if isinstance(name, str))
    return ()


def _is_inside(path: Path, base: Path) -> bool:
    try:
        return path.resolve().is_relative_to(base.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return False


def _format_path(path: Path, base: Path, place: AgentLocation) -> str:
    relative = path.relative_to(base).as_posix()
    return relative if place.scope == "project" else f"~/{relative}"


def _build_link_problem(shown: str) -> AgentProblem:
    return AgentProblem(
        shown,
        "it is a link that leads outside, and was not followed",
        "Replace the link by the definition.",
    )


_FENCED_BLOCK = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)(?:\r?\n)?^---[ \t]*(?:\r?$)", re.DOTALL | re.MULTILINE
)
_KEY_LINE = re.compile(r"^(?P<key>[A-Za-z_][\w-]{0,60})[ \t]*:(?=[ \t]|\r?$)", re.MULTILINE)
_BLOCK_MARK = re.compile(r"[|>][-+\d]*")
_DESCRIPTION = "description"
_MAX_CHARACTERS = 64_000


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """Values of a frontmatter.

    Attributes:
        values: the values by key.
        problem: why there are none; empty if there are.
        yaml_problem: why the values were read key by key; empty for valid YAML.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    yaml_problem: str = ""


def parse_frontmatter(text: str) -> Frontmatter:
    """Parse the frontmatter; a problem leaves no values."""
    fenced = _FENCED_BLOCK.match(text)
    if fenced is None:
        opened = text.lstrip("\ufeff").startswith("---")
        return Frontmatter(problem='its frontmatter has no closing "---"' if opened else "it has no frontmatter")
    body = fenced["body"]
    if len(body) > _MAX_CHARACTERS:
        return Frontmatter(problem=f"its frontmatter is longer than {_MAX_CHARACTERS:,} characters")
    loaded, problem = _load_yaml(body)
    if problem:
        values = _read_leniently(body)
        return Frontmatter(values, yaml_problem=problem) if values else Frontmatter(problem=problem)
    if loaded is None:
        return Frontmatter(problem="its frontmatter is empty")
    if not isinstance(loaded, dict):
        return Frontmatter(problem="its frontmatter is not a mapping of `key: value`")
    return Frontmatter({key: value for key, value in loaded.items() if isinstance(key, str)})


def _read_leniently(body: str) -> dict[str, Any]:
    """Read each key by itself, as the assistants do: what is no YAML is the text up to the next key.

    Claude Code's own generator writes descriptions in one line, without quotes, with `: ` and examples in them.
    """
    values: dict[str, Any] = {}
    starts = list(_KEY_LINE.finditer(body))
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(body)
        loaded, problem = _load_yaml(body[start.start() : end])
        is_value = not problem and isinstance(loaded, dict)
        if not is_value and start["key"] != _DESCRIPTION and body[start.end() :].lstrip(" \t").startswith(("[", "{")):
            return {}  # a list that is not closed, which no assistant reads
        values[start["key"]] = loaded[start["key"]] if is_value else _read_text(body[start.end() : end])
    return values


def _read_text(written: str) -> str | list[str]:
    """Return a list of items after dashes, and anything else as one text."""
    lines = [line.strip() for line in written.strip().splitlines() if line.strip()]
    if lines and all(line.startswith("- ") for line in lines):
        return [line[2:].strip() for line in lines]
    text = "\n".join(lines[1:] if lines and _BLOCK_MARK.fullmatch(lines[0]) else lines)
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


def _load_yaml(body: str) -> tuple[Any, str]:
    """Parse the YAML; return the values and the problem, which is empty for valid YAML."""
    try:
        return parse_yaml(body), ""
    except ConfigFileError as error:
        place = f" in line {error.line + 1}" if error.line else ""
        return None, f"its frontmatter is not valid YAML{place} ({error.message})"
