"""Which file a module's name means, by the rules of its language; only names and paths are looked at."""

from __future__ import annotations

import posixpath
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_FOLDER_STEMS = frozenset({"__init__", "index", "mod", "lib", "main"})
SCRIPT_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_SCRIPT_SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".d")
_MIN_SHARED_PARTS = 2


def resolve_relative(language: str, path: str, module: str) -> str:
    """A module that is named from where the file lies, as a path from the project's folder with `/` before it.

    Args:
        language: of the file.
        path: of the file, project-relative.
        module: as it is written; one that is not relative comes back as it is.
    """
    if language == "rust":
        return _resolve_rust(path, module)
    return _resolve_in_folder(language, posixpath.dirname(path), module) if module.startswith(".") else module


@lru_cache(maxsize=1 << 12)
def _resolve_in_folder(language: str, folder: str, module: str) -> str:
    if language == "python":
        rest = module.lstrip(".")
        for _ in range(len(module) - len(rest) - 1):
            folder = posixpath.dirname(folder)
        return _join_path(folder, rest.replace(".", "/"))
    if language in SCRIPT_LANGUAGES:
        whole = _join_path(folder, module)
        return whole.removesuffix(posixpath.splitext(whole)[1]) if whole.endswith(_SCRIPT_SUFFIXES) else whole
    if language == "ruby" and module.startswith("./"):
        return _join_path(folder, module.removesuffix(".rb"))
    return _join_path(folder, module) if language in {"c", "cpp"} else module


def _join_path(folder: str, rest: str) -> str:
    whole = posixpath.normpath(posixpath.join("/", folder, rest))
    return "/" + whole.lstrip("/").removesuffix("/index")


def _resolve_rust(path: str, module: str) -> str:
    """`crate::a::b` counts from the crate's `src`, `self::` and `super::` from the file's own module."""
    head, _, rest = module.partition("::")
    if head not in {"crate", "self", "super"}:
        return module
    own = to_module_key(path)
    if head == "crate":
        before, src, _ = f"/{path}".rpartition("/src/")
        return _join_path((before + "/src").strip("/") if src else posixpath.dirname(path), rest.replace("::", "/"))
    while head == "super":
        own = posixpath.dirname(own)
        head, _, rest = rest.partition("::") if rest.startswith("super") else ("", "", rest)
    return _join_path(own, rest.replace("::", "/"))


@lru_cache(maxsize=1 << 14)
def to_module_key(path: str) -> str:
    """A file as others name it: no ending, and a folder in place of the file that stands for it."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    return folder if stem in _FOLDER_STEMS and folder else posixpath.join(folder, stem)


def is_module_at(language: str, module: str, path: str, packages: AbstractSet[str]) -> bool:
    """Whether the module is this file, or, where a package is a folder, is the folder that it lies in.

    Args:
        language: of the file that names the module.
        module: as `absolute` gave it.
        path: of the file that may be meant.
        packages: the folders that hold an `__init__.py`; a name of Python's never begins inside one.
    """
    if language in {"c", "cpp"}:
        wanted = module.strip("<>")
        return path == wanted[1:] if wanted.startswith("/") else f"/{path}".endswith(f"/{wanted}")
    if module.startswith("/"):
        return to_module_key(path) == module[1:] or (language == "rust" and posixpath.dirname(path) == module[1:])
    if language == "go":
        return _is_same_package(module, posixpath.dirname(path))
    if language == "rust":
        return _is_in_crate(module, path)
    return _has_module_suffix(language, module, path, packages)


def _has_module_suffix(language: str, module: str, path: str, packages: AbstractSet[str]) -> bool:
    """Whether the file's path ends as the module is called, where names count from a root that nobody told us."""
    wanted = module.replace(".", "/") if language != "ruby" else module
    if language in SCRIPT_LANGUAGES:
        wanted = module.removeprefix("@/").removeprefix("~/")
        return wanted != module and f"/{to_module_key(path)}".endswith(f"/{wanted}")
    key = to_module_key(path)
    if f"/{key}".endswith(f"/{wanted}"):
        root = key[: len(key) - len(wanted)].rstrip("/")
        return language != "python" or root not in packages
    return language in {"java", "csharp"} and f"/{posixpath.dirname(path)}".endswith(f"/{wanted}")


def is_in_package(language: str, module: str, path: str, packages: AbstractSet[str]) -> bool:
    """Whether the file lies in the package that the module is: what it hands on may be defined there."""
    if language == "go":
        return False
    folder = posixpath.dirname(path)
    while folder:
        if is_module_at(language, module, f"{folder}/__init__.py", packages) or is_module_at(
            language, module, f"{folder}.x", packages
        ):
            return True
        folder = posixpath.dirname(folder)
    return False


def _is_in_crate(module: str, path: str) -> bool:
    """What counts from no `crate`, `self` or `super` begins with the name of a crate, which its folder bears, too.

    So `std::io` is no module `io` of the project, and `task::spawn` none called `task` that is not in scope.
    """
    head, _, rest = module.partition("::")
    inner = f"/src/{rest.replace('::', '/')}".rstrip("/")
    ends = (f"/{head}{inner}", f"/{head.replace('_', '-')}{inner}")
    return f"/{to_module_key(path)}".endswith(ends) or f"/{posixpath.dirname(path)}".endswith(ends)


def _is_same_package(module: str, folder: str) -> bool:
    """Go names a package by its folder, below a prefix that only `go.mod` knows."""
    if not folder:
        return False
    if f"/{module}".endswith(f"/{folder}"):
        return True
    shared = 0
    for left, right in zip(reversed(module.split("/")), reversed(folder.split("/")), strict=False):
        if left != right:
            break
        shared += 1
    return shared >= _MIN_SHARED_PARTS
