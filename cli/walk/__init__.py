"""Workflow runs at the terminal, with a person or a file of answers as the host."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .prompt import EndOfInputError, Prompter
    from .scripted import parse_typed_value

__all__ = ["EndOfInputError", "Prompter", "parse_typed_value"]

__getattr__ = export_lazily(
    __name__,
    {"prompt": ["EndOfInputError", "Prompter"], "scripted": ["parse_typed_value"]},
)
