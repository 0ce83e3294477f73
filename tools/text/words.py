"""Tokenizer of queries: words, names and clauses, so that whole words are matched."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?=[^ ]|[ ]-)                                               # no token begins with a blank but " - "
    (?:
      (?P<plain> [A-Za-z][a-z]*(?=[\s,;!?]|\Z) )                # the fast path for most words
    | (?P<name> `[^`\n]{1,200}`                                   # `quoted code`
        | \w+://\S+                                               # a URL
        | (?<!\w)(?:\.{0,2}/)[\w.-]+(?:/[\w.-]+)*                 # /a/path, ./a/path; no "502/503"
        | [\w-]+(?:/[\w.-]+)*/[\w-]+\.\w{1,8}                     # a/path.py
        | [A-Za-z]\w+(?:\.[A-Za-z_]\w+)+(?:\(\))?                 # dotted.name, file.py
        | [A-Za-z]\w*\(\)                                         # call()
        | [A-Za-z]*_\w+                                           # snake_case
        | [a-z]+[A-Z]\w* | [A-Z]+[a-z]+[A-Z]\w* )                 # camelCase, PascalCase
    | (?P<word> [^\W_]+(?:['\u2019][^\W_]+)? )
    | (?P<item> \n[ \t]*(?:[-*\u2022]|\d{1,2}[.)])(?=[ \t]) )     # a listed item
    | (?P<stop> [.!?]+(?=\s|$) | \n )
    | (?P<pause> [,;:()\u2013\u2014] | \s-+\s )
    | (?P<quote> ["\u201c\u201d] )
    )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """Tokenized text.

    Attributes:
        words: every word and name in lower case, in order.
        is_name: for each, whether it is a name from code, whose letters have no meaning.
        clause: for each, the number of its clause.
        commas: pauses that are commas.
        items: listed lines.
        sentences: sentences with at least one word.
        quoted: indexes of the words between double quotes.
    """

    words: tuple[str, ...]
    is_name: tuple[bool, ...]
    clause: tuple[int, ...]
    commas: int
    items: int
    sentences: int
    quoted: frozenset[int]


def tokenize_text(text: str) -> TokenizedText:
    """Tokenize a text."""
    words: list[str] = []
    names: list[bool] = []
    clauses: list[int] = []
    quoted: list[int] = []
    clause = commas = items = sentences = last = 0
    opened: int | None = None
    for found in _TOKEN.finditer("\n" + text):
        kind = found.lastgroup
        if kind in {"plain", "name", "word"}:
            words.append(found[0].lower().replace("\u2019", "'"))
            names.append(kind == "name")
            clauses.append(clause)
            continue
        if kind == "quote":
            if opened is not None:
                quoted += range(opened, len(words))
            opened = len(words) if opened is None else None
            continue
        clause += 1
        commas += found[0] == ","
        if kind == "item":
            items += 1
        if kind in {"item", "stop"} and len(words) > last:
            sentences, last = sentences + 1, len(words)
    sentences += len(words) > last
    return TokenizedText(tuple(words), tuple(names), tuple(clauses), commas, items, sentences, frozenset(quoted))
