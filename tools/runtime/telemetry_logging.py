"""What the library that sends spans complains of: one sentence of ours for all of it."""

from __future__ import annotations

import logging
import sys


def replace_messages(sentence: str) -> None:
    """Take the library's complaints of this process over, and tell them once, in these words."""
    complaints = logging.getLogger("opentelemetry")
    complaints.addHandler(_OnceHandler(sentence))
    complaints.propagate = False


class _OnceHandler(logging.Handler):
    """The library tries again and again, and says so each time; its own words would only tell which library it is."""

    def __init__(self, sentence: str) -> None:
        super().__init__(logging.WARNING)
        self._sentence = sentence

    def emit(self, record: logging.LogRecord) -> None:
        """Say it, the first time."""
        del record
        sys.stderr.write(self._sentence)
        self._sentence = ""
