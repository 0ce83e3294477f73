"""Diagnosis of YAML syntax errors from the lines around them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.interpreter.problems import Fix, Place

if TYPE_CHECKING:
    from collections.abc import Sequence


class Diagnosis(NamedTuple):
    """The message in place of the parser's, and its place."""

    place: Place
    message: str
    help: str
    fix: Fix | None = None


class ParseFailure(NamedTuple):
    """A parser error: its message, its position and its context, counted from 0."""

    path: str
    lines: Sequence[str]
    message: str
    line: int
    column: int
    context: Any

    @property
    def text(self) -> str:
        """The line at which the parser stopped."""
        return self.lines[self.line] if self.line < len(self.lines) else ""

    def make_place(self, line: int, column: int, length: int = 1) -> Place:
        """Create a place from a line and a column that count from 0."""
        return Place(self.path, line + 1, column + 1, line + 1, column + 1 + max(length, 1))


_ODD_SPACE = re.compile("(?:(?<=^)|(?<=[ :-]))[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]+")
_MAX_LINES_BACK = 2
_MAX_LINES_UP = 1_000
_MAX_ODD_SPACES = 100
"""Odd spaces of a line that are looked at, each with the text before it."""
_CLOSERS = {"}": "{", "]": "["}


def diagnose_failure(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a syntax error, or return None."""
    for look in _DIAGNOSERS:
        found = look(seen)
        if found is not None:
            return found
    return None


def _diagnose_odd_space(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a character that only looks like a space, here or just above."""
    for line in range(min(seen.line, len(seen.lines) - 1), max(seen.line - _MAX_LINES_BACK, 0) - 1, -1):
        text = seen.lines[line]
        for found in islice(_ODD_SPACE.finditer(text), _MAX_ODD_SPACES):
            before = text[: found.start()]
            if before.strip(" -") and not before.endswith(":"):
                continue
            message = f"the character U+{ord(found[0][0]):04X} looks like a space, but is not one in YAML"
            wanted = "" if found[0][0] in "\u200b\ufeff" else " " * len(found[0])
            help_ = "put a plain space in its place" if wanted else "remove it"
            return Diagnosis(seen.make_place(line, found.start(), len(found[0])), message, help_, Fix(found[0], wanted))
    return None


def _diagnose_star(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose `prompt_template: *Mind* the gap`: the star begins an alias."""
    found = re.search(r"(?:^|[:-] +)(\*\S+) +[^\s#:,\]}]", seen.text)
    if found is None or seen.column < found.start(1):
        return None
    place = seen.make_place(seen.line, found.start(1), len(found[1]))
    return Diagnosis(place, 'a "*" begins an alias, and text follows it', "put the whole value in quotes")


def _diagnose_missing_colon(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose `start choose` and `start:choose`, reported a line later."""
    if "could not find expected ':'" not in seen.message or seen.context is None:
        return None
    line, column = seen.context.line, seen.context.column
    written = seen.lines[line][column:].split(" #")[0].rstrip()
    glued = re.match(r"([A-Za-z_][\w-]*):(?=\S)", written)
    if glued:
        place = seen.make_place(line, column + len(glued[1]))
        return Diagnosis(place, "a colon must be followed by a space", f"write `{glued[0]} …`", Fix(":", ": "))
    word = written.split(" ")[0]
    help_ = f"write `{word}: …`, or indent the line" if word.isidentifier() else "add the colon, or indent the line"
    return Diagnosis(seen.make_place(line, column, len(written)), 'a key must be followed by ": "', help_)


def _diagnose_key_without_colon(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a line `choose` above a deeper `inputs:`."""
    if "mapping values are not allowed" not in seen.message:
        return None
    above = next((line for line in range(seen.line - 1, -1, -1) if seen.lines[line].strip()), None)
    if above is None:
        return None
    written = seen.lines[above].split(" #")[0].rstrip()
    word = written.lstrip(" ").removeprefix("- ").strip()
    if not re.fullmatch(r"[A-Za-z_][\w-]*", word) or _count_indent(seen.text) <= _count_indent(written):
        return None
    place = seen.make_place(above, len(written) - len(word), len(word))
    return Diagnosis(place, 'a key must be followed by ": "', f"write `{word}:`", Fix(word, f"{word}:"))


def _diagnose_stray_bracket(seen: ParseFailure) -> Diagnosis | None:
    sign = seen.text[seen.column : seen.column + 1]
    if sign not in _CLOSERS or "'<stream end>'" in seen.message:
        return None
    wanted = "}" if "flow mapping" in seen.message else "]" if "flow sequence" in seen.message else ""
    if sign == wanted or (wanted == "]" and sign == "}"):
        return None
    return Diagnosis(seen.make_place(seen.line, seen.column), f'this "{sign}" closes nothing', "remove it")


def _diagnose_text_after_quote(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose `"Say "hello" to them"`, a text after the closing quote."""
    before, rest = seen.text[: seen.column].rstrip(), seen.text[seen.column :]
    if before[-1:] not in ("'", '"') or not rest.strip() or rest[:1] in "#:":
        return None
    if re.match(r"""(["']?)[\w-]+\1\s*:""", rest):
        return None  # a comma is missing before the next key
    quote = before[-1]
    inside = "double a quote inside: `''`" if quote == "'" else 'write a quote inside as `\\"`'
    word = re.match(r"[^\s,\]}]*", rest)
    place = seen.make_place(seen.line, seen.column, len(word[0]) if word else 1)
    return Diagnosis(place, "the quoted text ended before this", f"{inside}, or use the other quotes around the text")


def _diagnose_open_quote(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a quote of an earlier line that is still open where the next quoted text begins."""
    before = seen.text[: seen.column].rstrip()
    quote = before[-1:]
    if quote not in ("'", '"') or before.count(quote) % 2 == 0:
        return None
    opening = re.compile(rf"(?:^ *|[:,\[{{-] +){quote}(?=[^{quote}]*$)")
    for line in range(seen.line - 1, max(seen.line - _MAX_LINES_UP, 0) - 1, -1):
        found = opening.search(seen.lines[line]) if seen.lines[line].count(quote) % 2 else None
        if found is not None:
            place = seen.make_place(line, found.end() - 1)
            return Diagnosis(place, "the quoted text that begins here never ends", "close the quotes")
    return None


def _diagnose_open_bracket(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a bracket that is still open where the next key begins."""
    if "expected ','" not in seen.message or seen.context is None or seen.context.line >= seen.line:
        return None
    opened = seen.lines[seen.context.line]
    if seen.text[: seen.column].strip() or _count_indent(seen.text) > _count_indent(opened):
        return None
    sign = opened[seen.context.column : seen.context.column + 1]
    wanted = next((closer for closer, opener in _CLOSERS.items() if opener == sign), "")
    place = seen.make_place(seen.context.line, seen.context.column)
    return (
        Diagnosis(place, "the bracket that opens here is never closed", f'add the missing "{wanted}"')
        if wanted
        else None
    )


def _diagnose_missing_key(seen: ParseFailure) -> Diagnosis | None:
    if not re.match(r" *:(\s|$)", seen.text) or seen.text[: seen.column].strip():
        return None
    return Diagnosis(
        seen.make_place(seen.line, seen.column), "there is no key before this colon", "write the key, or remove it"
    )


def _diagnose_key_at_margin(seen: ParseFailure) -> Diagnosis | None:
    """Diagnose a key at the left margin after which the mapping above it goes on."""
    indent = _count_indent(seen.text)
    if "block mapping" not in seen.message or not indent or seen.text[: seen.column].strip():
        return None
    line, inner = _find_margin_key(seen.lines, seen.line)
    above, siblings = _find_margin_key(seen.lines, line)
    if above < 0 or inner <= indent or siblings not in (0, indent):
        return None
    name, outer = (seen.lines[at].partition(":")[0] for at in (line, above))
    message = f'"{name}" is at the left margin, and line {seen.line + 1} goes on with what is in "{outer}"'
    help_ = f'indent "{name}" by {indent} spaces, as the keys in "{outer}"'
    return Diagnosis(seen.make_place(line, 0, len(name)), message, help_, Fix(name, f"{' ' * indent}{name}"))


def _find_margin_key(lines: Sequence[str], before: int) -> tuple[int, int]:
    """Find the nearest key at the left margin above a line, and the indentation of its first line.

    Returns:
        The line, or -1 where no line at the margin is a key without a value; the indentation, or 0 without a line.
    """
    first = 0
    for line in range(before - 1, -1, -1):
        text = lines[line]
        if not text.strip() or text.lstrip(" ").startswith("#"):
            continue
        if not text.startswith(" "):
            return (line if _MARGIN_KEY.fullmatch(text) else -1), first
        first = _count_indent(text)
    return -1, first


_MARGIN_KEY = re.compile(r"[A-Za-z_][\w-]*: *(?: #.*)?")


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


_DIAGNOSERS = (
    _diagnose_odd_space,
    _diagnose_star,
    _diagnose_missing_colon,
    _diagnose_key_without_colon,
    _diagnose_stray_bracket,
    _diagnose_open_quote,
    _diagnose_text_after_quote,
    _diagnose_open_bracket,
    _diagnose_key_at_margin,
    _diagnose_missing_key,
)
