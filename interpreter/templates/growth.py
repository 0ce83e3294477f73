"""Detection of templates in which a text doubles itself until it fills the memory.

A worker stops such a template when it is rendered; this finds it when the workflow is validated. A text that is joined
to itself thirty times is a thousand million times as long.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .tags import list_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .tags import Tag, Token

MAX_GROWTH = 4096
"""Limit of the factor by which successive assignments can lengthen a text."""

_GROWING_FILTERS = frozenset(
    {"batch", "e", "escape", "format", "indent", "join", "pprint", "replace", "tojson", "urlencode"}
)
_OPENING_TAGS = frozenset({"for", "macro", "call"})
_CLOSING_TAGS = frozenset({"endfor", "endmacro", "endcall"})


def find_text_growth(template: str) -> tuple[int, int] | None:
    """Find the span where a text grows without bound; None if there is none."""
    tags = list_tags(template)
    made, macros = _collect_assigned(tags)
    if not made:
        return None
    depth, times = 0, 1
    for tag in tags:
        depth += (tag.word in _OPENING_TAGS) - (tag.word in _CLOSING_TAGS)
        factor = _measure_factor(tag, made, macros if depth > 0 else frozenset())
        times *= factor
        if (factor > 1 and depth > 0) or times > MAX_GROWTH:
            return tag.start, tag.end
    return None


def _measure_factor(tag: Tag, made: set[str], macros: set[str] | frozenset[str]) -> int:
    """Estimate how much longer a tag makes a text that the template assigned."""
    inside = tag.tokens[1:] if tag.word else tag.tokens
    assigned = _find_assigned_value(inside) if tag.word == "set" else None
    if assigned is not None:
        return _estimate_growth(assigned, made)
    if tag.word != "macro" and _has_call(inside, macros):
        return _estimate_growth(inside, made)
    return 1


def _collect_assigned(tags: Sequence[Tag]) -> tuple[set[str], set[str]]:
    """Collect the names that the template assigns, and those of its macros."""
    made: set[str] = set()
    macros: set[str] = set()
    for tag in (*tags, *tags):  # a loop can use what is set further down
        inside = tag.tokens[1:]
        if tag.word in ("set", "with"):
            made.update(_list_names(_drop_values(inside)))
        elif tag.word == "macro":
            names = list(_list_names(inside))
            macros.update(names[:1])
            made.update(names[1:])
        elif tag.word == "for":
            names = list(_list_names(inside))
            if made.intersection(names):
                made.add(names[0])
    return made, macros


def _list_names(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the names with what follows their dots, `n.x`; not those of filters."""
    name = ""
    before = ""
    for token in tokens:
        if token.kind == "name" and before == ".":
            name = f"{name}.{token.text}" if name else ""
        elif token.text != "." or not name:
            if name:
                yield name
            name = token.text if token.kind == "name" and before != "|" else ""
        before = token.text
    if name:
        yield name


def _drop_values(tokens: Sequence[Token]) -> list[Token]:
    """Return the targets of `a = 1, b = 2`."""
    kept: list[Token] = []
    is_value = False
    for token in tokens:
        is_value = (is_value or token.text == "=") and token.text != ","
        if not is_value:
            kept.append(token)
    return kept


def _find_assigned_value(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """Return the value of `NAME = VALUE`; None for another form."""
    place = next((index for index, token in enumerate(tokens) if token.text == "="), 0)
    is_name = place > 0 and all(token.kind == "name" or token.text == "." for token in tokens[:place])
    return tokens[place + 1 :] if is_name else None


def _has_call(tokens: Sequence[Token], macros: set[str] | frozenset[str]) -> bool:
    return any(token.text in macros and after.text == "(" for token, after in pairwise(tokens))


def _estimate_growth(tokens: Sequence[Token], made: set[str]) -> int:
    """Estimate how many assigned texts go into this one; of two branches the larger."""
    most = 1
    while True:
        words = [token.text if token.kind == "name" else "" for token in tokens]
        choice = words.index("if") if "if" in words else None
        other = words.index("else", choice) if choice is not None and "else" in words[choice:] else None
        if choice is None or other is None:
            return max(most, _count_assigned(tokens, made))
        most = max(most, _count_assigned(tokens[:choice], made))
        tokens = tokens[other + 1 :]


def _count_assigned(tokens: Sequence[Token], made: set[str]) -> int:
    mentioned = sum(name in made for name in _list_names(tokens))
    is_lengthened = any(token.text == "*" for token in tokens) or any(
        token.text == "|" and following.text in _GROWING_FILTERS for token, following in pairwise(tokens)
    )
    return max(mentioned, 2 if mentioned and is_lengthened else 1)
