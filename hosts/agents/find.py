"""Discovery of the agents that the project and the user define."""

from __future__ import annotations

import os
import stat
from itertools import islice
from typing import TYPE_CHECKING, Any

from aurora.faults import Fault
from aurora.faults.paths import read_inside

from .agent import Agent, AgentCatalog, AgentProblem
from .frontmatter import Frontmatter, parse_frontmatter
from .locations import AGENT_LOCATIONS, AgentLocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    IsUsed = Callable[[Path, bytes], bool]

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
