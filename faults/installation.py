"""Help texts on how to install Aurora's extras, and a newer Aurora; no registry has the package."""

from __future__ import annotations

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
