"""Error of an expression that cannot be parsed or evaluated."""

from __future__ import annotations


class ExpressionError(ValueError):
    """An expression that cannot be parsed or evaluated.

    Attributes:
        offset: the character in its text where it fails, or None.
        length: the number of wrong characters.
        help: what to write instead; may be empty.
        replacement: a safe replacement of those characters, or empty.
    """

    def __init__(
        self, message: str, offset: int | None = None, length: int = 1, remedy: str = "", instead: str = ""
    ) -> None:
        super().__init__(message)
        self.replacement = instead
        self.offset = offset
        self.length = length
        self.help = remedy
