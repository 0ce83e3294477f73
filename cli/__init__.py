"""The command line: parse, call one function, render, return its number."""

from .exits import ExitCode

__all__ = ["ExitCode"]
