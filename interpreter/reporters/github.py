"""Problems as workflow commands of GitHub Actions, shown as annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aurora.interpreter.problems import Problem


def format_github(problems: Iterable[Problem]) -> str:
    """Format one line per problem, without a newline at the end.

    Source: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    return "\n".join(_format_annotation(problem) for problem in problems)


def _format_annotation(problem: Problem) -> str:
    properties = {
        "file": problem.path,
        "line": problem.line,
        "col": problem.column,
        "endLine": problem.line,
        "endColumn": problem.end_column,
        "title": f"{problem.code} {problem.name}",
    }
    parameters = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties.items())
    parts = (problem.message, *(f"{word}: {text}" for word, text in _list_remarks(problem)))
    return f"::{problem.severity} {parameters}::{_escape_data(chr(10).join(parts))}"


def _list_remarks(problem: Problem) -> Iterable[tuple[str, str]]:
    return [(word, text) for word, text in (("help", problem.help), ("note", problem.note)) if text]


def _escape_data(text: str) -> str:
    """Escape like `escapeData` of GitHub's toolkit, in packages/core/src/command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Escape like `escapeProperty` of the same file."""
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
