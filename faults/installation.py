"""Installation: its workflows, and how to add extras or upgrade; no registry has Aurora."""

from __future__ import annotations

from pathlib import Path

SHIPPED_FOLDER = Path(__file__).resolve().parents[1] / "workflows"
"""Folder of the workflows that come with Aurora."""
_CLONE = "in the folder of Aurora's clone"


def describe_extra_install(extra: str) -> str:
    """Return the clause that tells how to install an extra from the clone, as Aurora itself is."""
    return (
        f"{_CLONE}, run `pip install '.[{extra}]'` with the Python of this `aur`, "
        f"or `uv tool install --force '.[{extra}]'`"
    )


def describe_upgrade() -> str:
    """Return the clause that tells how to install a newer Aurora."""
    return (
        f"{_CLONE}, run `git pull`, then `pip install .` with the Python of this `aur`, or `uv tool install --force .`"
    )
