"""Tools from installed distributions: their entry points, and the checks before one is loaded."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from aurora.errors import Code, Fault
from aurora.tools.core import Family, Risk, StrictModel, Tool, ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib import metadata
    from importlib.machinery import ModuleSpec

    AnyTool = Tool[Any, Any]


_MAX_LOADED = 1024


def find_extension(name: str, root: Path) -> AnyTool | None:
    """Return the tool of a distribution with this name; None if no distribution has one.

    Args:
        name: the tool's name.
        root: the project's folder, absolute and resolved, from which no code is loaded.

    Raises:
        Fault: UPSTREAM_ERROR for a tool that cannot be used, with the reason.
    """
    entries = [entry for entry in list_entries() if entry.name == name]
    if not entries:
        return None
    if len(entries) > 1:
        named = " and ".join(entry.distribution for entry in entries)
        raise _make_fault(entries[0], f"{named} both declare it")
    loaded = _load_entry(entries[0], root)
    if isinstance(loaded, Fault):
        raise loaded.with_traceback(None)
    return loaded


def list_extensions(root: Path) -> Iterator[tuple[ExtensionEntry, AnyTool | Fault]]:
    """Yield the entry of each tool with the tool, or the reason why it cannot be used.

    Args:
        root: the project's folder, absolute and resolved.
    """
    seen: set[str] = set()
    for entry in list_entries():
        if entry.name in seen:
            continue
        seen.add(entry.name)
        try:
            found = find_extension(entry.name, root)
        except Fault as fault:
            yield entry, fault
        else:
            if found is not None:
                yield entry, found


@lru_cache(maxsize=_MAX_LOADED)
def _load_entry(entry: ExtensionEntry, root: Path) -> AnyTool | Fault:
    """Import the declaration of an entry, and check it; return the fault of one that cannot be used."""
    reason = describe_foreign_origin(entry, root)
    if reason:
        return _make_fault(entry, reason)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output may be a protocol's
            value: Any = attrgetter(entry.attribute)(import_module(entry.module))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything
        return _make_fault(entry, f"its import failed ({type(error).__name__}: {str(error)[:200]})")
    reason = describe_wrong_declaration(value, entry.name)
    return _make_fault(entry, reason) if reason else value


def _make_fault(entry: ExtensionEntry, reason: str) -> Fault:
    return Fault(
        Code.UPSTREAM_ERROR,
        f'the tool "{entry.name[:80]}" of {entry.distribution} cannot be used: {reason}',
        help="Correct or uninstall the distribution.",
        details={"tool": entry.name[:80], "distribution": entry.distribution},
    )


_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}(\.[a-z][a-z0-9_]{0,39}){1,2}")
MAX_TIMEOUT = 3600.0
"""The longest time of a call in seconds."""


def describe_wrong_declaration(value: Any, name: str) -> str:
    """Return the first rule that the declaration of an entry breaks; empty if there is none.

    Args:
        value: what the entry point names.
        name: the name of the entry point.
    """
    if not isinstance(value, Tool):
        return f"it is a {type(value).__name__}, not a Tool of aurora.tools.core"
    return next(chain(_iterate_name_faults(value, name), _iterate_faults(value)), "")


def _iterate_name_faults(tool: Tool[Any, Any], name: str) -> Iterator[str]:
    if tool.name != name:
        yield f'it declares the tool "{tool.name}", not that of its entry point'
    if not _NAME.fullmatch(name):
        yield "its name is not of the form family.verb, in lower case"
    if ToolRegistry().is_known(name):
        yield "its name is that of one of Aurora's own tools"
    if tool.aliases or tool.command or tool.mcp:
        yield "it has an alias, a command or a name over MCP, which only Aurora's own tools have"


def _iterate_faults(tool: Tool[Any, Any]) -> Iterator[str]:
    if not all(_is_strict(model) for model in (tool.input, tool.output, tool.params)):
        yield "its input, output and params are not all models derived from StrictModel"
    if tool.risk not in get_args(Risk) or tool.family not in get_args(Family):
        yield "its risk or its family is none that Aurora knows"
    if tool.phases and tool.risk != "read":
        yield f'its risk is "{tool.risk}", and a phase of any workflow may only read'
    if tool.jobs and tool.risk == "high":
        yield 'its risk is "high", and a phase of a job may lose no data'
    if not 0 < tool.timeout <= MAX_TIMEOUT:
        yield f"its timeout is not between 0 and {MAX_TIMEOUT:,.0f} seconds"


def _is_strict(model: Any) -> bool:
    return isinstance(model, type) and issubclass(model, StrictModel)


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
    from importlib import metadata  # noqa: PLC0415 - it takes 25 ms, and a search needs no other distribution

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
