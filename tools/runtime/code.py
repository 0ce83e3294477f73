"""Stamp of the code that decides what the tools accept and return."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pydantic

import aurora
from aurora.faults import stamp_modules

_PACKAGES = ("doctor", "faults", "hosts", "interpreter", "memory", "tools", "trust")
"""Packages that a tool may import."""


@cache
def stamp_code() -> str:
    """Return a stamp of the packages that a tool may import, and of the folder of the libraries.

    It takes 6 ms; importing the tools of a workflow, to look at them, takes 0.2 s.
    """
    root = Path(aurora.__file__).parent
    libraries = Path(pydantic.__file__).parents[1].stat().st_mtime_ns
    modules = sorted(stamp for name in _PACKAGES for stamp in stamp_modules(str(root / name)))
    text = json.dumps([aurora.__version__, libraries, modules])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
