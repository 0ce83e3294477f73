"""Problems as workflow commands of GitHub Actions, which become annotations beside the lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.interpreter.problems.problem import Problem


def github(problems: Iterable[Problem]) -> str:
    """One line a problem, without a newline at the end.

    Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    return "\n".join(_annotation(problem) for problem in problems)


def _annotation(problem: Problem) -> str:
    properties = {
        "file": problem.path,
        "line": problem.line,
        "col": problem.column,
        "endLine": problem.line,
        "endColumn": problem.end_column,
        "title": f"{problem.code} {problem.name}",
    }
    said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    parts = (problem.message, *(f"{word}: {text}" for word, text in _more(problem)))
    return f"::{problem.severity} {said}::{_data(chr(10).join(parts))}"


def _more(problem: Problem) -> Iterable[tuple[str, str]]:
    return [(word, text) for word, text in (("help", problem.help), ("note", problem.note)) if text]


def _data(text: str) -> str:
    """As `escapeData` of https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """As `escapeProperty` of the same file does."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
