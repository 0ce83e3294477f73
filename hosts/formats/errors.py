"""A file that cannot be read as what it should be, and the place where it goes wrong."""

from __future__ import annotations


class ConfigFileError(Exception):
    """Raised by the readers of each form.

    Args:
        message: what is wrong, in a few words.
        line: from 1; 0 when no place is known.
        column: from 1.
        help: the way out, where it is another than mending the file.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0, help: str = "") -> None:  # noqa: A002 - as in a fault
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.help = help

    @classmethod
    def from_offset(cls, message: str, text: str, offset: int) -> ConfigFileError:
        """With the place that an offset into the text is."""
        return cls(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
