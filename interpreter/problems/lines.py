"""Where YAML ends a line: at more characters than other texts do."""

from __future__ import annotations

import re

YAML_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""https://yaml.org/spec/1.1/#id871136"""

_PLAIN_BREAK = re.compile("\r?\n")


def split_lines(path: str, text: str) -> list[str]:
    """The lines of a file's text, as problems count them; what kind of text it is, the name tells."""
    breaks = YAML_BREAK if path.endswith((".yaml", ".yml")) else _PLAIN_BREAK
    return breaks.split(text)


def split_yaml_lines(text: str) -> list[str]:
    """The lines of a workflow, as its problems count them."""
    return YAML_BREAK.split(text)


def split_with_breaks(text: str) -> list[str]:
    """Line, break, line, break, …, line: joined, they are the text."""
    return re.split(f"({YAML_BREAK.pattern})", text)
