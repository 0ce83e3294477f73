"""Module names and file paths: the helpers that the languages resolve imports with."""

from __future__ import annotations

import posixpath
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

FOLDER_STEMS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that other files import by the name of their folder."""

_SUFFIXES = (".h", ".hpp", ".hh", ".js", ".ts")
"""Endings that an import may write out."""


def keep_module(_path: str, module: str) -> str:
    """Return a module unchanged: the language has no relative names."""
    return module


def join_path(folder: str, rest: str) -> str:
    """Join a folder and a relative path to a path from the project's root, with a leading `/`."""
    whole = posixpath.normpath(posixpath.join("/", folder, rest))
    return "/" + whole.lstrip("/").removesuffix("/index")


@lru_cache(maxsize=1 << 14)
def to_module_key(path: str) -> str:
    """Write a file's path as imports do: no ending, and the folder in place of a file that represents it."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    return folder if stem in FOLDER_STEMS and folder else posixpath.join(folder, stem)


def has_suffix(path: str, wanted: str) -> bool:
    """Report True when a path ends with these whole parts."""
    return f"/{path}".endswith(f"/{wanted}")


def is_module_file(module: str, path: str) -> bool:
    """Report True when a module with a leading `/` is this file."""
    return to_module_key(path) == module[1:]


def matches_dotted_path(module: str, path: str, _packages: AbstractSet[str]) -> bool:
    """Match `a.b.C` with a file or a folder whose path ends so."""
    if module.startswith("/"):
        return is_module_file(module, path)
    wanted = module.replace(".", "/")
    return has_suffix(to_module_key(path), wanted) or has_suffix(posixpath.dirname(path), wanted)


@lru_cache(maxsize=1 << 12)
def get_module_stem(module: str) -> str:
    """Return the name of the file that a module is."""
    last = module.replace("::", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module and not last.endswith(_SUFFIXES):
        last = last.strip(".").rpartition(".")[2]
    return last.partition(".")[0].strip("<>") or "."
