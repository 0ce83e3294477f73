"""Limits of a YAML document; with them, reading takes time in proportion to its size.

The limits are far above what a person writes: 2,000 phases, the most that a workflow has, are some 75,000 values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.problems import codes

if TYPE_CHECKING:
    from aurora.interpreter.problems import Place, Problem

MAX_DEPTH = 64
"""Collections around a value."""
MAX_NODES = 100_000
"""Values, counted after aliases are expanded, so that an alias bomb is an error and not a hang."""
MAX_CHARACTERS = 2_000_000
"""Characters of all values after aliases are expanded: a long text may have many aliases."""
MAX_MERGED_KEYS = 100_000
"""Keys that merge keys, `<<`, look at; a chain of them grows with the square of its length."""
MAX_ANCHORS = 10_000
"""Anchors, used or not."""
MAX_DIRECTIVES = 100
"""Lines that begin with `%`; the parser compares each `%TAG` with all others."""
MAX_UNUSED_ANCHORS = 50
"""Unused anchors that are reported one by one."""
MAX_READ_PROBLEMS = 150
"""Problems of a file behind which the rest is not read; fewer than a report lists, so that the last one is seen."""
MAX_REREAD_CHARACTERS = 4_000_000
"""Characters to read again after values without quotes."""
MAX_REREAD_NODES = 100_000
"""Values to read again after values without quotes."""
MAX_PURE_CHARACTERS = 100_000
"""Characters before a syntax error that the pure parser, 4 µs each, reads again for its better message."""
MAX_PURE_EVENTS = 10_000
"""Events of the pure parser, 40 µs each."""


class InvalidYamlError(Exception):
    """Invalid YAML behind which nothing can be read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def make_limit_error(place: Place, message: str, *, help: str = "") -> InvalidYamlError:  # noqa: A002 - the wire's key
    """Create the error of a document that exceeds a limit."""
    return InvalidYamlError(codes.TOO_BIG.make_problem(place, message, help=help))
