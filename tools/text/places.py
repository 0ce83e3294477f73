"""Paths as they are shown: short names of shipped files, and no folder of a server."""

from __future__ import annotations

import os
import re
import site
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aurora.faults import SHIPPED_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SLASH = r"(?:[/\\]|&#x2f;)"
"""Separator of a path; a page has it as a reference."""
_MATERIAL = re.compile(r"(<material>.*?</material>)", re.DOTALL)
"""Text of the project, which stays as it is: a build file may name the folder in which the server has it."""
_COMMON = frozenset({"/usr", "/usr/local", "/bin", "/opt", "/", "/tmp", "/home"})  # noqa: S108 - never written to
"""Folders that tell nothing about a server, and that many texts name."""
_OWN_VARIABLES = frozenset({"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"})


def shorten_places(value: Any) -> Any:
    """Return a JSON value whose texts name shipped files as `soar.yaml:633`, without folder and column."""
    return _map_texts(value, _shorten)


def _shorten(text: str) -> str:
    return _compile_shipped().sub(r"\1", text)


@cache
def _compile_shipped() -> re.Pattern[str]:
    return re.compile(rf"{_to_pattern(SHIPPED_FOLDER)}{_SLASH}([\w./-]+(?::\d+)?)(?::\d+\b)?")


def hide_server_paths(value: Any, root: Path) -> Any:
    """Return a JSON value or a page whose texts name no folder of this machine.

    Paths in the project are relative to it, shipped files have their short names, and of every other path only what
    follows the folders of the account or of the installation is left. Marked texts of the project stay as they are.

    Args:
        value: what a client on another machine receives.
        root: the folder of the project.
    """
    known = _compile_known(str(root))

    def hide(text: str) -> str:
        if "/" not in text and "\\" not in text and "&#x2f;" not in text:
            return text
        parts = _MATERIAL.split(text)
        return "".join(part if at % 2 else _hide_part(part, known) for at, part in enumerate(parts))

    return _map_texts(value, hide)


def _hide_part(text: str, known: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    text = _shorten(text)
    for pattern, shown in known:
        text = pattern.sub(shown, text)
    return text


@cache
def _compile_known(root: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Compile the folders to hide, the longest first, each with what is shown in its place."""
    found = dict.fromkeys(_list_own_folders(), "…") | {root: "."}
    ordered = sorted(((folder, shown) for folder, shown in found.items() if folder not in _COMMON), key=_by_length)
    patterns = []
    for folder, shown in ordered:
        inside = rf"{_to_pattern(Path(folder))}{_SLASH}(?=[\w.])"
        patterns.append((re.compile(inside), "" if shown == "." else "…/"))
        patterns.append((re.compile(rf"{_to_pattern(Path(folder))}(?![\w-])"), shown))
    return tuple(patterns)


def _by_length(folder: tuple[str, str]) -> int:
    return -len(folder[0])


def _list_own_folders() -> Iterable[str]:
    """List the folders of the account, of Python, and of the installation.

    Each as given, and with its links resolved.
    """
    folders = [SHIPPED_FOLDER.parent, Path(sys.executable).parent, *map(Path, site.getsitepackages())]
    folders += [Path(sys.prefix)] if sys.prefix != sys.base_prefix else []
    with suppress(RuntimeError):  # the account has no home folder
        folders.append(Path.home())
    folders += [
        Path(value) for name, value in os.environ.items() if name in _OWN_VARIABLES and Path(value).is_absolute()
    ]
    for folder in folders:
        yield str(folder)
        yield str(folder.resolve())


def _to_pattern(folder: Path) -> str:
    parts = [re.escape(part) for part in folder.parts if part not in {"/", "\\"}]
    return rf"(?<![\w.-]){_SLASH if folder.is_absolute() else ''}{_SLASH.join(parts)}"


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with each of its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): _map_texts(inner, change) for name, inner in value.items()}
    return type(value)(_map_texts(inner, change) for inner in value) if isinstance(value, list | tuple) else value
