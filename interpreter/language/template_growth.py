"""Detection of templates in which a text doubles itself until it fills the memory.

The template engine limits the steps of a rendering, but not the length of intermediate texts: a text that is joined to
itself thirty times is a thousand million times as long. Printed texts are counted when they are printed; this module
finds those that grow before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_GROWTH = 4096
"""Limit of the factor by which successive assignments can lengthen a text."""

_OPENING = re.compile(r"\{[{%]-?")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|-?[%}]\}', re.DOTALL)
_TARGET = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=(?!=)(.*)", re.DOTALL)
_CHOICE = re.compile(r"(.*?)\bif\b.*?\belse\b(.*)", re.DOTALL)
_NAME = re.compile(r"(?<![\w.|])[A-Za-z_][\w.]*")
_FILTER = re.compile(r"\|\s*(batch|e|escape|format|indent|join|pprint|replace|tojson|urlencode)\b")
_OPENING_TAGS = frozenset({"for", "macro", "call"})
_CLOSING_TAGS = frozenset({"endfor", "endmacro", "endcall"})


@dataclass(frozen=True, slots=True)
class _Tag:
    """One tag: its statement word, the rest without quoted texts, its span."""

    word: str
    rest: str
    span: tuple[int, int]


def find_text_growth(template: str) -> tuple[int, int] | None:
    """Find the span where a text grows without bound; None if there is none."""
    tags = tuple(_scan_tags(template))
    made, macros = _collect_assigned(tags)
    if not made:
        return None
    call = re.compile(rf"\b({'|'.join(map(re.escape, sorted(macros)))})\s*\(") if macros else None
    depth, times = 0, 1
    for tag in tags:
        depth += (tag.word in _OPENING_TAGS) - (tag.word in _CLOSING_TAGS)
        assigned = _TARGET.match(tag.rest) if tag.word == "set" else None
        called = call is not None and depth > 0 and tag.word != "macro" and call.search(tag.rest)
        factor = _estimate_growth(assigned[2] if assigned else tag.rest, made) if assigned or called else 1
        times *= factor
        if (factor > 1 and depth > 0) or times > MAX_GROWTH:
            return tag.span
    return None


def _scan_tags(template: str) -> Iterator[_Tag]:
    at = 0
    while (opening := _OPENING.search(template, at)) is not None:
        kept: list[str] = []
        at = here = opening.end()
        for piece in _PIECE.finditer(template, here):
            kept.append(template[at : piece.start()])
            at = piece.end()
            if piece[0].endswith("}"):
                break
        else:
            return
        inside = " ".join(kept)
        word = inside.split(maxsplit=1)[0] if opening[0].startswith("{%") and inside.strip() else ""
        yield _Tag(word, inside.strip().removeprefix(word), (opening.start(), at))


def _collect_assigned(tags: Sequence[_Tag]) -> tuple[set[str], set[str]]:
    """Collect the names that the template assigns, and those of its macros."""
    made: set[str] = set()
    macros: set[str] = set()
    for tag in (*tags, *tags):  # a loop can use what is set further down
        names = _NAME.findall(tag.rest)
        if tag.word in ("set", "with"):
            made |= set(_NAME.findall(re.sub(r"=(?!=)[^,]*", " ", tag.rest)))
        elif tag.word == "macro" and names:
            macros.add(names[0])
            made |= set(names[1:])
        elif tag.word == "for" and made & set(names):
            made.add(names[0])
    return made, macros


def _estimate_growth(text: str, made: set[str]) -> int:
    """Estimate how many assigned texts go into this one; of two branches the larger."""
    choice = _CHOICE.match(text)
    if choice:
        return max(_estimate_growth(choice[1], made), _estimate_growth(choice[2], made))
    mentioned = sum(name in made for name in _NAME.findall(text))
    grows = mentioned and ("*" in text or _FILTER.search(text) is not None)
    return max(mentioned, 2 if grows else 1)
