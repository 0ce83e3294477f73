"""Locations of the user's own files: trusted folders, configuration and checked workflows."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

STATE_FILE = "trusted-folders.json"
CONFIG_FILE = "config.toml"
CHECKED_FOLDER = "checked-workflows"


def find_home(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the user's home folder, absolute; None for an account without one."""
    named = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")  # noqa: PTH111 - never raises
    return None if named.startswith("~") else Path(named).absolute()


def find_state_file(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the path of the list of trusted folders; None without a home folder.

    It is in the folder `aurora` of XDG_STATE_HOME, or of `~/.local/state`; on Windows of LOCALAPPDATA; on macOS of
    `~/Library/Application Support`. A relative XDG_STATE_HOME is ignored, as the XDG standard says.

    Args:
        environ: the environment variables.
        platform: a value of `sys.platform`.
    """
    home = find_home(environ)
    variable = "LOCALAPPDATA" if platform == "win32" else "XDG_STATE_HOME"
    configured = Path(environ.get(variable) or ".")
    if configured.is_absolute() and platform != "darwin":
        return configured / "aurora" / STATE_FILE
    if home is None:
        return None
    defaults = {"win32": home / "AppData" / "Local", "darwin": home / "Library" / "Application Support"}
    return defaults.get(platform, home / ".local" / "state") / "aurora" / STATE_FILE


def find_cache_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the folder of the checked workflows; None without a home folder.

    Args:
        environ: the environment variables.
        platform: a value of `sys.platform`.
    """
    file = find_state_file(environ, platform)
    return file.with_name(CHECKED_FOLDER) if file is not None else None


def find_config_file(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the path of the user's configuration; None without a home folder.

    It is in the folder `aurora` of XDG_CONFIG_HOME, or of `~/.config`; on Windows of APPDATA. A relative
    XDG_CONFIG_HOME is ignored, as the XDG standard says.

    Args:
        environ: the environment variables.
        platform: a value of `sys.platform`.
    """
    home = find_home(environ)
    configured = Path(environ.get("APPDATA" if platform == "win32" else "XDG_CONFIG_HOME") or ".")
    if configured.is_absolute():
        return configured / "aurora" / CONFIG_FILE
    if home is None:
        return None
    return (home / "AppData" / "Roaming" if platform == "win32" else home / ".config") / "aurora" / CONFIG_FILE
