"""Parser of the YAML frontmatter of a Markdown file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aurora.hosts import formats

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCED_BLOCK = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)(?:\r?\n)?^---[ \t]*(?:\r?$)", re.DOTALL | re.MULTILINE
)
_PLAIN_LINE = re.compile(
    r"^(?P<key>[A-Za-z][\w-]*:[ ]+)(?P<text>[^\s'\"\[{|>][^\r\n]*?(?::[ \t]|:$)[^\r\n]*)", re.MULTILINE
)
"""A text with a colon behind a key; hosts, whose own generators write such lines, read the rest of the line."""
_MAX_CHARACTERS = 64_000


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """Frontmatter values, and the problem of the text; empty if valid."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


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
        quoted = _PLAIN_LINE.sub(lambda line: f"{line['key']}{json.dumps(line['text'], ensure_ascii=False)}", body)
        loaded, still = _load_yaml(quoted)
        problem = problem if still else ""
    if problem:
        return Frontmatter(problem=problem)
    if loaded is None:
        return Frontmatter(problem="its frontmatter is empty")
    if not isinstance(loaded, dict):
        return Frontmatter(problem="its frontmatter is not a mapping of `key: value`")
    return Frontmatter({key: value for key, value in loaded.items() if isinstance(key, str)})


def _load_yaml(body: str) -> tuple[Any, str]:
    """Parse the YAML; return the values and the problem, which is empty for valid YAML."""
    try:
        return formats.parse_yaml(body), ""
    except formats.ConfigFileError as error:
        place = f" in line {error.line + 1}" if error.line else ""
        return None, f"its frontmatter is not valid YAML{place} ({error.message})"
