"""The command line: parse, call one function, render, return its number."""

from .exit_codes import ExitCode

__all__ = ["ExitCode"]
