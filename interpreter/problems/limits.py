"""Limit of the problems that are reported for one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import codes
from .problem import Place, sort_problems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .problem import Problem

MAX_PROBLEMS = 200
"""Problems of one workflow that are listed."""


def limit_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Keep the first problems, errors before warnings, and report how many more there are.

    Returns:
        At most `MAX_PROBLEMS` of them in the order of the file, and then one more warning with the number of the rest.
        There is an error among them if there was one before.
    """
    found = sort_problems(problems)
    if len(found) <= MAX_PROBLEMS:
        return found
    errors = [problem for problem in found if problem.severity == "error"]
    warnings = [problem for problem in found if problem.severity != "error"]
    kept = sort_problems((errors + warnings)[:MAX_PROBLEMS])
    last, rest, rest_errors = kept[-1], len(found) - len(kept), max(0, len(errors) - MAX_PROBLEMS)
    message = f"{rest:,} more problems are not listed, {rest_errors:,} of them errors"
    place = Place(last.path, last.line, last.column, last.line, last.end_column)
    return (*kept, codes.MORE_PROBLEMS.make_problem(place, message, help="fix those above, and validate again"))
