"""Stamp of the code of Aurora's tools, of which their facts are made."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import aurora
from aurora.interpreter.catalog import stamp_modules

_PACKAGE = Path(aurora.__file__).resolve().parent
_PARTS = ("faults", "hosts", "interpreter", "memory", "tools", "trust")
"""Packages that a declaration of a tool can import."""


@cache
def stamp_tools() -> str:
    """Stamp the files of the tools' code: importing the tools takes twenty times as long."""
    found = [entry for part in _PARTS for entry in stamp_modules(_PACKAGE / part)]
    return hashlib.sha256(json.dumps([aurora.__version__, sorted(found)]).encode()).hexdigest()
