"""Tools `mem.export` and `mem.import`: records and runs as JSON lines."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from aurora import hosts
from aurora.errors import Code, Fault
from aurora.memory import records
from aurora.memory.files import DATA_FOLDER
from aurora.system.paths.resolve import is_closed, path_exists, refuse_impossible
from aurora.system.paths.write import create_folder_inside, locate_target
from aurora.tools.core import Alias, Command, Example, StrictModel, Tool

if TYPE_CHECKING:
    from aurora.tools.core import Context


EXPORT_SUFFIX = ".jsonl"
EXPORTS_FOLDER = f"{DATA_FOLDER}/exports"
"""Folder of the exports whose caller names no folder."""
_EXPORT_PLACES = ((), ("exports",))
"""Folders below `.aurora` that may have an export; its other subfolders have meanings of their own."""


class ExportInput(StrictModel):
    """Target file, and the extent of the export."""

    path: str | None = Field(
        default=None,
        min_length=1,
        max_length=4096,
        description=f"The .jsonl file to write, a bare name in {EXPORTS_FOLDER}; by default the lines are returned.",
    )
    all: bool = Field(default=False, description="Export the chunks of files too; an import skips them.")


class WithheldRow(StrictModel):
    """Record or run that contains a secret, with the rule that matched."""

    id: str
    rule: str


class ExportOutput(StrictModel):
    """Exported lines counted by kind; `text` has them when there is no file."""

    path: str | None
    counts: dict[str, int]
    withheld: tuple[WithheldRow, ...]
    text: str | None


def export_memory(given: ExportInput, context: Context) -> ExportOutput:
    """Export the memory as JSON lines.

    Raises:
        Fault: NOT_FOUND without a memory; FORBIDDEN for a file outside the project, except from a terminal, and for
            one that other programs use; faults of writing the file.
    """
    context.require_memory()
    opened = context.project.memory
    exported = records.export_records(opened.shared_store, code=given.all, index=opened.store)
    target = None
    if given.path:
        target, contained = locate_export(prefer_exports_folder(given.path, context), context)
        if target.parent == context.root / EXPORTS_FOLDER:
            create_folder_inside(context.root, EXPORTS_FOLDER)
        records.write_export(target, exported.to_text(), contained)
    return ExportOutput(
        path=str(target) if target else None,
        counts=exported.counts,
        withheld=tuple(WithheldRow.from_value(one) for one in exported.withheld),
        text=None if target else exported.to_text(),
    )


class ImportInput(StrictModel):
    """File to import, or the lines themselves."""

    path: str | None = Field(default=None, min_length=1, max_length=4096, description="The file to read.")
    text: str | None = Field(default=None, min_length=1, description="The lines themselves, instead of a file.")

    @model_validator(mode="after")
    def _check_exclusive(self) -> ImportInput:
        if (self.path is None) == (self.text is None):
            raise ValueError("give either path or text")
        return self


class ImportOutput(StrictModel):
    """Imported records and runs; `*_known` count those that existed already.

    `differing` lists runs that differ from the existing ones, which stay. `passed_over` counts chunks of files, which
    indexing creates. `backup` names the backup made before the first change.
    """

    records: int
    records_known: int
    runs: int
    runs_known: int
    differing: tuple[str, ...]
    accesses: int
    passed_over: int
    backup: str | None


def import_memory(given: ImportInput, context: Context) -> ImportOutput:
    """Check every line, then import all of them.

    Raises:
        Fault: INVALID_INPUT with each wrong line, CONFLICT for a newer version; then nothing is imported. FORBIDDEN
            for a file outside the project, except from a terminal.
    """
    if given.path is not None:
        relative = find_relative_path(_find_in_exports(given.path, context), context)
        source = context.root / (given.path if relative is None else relative)
        lines = records.read_lines(source, None if relative is None else context.root)
        name = f'"{Path(given.path).name}"'
    else:
        lines, name = iter((given.text or "").encode("utf-8", "replace").split(b"\n")), "the text"
    done = records.import_records(context.project.memory.shared_store, lines, name)
    return ImportOutput.from_value(done)


def _find_in_exports(path: str, context: Context) -> str:
    """Return the place of a bare name among the exports, if it is there and not in the project's folder."""
    place = prefer_exports_folder(path, context)
    return place if not path_exists(context.root / path) and path_exists(context.root / place) else path


def prefer_exports_folder(path: str, context: Context) -> str:
    """Return the path of a bare name in the folder of exports; any other path unchanged.

    In a terminal, a name is a file of the current folder, as for every other program.
    """
    is_bare = context.surface != "cli" and PurePosixPath(path).name == path and "\\" not in path
    return f"{EXPORTS_FOLDER}/{path}" if is_bare else path


def find_relative_path(path: str, context: Context) -> str | None:
    """Return the path relative to the project; None for one that a person in a terminal wrote as outside.

    A path that is written as inside and leads outside through a link is inside: the link may have come with a clone,
    and is refused when it is followed.

    Raises:
        Fault: INVALID_INPUT for a path that no file can have; FORBIDDEN for one outside, unless it comes from a person
            in a terminal.
    """
    refuse_impossible(path)
    plain = Path(os.path.normpath(context.root / path))
    if plain.is_relative_to(context.root):
        return path if not Path(path).is_absolute() else plain.relative_to(context.root).as_posix()
    folder = Path(os.path.realpath(plain.parent))
    if folder.is_relative_to(context.root):  # the project under another name, as `/var` on macOS
        return (folder / plain.name).relative_to(context.root).as_posix()
    if context.surface == "cli":
        return None
    raise Fault(
        Code.FORBIDDEN,
        f'"{path[:200]}" is outside the project',
        help="Give a path inside the project. Only a person in a terminal may name another place: "
        "`aur mem export /ABSOLUTE/PATH`.",
        details={"path": path[:200]},
    )


def locate_export(path: str, context: Context) -> tuple[Path, Path | None]:
    """Return the file of an export, and the folder that must contain it: the project, or None for any.

    Raises:
        Fault: FORBIDDEN for a path outside, in a folder of version control, among Aurora's own files, or of an
            assistant's configuration; INVALID_INPUT for an unusable name.
    """
    relative = find_relative_path(path, context)
    if relative is None:
        plain = Path(os.path.normpath(context.root / path))
        target, contained = Path(os.path.realpath(plain.parent)) / plain.name, None
        parts: tuple[str, ...] = target.parts
    else:
        folder, name = locate_target(context.root, relative)
        target, contained = folder / name, context.root
        parts = target.relative_to(context.root).parts
    reason = _find_refusal(target, parts, context)
    if reason:
        raise Fault(
            Code.FORBIDDEN,
            f'"{path[:200]}" {reason}',
            help=f"Choose another file, for example memory{EXPORT_SUFFIX}.",
            details={"path": path[:200]},
        )
    return target, contained


def _find_refusal(target: Path, parts: tuple[str, ...], context: Context) -> str:
    """Return why no export may be written there; empty when it may."""
    folded = [part.casefold() for part in parts]
    if is_closed(parts):
        return "is in a folder of version control"
    if DATA_FOLDER in folded:
        inner = tuple(folded[folded.index(DATA_FOLDER) + 1 : -1])
        in_place = inner in _EXPORT_PLACES and folded[-1].endswith(EXPORT_SUFFIX)
        return "" if in_place else f"is among Aurora's own files; only {EXPORTS_FOLDER}/NAME{EXPORT_SUFFIX} is not"
    owner = hosts.find_path_owner(target, context.root, hosts.UserPaths.from_environment())
    if owner:
        return f"belongs to the configuration of {owner}"
    if context.surface == "cli":
        return ""
    if any(part.startswith(".") for part in parts):
        return "is hidden, and other programs read hidden files"
    return "" if folded[-1].endswith(EXPORT_SUFFIX) else f"does not end in {EXPORT_SUFFIX}"


TOOLS = (
    Tool(
        name="mem.export",
        title="Export the memory",
        description=(
            "Export as JSON lines what the project's files do not contain: facts, patterns, their accesses, and all "
            "runs. The same memory always gives the same bytes. A record or run with a secret is withheld and reported."
        ),
        input=ExportInput,
        output=ExportOutput,
        run=export_memory,
        family="knowledge",
        risk="write",
        idempotent=True,
        timeout=600.0,
        jobs=True,
        aliases=(Alias("ag_export"),),
        examples=(
            Example("Everything but the files' chunks", {}),
            Example("Into a file", {"path": f"{EXPORTS_FOLDER}/memory.jsonl"}),
        ),
        writes_with=("path",),
        constraints=(
            f"A name without a folder is a file in {EXPORTS_FOLDER}; in a terminal, one in the current folder.",
            "It overwrites an existing file only when that is an export.",
            (
                "A path outside the project is FORBIDDEN, except in a terminal; "
                "so are hidden files, and those of assistants."
            ),
        ),
        mcp="aurora_mem_export",
        command=Command(
            "mem export",
            "Export facts, patterns and runs as JSON lines.",
            arguments=("path",),
            files=("path",),
            stdout_file="path",
            argument_help={
                "path": "The .jsonl file to write, relative to this folder; by default the lines are printed. "
                "Over MCP, a bare name is a file in .aurora/exports."
            },
        ),
    ),
    Tool(
        name="mem.import",
        title="Import an export",
        description=(
            "Import what `aur mem export` wrote: every line is checked first and all wrong ones are reported, then all "
            "of them are added in one transaction. Existing records stay as they are, so the same import twice changes "
            "nothing. The memory is backed up before, and `aur mem undo` undoes the import."
        ),
        input=ImportInput,
        output=ImportOutput,
        run=import_memory,
        family="knowledge",
        risk="high",
        idempotent=True,
        timeout=600.0,
        jobs=True,
        constraints=("A path outside the project is FORBIDDEN, except in a terminal.",),
        aliases=(Alias("ag_import"),),
        examples=(Example("An empty export", {"text": '{"aurora":"memory","version":1}'}),),
        mcp="aurora_mem_import",
        command=Command(
            "mem import", "Import exported JSON lines.", arguments=("path",), files=("path",), stdin_file="path"
        ),
    ),
)
