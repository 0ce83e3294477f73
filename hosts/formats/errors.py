"""Error in a configuration file, with line and column."""

from __future__ import annotations


class ConfigFileError(Exception):
    """Error that the configuration file readers raise.

    Args:
        message: the problem in a few words.
        line: from 1; 0 if the position is unknown.
        column: from 1.
        help: the fix, if it is not to correct the file.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0, help: str = "") -> None:  # noqa: A002 - as in a fault
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.help = help

    @classmethod
    def from_offset(cls, message: str, text: str, offset: int) -> ConfigFileError:
        """Create an error located at an offset in the text."""
        return cls(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
