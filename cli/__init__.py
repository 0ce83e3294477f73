"""The command line: parse, call one function, render, return its number."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .exit_codes import ExitCode

__all__ = ["ExitCode"]

__getattr__ = export_lazily(
    __name__,
    {
        "exit_codes": ["ExitCode"],
    },
)
