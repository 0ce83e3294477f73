"""Line splitting by the rules of YAML."""

from __future__ import annotations

import re

YAML_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""https://yaml.org/spec/1.1/#id871136"""

_PLAIN_BREAK = re.compile("\r?\n")


def split_lines(path: str, text: str) -> list[str]:
    """Split a file's text into lines as problems count them, by the file's suffix."""
    breaks = YAML_BREAK if path.endswith((".yaml", ".yml")) else _PLAIN_BREAK
    return breaks.split(text)


def split_yaml_lines(text: str) -> list[str]:
    """Split a workflow into lines as its problems count them."""
    return YAML_BREAK.split(text)


def split_with_breaks(text: str) -> list[str]:
    """Split into line, break, line, break, …, line, which joined give the text."""
    return re.split(f"({YAML_BREAK.pattern})", text)
