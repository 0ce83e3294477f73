"""Entry points of the group `aurora.tools`, read from metadata without an import."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

GROUP = "aurora.tools"


class ExtensionEntry(NamedTuple):
    """Tool that a distribution declares.

    Attributes:
        name: the tool's name, which is the entry point's.
        module: the module with the declaration.
        attribute: the declaration's name in the module; with dots for an attribute of one.
        distribution: the distribution with its version: `weather-tools 1.2`.
        location: the folder with the distribution's metadata; None where there is none, as in an archive.
    """

    name: str
    module: str
    attribute: str
    distribution: str
    location: Path | None


@cache
def list_entries() -> tuple[ExtensionEntry, ...]:
    """Return the entries of all distributions on `sys.path`, sorted by name; read once for the process."""
    found = {entry for entry in map(_to_entry, metadata.entry_points(group=GROUP)) if entry is not None}
    return tuple(sorted(found, key=lambda entry: (entry.name, entry.distribution)))


def _to_entry(point: metadata.EntryPoint) -> ExtensionEntry | None:
    if point.dist is None:
        return None
    module, _, attribute = point.value.partition(":")
    folder = getattr(point.dist, "_path", None)
    return ExtensionEntry(
        name=point.name,
        module=module.strip(),
        attribute=attribute.strip() or "TOOL",
        distribution=f"{point.dist.name} {point.dist.version}",
        location=folder if isinstance(folder, Path) else None,
    )
