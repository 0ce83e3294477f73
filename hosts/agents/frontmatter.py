"""Parser of the YAML frontmatter of a Markdown file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCED_BLOCK = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)(?:\r?\n)?^---[ \t]*(?:\r?$)", re.DOTALL | re.MULTILINE
)
_KEY_LINE = re.compile(r"^(?P<key>[A-Za-z][\w-]*):(?P<value>.*)$", re.MULTILINE)
_MAX_CHARACTERS = 64_000


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """Frontmatter values, and the problem of the text; empty if valid."""

    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


def parse_frontmatter(text: str) -> Frontmatter:
    """Parse the frontmatter; fall back to single lines if the YAML is invalid."""
    fenced = _FENCED_BLOCK.match(text)
    if fenced is None:
        opened = text.lstrip("\ufeff").startswith("---")
        return Frontmatter(problem='its frontmatter has no closing "---"' if opened else "it has no frontmatter")
    body = fenced["body"]
    if len(body) > _MAX_CHARACTERS:
        return Frontmatter(problem=f"its frontmatter is longer than {_MAX_CHARACTERS:,} characters")
    loaded, problem = _load_yaml(body)
    if problem:
        return Frontmatter(_read_plain_lines(body), problem)
    if loaded is None:
        return Frontmatter(problem="its frontmatter is empty")
    if not isinstance(loaded, dict):
        return Frontmatter(problem="its frontmatter is not a mapping of `key: value`")
    return Frontmatter({key: value for key, value in loaded.items() if isinstance(key, str)})


def _load_yaml(body: str) -> tuple[Any, str]:
    # ruamel.yaml takes 40 ms to import, and most projects have no agents
    from ruamel.yaml import YAML  # noqa: PLC0415 - see above

    try:
        return YAML(typ="safe", pure=True).load(body), ""
    except Exception as error:  # noqa: BLE001 - malformed YAML also ends in AssertionError, TypeError, RecursionError …
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or type(error).__name__
        place = f" in line {mark.line + 2}" if mark is not None else ""
        return None, f"its frontmatter is not valid YAML{place} ({said})"


def _read_plain_lines(body: str) -> dict[str, Any]:
    """Read plain `key: value` lines, as hosts do for unquoted colons."""
    return {line["key"]: _strip_quotes(line["value"].strip()) for line in _KEY_LINE.finditer(body)}


def _strip_quotes(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
