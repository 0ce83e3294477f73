"""Aurora makes a coding assistant follow a written process: YAML workflows, one phase per call, over MCP."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` takes longer to import than `aur mcp` takes to answer
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

__all__ = ["__version__", "export_lazily"]

__version__ = "0.1.0"


def export_lazily(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package whose names are imported when they are first used.

    A command then loads only the modules that it needs, although every import goes through a package's face.

    Args:
        package: the package's `__name__`.
        modules: each of its modules, relative to the package, with the names that the package exports from it.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def get_attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # Not `import_module`: `python -X importtime` does not list what that imports.
        value = getattr(__import__(f"{package}.{homes[name]}", fromlist=[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get_attribute
