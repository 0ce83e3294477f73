"""Origin of a distribution's code: never the project, nor the folder in which Aurora was started."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec

    from .entries import ExtensionEntry


def describe_foreign_origin(entry: ExtensionEntry, root: Path) -> str:
    """Return why the code of an entry may not be loaded; empty if it may. No code of it is run.

    Args:
        entry: the entry.
        root: the project's folder, absolute and resolved.
    """
    if entry.location is None:
        return "its metadata is not in a folder"
    package = entry.module.partition(".")[0]
    try:
        spec = find_spec(package)
    except (ImportError, ValueError, AttributeError) as error:
        return f'its package "{package}" cannot be found ({error})'
    if spec is None:
        return f'there is no package "{package}"'
    places = list(_list_places(spec))
    for place in (entry.location, *places):
        if _is_unsafe(place, root):
            return f'"{place}" is in the project or the current folder, whose code Aurora never loads'
    return "" if places else f'"{package}" is no file, but a part of Python'


def _list_places(spec: ModuleSpec) -> Iterator[Path]:
    """Yield the folders of a package, or the file of a module."""
    if spec.submodule_search_locations is not None:
        yield from map(Path, spec.submodule_search_locations)
    elif spec.has_location and spec.origin:
        yield Path(spec.origin)


def _is_unsafe(place: Path, root: Path) -> bool:
    """Return whether a path is in the project, or is found because the current folder is on `sys.path`."""
    real = Path(os.path.realpath(place))
    return real.is_relative_to(root) or real.parent == Path.cwd().resolve()
