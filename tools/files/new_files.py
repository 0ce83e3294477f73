"""Writer of new files, each written atomically."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, choose_write_remedy, quote_names
from aurora.faults.paths import write_inside
from aurora.interpreter.problems import UnreadableFileError, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def select_missing(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that do not exist yet with this text."""
    return {name: text for name, text in files.items() if _read_existing(folder / name) != text.encode("utf-8")}


def refuse_existing(folder: Path, names: Iterable[str]) -> None:
    """Check that none of these files exists.

    Raises:
        Fault: CONFLICT, with the existing files.
    """
    existing = [name for name in names if os.path.lexists(folder / name)]
    if existing:
        raise Fault(
            Code.CONFLICT,
            f"{quote_names(existing)} {'exists' if len(existing) == 1 else 'exist'} already, and nothing was written",
            help="Choose another name, move the files, or overwrite them with --force.",
            details={"files": sorted(existing)},
        )


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files in this order, so that a file which refers to others is written last.

    Args:
        folder: the existing target folder.
        files: path under the folder -> text.

    Raises:
        Fault: FORBIDDEN if one cannot be written, or is a link, or outside the folder; earlier files remain.
    """
    for name, text in files.items():
        try:
            write_inside(folder.resolve(), name, text.encode("utf-8"))
        except OSError as error:
            raise Fault(
                Code.FORBIDDEN,
                f'"{name}" cannot be written: {error.strerror or error}',
                help=choose_write_remedy(error, f'Allow writing in "{folder}".'),
            ) from None


def _read_existing(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except UnreadableFileError:
        return None
