"""Parser of the YAML frontmatter of a Markdown file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.hosts import formats

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCED_BLOCK = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)(?:\r?\n)?^---[ \t]*(?:\r?$)", re.DOTALL | re.MULTILINE
)
_KEY_LINE = re.compile(r"^(?P<key>[A-Za-z_][\w-]{0,60})[ \t]*:(?=[ \t]|\r?$)", re.MULTILINE)
_BLOCK_MARK = re.compile(r"[|>][-+\d]*")
_DESCRIPTION = "description"
_MAX_CHARACTERS = 64_000


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """Values of a frontmatter.

    Attributes:
        values: the values by key.
        problem: why there are none; empty if there are.
        yaml_problem: why the values were read key by key; empty for valid YAML.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    yaml_problem: str = ""


def parse_frontmatter(text: str) -> Frontmatter:
    """Parse the frontmatter; a problem leaves no values."""
    fenced = _FENCED_BLOCK.match(text)
    if fenced is None:
        opened = text.lstrip("\ufeff").startswith("---")
        return Frontmatter(problem='its frontmatter has no closing "---"' if opened else "it has no frontmatter")
    body = fenced["body"]
    if len(body) > _MAX_CHARACTERS:
        return Frontmatter(problem=f"its frontmatter is longer than {_MAX_CHARACTERS:,} characters")
    loaded, problem = _load_yaml(body)
    if problem:
        values = _read_leniently(body)
        return Frontmatter(values, yaml_problem=problem) if values else Frontmatter(problem=problem)
    if loaded is None:
        return Frontmatter(problem="its frontmatter is empty")
    if not isinstance(loaded, dict):
        return Frontmatter(problem="its frontmatter is not a mapping of `key: value`")
    return Frontmatter({key: value for key, value in loaded.items() if isinstance(key, str)})


def _read_leniently(body: str) -> dict[str, Any]:
    """Read each key by itself, as the assistants do: what is no YAML is the text up to the next key.

    Claude Code's own generator writes descriptions in one line, without quotes, with `: ` and examples in them.
    """
    values: dict[str, Any] = {}
    starts = list(_KEY_LINE.finditer(body))
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(body)
        loaded, problem = _load_yaml(body[start.start() : end])
        is_value = not problem and isinstance(loaded, dict)
        if not is_value and start["key"] != _DESCRIPTION and body[start.end() :].lstrip(" \t").startswith(("[", "{")):
            return {}  # a list that is not closed, which no assistant reads
        values[start["key"]] = loaded[start["key"]] if is_value else _read_text(body[start.end() : end])
    return values


def _read_text(written: str) -> str | list[str]:
    """Return a list of items after dashes, and anything else as one text."""
    lines = [line.strip() for line in written.strip().splitlines() if line.strip()]
    if lines and all(line.startswith("- ") for line in lines):
        return [line[2:].strip() for line in lines]
    text = "\n".join(lines[1:] if lines and _BLOCK_MARK.fullmatch(lines[0]) else lines)
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if is_quoted else text


def _load_yaml(body: str) -> tuple[Any, str]:
    """Parse the YAML; return the values and the problem, which is empty for valid YAML."""
    try:
        return formats.parse_yaml(body), ""
    except formats.ConfigFileError as error:
        place = f" in line {error.line + 1}" if error.line else ""
        return None, f"its frontmatter is not valid YAML{place} ({error.message})"
