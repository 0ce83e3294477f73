"""Several new files, each written whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, quote_names, write_atomically
from aurora.interpreter.problems import UnreadableFileError, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def select_missing(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Those of the files that are not there yet with this very text."""
    return {name: text for name, text in files.items() if _read_existing(folder / name) != text.encode("utf-8")}


def refuse_existing(folder: Path, names: Iterable[str]) -> None:
    """Make sure that none of these is there.

    Raises:
        Fault: CONFLICT, with those that are.
    """
    there = [name for name in names if os.path.lexists(folder / name)]
    if there:
        raise Fault(
            Code.CONFLICT,
            f"{quote_names(there)} {'is' if len(there) == 1 else 'are'} there already, and nothing was written",
            help="Choose another name, move them away, or write over them with --force.",
            details={"files": sorted(there)},
        )


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write them in this order, so that what names the others comes last and is never there without them.

    Args:
        folder: where they go; it exists.
        files: text by path under the folder.

    Raises:
        Fault: FORBIDDEN when one cannot be written, or lies outside the folder by way of a link; those before it stay.
    """
    for name, text in files.items():
        path = folder / name
        try:
            if not path.parent.resolve().is_relative_to(folder.resolve()):
                raise Fault(
                    Code.FORBIDDEN, f'"{name}" lies behind a link that leads elsewhere', help="Remove the link."
                )
            write_atomically(path, text.encode("utf-8"))
        except OSError as error:
            raise Fault(
                Code.FORBIDDEN,
                f'"{name}" cannot be written: {error.strerror or error}',
                help=f'Give yourself permission to write in "{folder}".',
            ) from None


def _read_existing(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except UnreadableFileError:
        return None
