"""Locations in compiler messages and tracebacks: a path and a line."""

from __future__ import annotations

import re

_MAX_LOCATIONS = 32
"""The last are read: the end of a traceback is the most specific part."""

# web/app.py:12, app.rb:12:in, File "web/app.py", line 12, app.ts(12,5), app.cs:line 12
# A path is matched from its beginning only, and has a bounded length, so that a hostile text costs no quadratic time.
_LOCATION = re.compile(r"(?<![\w.@+~/\\-])([\w.@+~/\\-]{1,400}\.\w{1,20})(?::|\", line |:line |\()(\d{1,7})\b")


def extract_locations(text: str) -> tuple[tuple[str, int], ...]:
    """Extract the locations: each path and each of its suffixes, with the line."""
    locations: dict[tuple[str, int], None] = {}
    for path, line in find_locations(text):
        parts = path.split("/")
        for start in range(len(parts)):
            if suffix := "/".join(parts[start:]):
                locations[suffix, int(line)] = None
    return tuple(locations)


def find_locations(text: str) -> list[tuple[str, int]]:
    r"""Find the last paths with a line, in order; `\` in a path becomes `/`."""
    return [(path.replace("\\", "/"), int(line)) for path, line in _LOCATION.findall(text)[-_MAX_LOCATIONS:]]
