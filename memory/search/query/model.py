"""Parsed query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

QueryKind = Literal["question", "report"]
"""A question is a few words or a sentence; a report is a pasted issue, traceback or log."""


class Mentions(NamedTuple):
    """Files that a report mentions, most important first.

    Attributes:
        paths: paths as written, with `/`; their beginning may be that of another machine.
        modules: dotted names, which may be modules or their members.
    """

    paths: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class Query(NamedTuple):
    """Parsed query.

    Attributes:
        kind: a question or a report.
        text: the text to embed.
        terms: distinct words in lower case, identifiers with their parts.
        words: the same stemmed, as in the index, distinct.
        weights: weights of the words; 1 for a word without one.
        spelt: identifiers that look like code, or are the whole query, unchanged.
        names: the same in lower case: `read_line`, `file.readline`.
        phrases: required phrases, in lower case.
        only_phrases: True when the query consists of phrases only.
        places: locations as in compiler messages and tracebacks: each path and its suffixes, and the line.
        mentions: files that the text of a report mentions.
        asked_roles: roles of files that the query is about, which then have no penalty.
        only_names: True when the query consists of names only.
        possible_name: the only word of a question that is not of its form, as it is spelt; a name when the memory has
            such a definition.
        wants_guide: True when a person asks how to do something themselves, which documents answer.
    """

    kind: QueryKind
    text: str
    terms: tuple[str, ...]
    words: tuple[str, ...]
    weights: Mapping[str, float]
    spelt: tuple[str, ...]
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    only_phrases: bool
    places: tuple[tuple[str, int], ...]
    mentions: Mentions
    asked_roles: frozenset[str]
    only_names: bool
    possible_name: str
    wants_guide: bool
