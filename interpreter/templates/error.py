"""Error of a template that cannot be parsed or rendered."""

from __future__ import annotations


class PromptError(ValueError):
    """A template that cannot be parsed or rendered.

    Attributes:
        detail: what is wrong, without the place.
        line: counts from 1, or None.
        span: a range of characters of the template, or None.
    """

    def __init__(self, where: str, detail: str, line: int | None = None, span: tuple[int, int] | None = None) -> None:
        super().__init__(f"{where}:{line}: {detail}" if line else f"{where}: {detail}")
        self.detail = detail
        self.line = line
        self.span = span
