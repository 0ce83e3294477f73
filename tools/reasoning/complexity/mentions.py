"""Mentions: words of an incident that report none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurora.tools.text import TokenizedText

    from .params import WordGroup
    from .phrases import PhraseMatch


class MentionMarks(NamedTuple):
    """Indexes of words that make a mention of an incident's words.

    Attributes:
        openings: "when", "explain" and similar: the rest of their clause is a mention.
        creations: "add a", "write a" and similar: states in the rest of their clause are mentions.
        ends: "but", "because" and similar, which end it before the clause ends.
        compounds: words that make a name of the noun directly before them ("breach detector").
    """

    openings: frozenset[int]
    creations: frozenset[int]
    ends: frozenset[int]
    compounds: frozenset[int]


class MentionFinder:
    """Finder of mentions in one query.

    Args:
        text: the query.
        marks: the marks in it.
    """

    def __init__(self, text: TokenizedText, marks: MentionMarks) -> None:
        self._text = text
        self._compounds = marks.compounds
        self._quoted = text.quoted if len(text.quoted) < len(text.words) else frozenset[int]()
        self._open = tuple(_follow(text, marks.openings, marks.ends))
        self._created = tuple(_follow(text, marks.creations, marks.ends))

    def split_mentions(
        self, incidents: Iterable[PhraseMatch], group: WordGroup
    ) -> tuple[list[PhraseMatch], list[PhraseMatch]]:
        """Split the words of incidents of a group into those that report one and those that only mention it."""
        split: tuple[list[PhraseMatch], list[PhraseMatch]] = ([], [])
        for incident in incidents:
            split[self.is_mention(incident, group)].append(incident)
        return split

    def is_mention(self, incident: PhraseMatch, group: WordGroup) -> bool:
        """Return whether the words of an incident are only mentioned.

        Args:
            incident: the words of an incident.
            group: their group.
        """
        at, end = incident.position, incident.position + incident.length
        if self._open[at] or at in self._quoted or (group.state and self._created[at]):
            return True
        return group.noun and end in self._compounds and self._text.clause[end] == self._text.clause[at]


def _follow(text: TokenizedText, openings: frozenset[int], ends: frozenset[int]) -> Iterator[bool]:
    """Yield for each word whether an opening is before it in its clause, with no end between."""
    clause, is_open = -1, False
    for at, own in enumerate(text.clause):
        if own != clause or at in ends:
            clause, is_open = own, False
        yield is_open
        is_open = is_open or at in openings
