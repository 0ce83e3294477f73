"""Support of an answer by what it cites, as far as words tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.tools.text import stem_words, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory import Chunk

_MIN_LETTERS = 4
"""Letters of a word that may be about something; shorter words are in any text."""
_ANY = frozenset(stem_words("does explain from happen have make that this what when where which will with your"))


def supports_answer(question: str, answer: str, cited: Sequence[Chunk]) -> bool:
    """Return whether a cited text has a word of the question, or a name from code that the answer has.

    A text that has neither, such as the license, is no support, although its citation resolves. A question without
    any word that a text can be about needs no support of words.
    """
    wanted = frozenset(word for word in stem_words(question) if len(word) >= _MIN_LETTERS) - _ANY
    shown = "\n".join(f"{chunk.path} {chunk.symbol}\n{chunk.text}" for chunk in cited)
    if not wanted or wanted & stem_words(shown):
        return True
    read = tokenize_text(answer)
    names = {word for word, is_name in zip(read.words, read.is_name, strict=True) if is_name}
    lowered = shown.lower()
    return any(name.strip("`()") in lowered for name in names if len(name.strip("`()")) >= _MIN_LETTERS)
