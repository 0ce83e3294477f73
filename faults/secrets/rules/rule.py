"""Rule for secrets with a characteristic format, and the helpers that declare one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from aurora.faults.secrets import randomness

if TYPE_CHECKING:
    from collections.abc import Callable

_LEADING_LITERAL = re.compile(r"(?:[A-Za-z0-9_~:/-]|\\[.-])+(?![{*+?])")
_BEFORE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
"""Left boundary of a token: no part of a longer word, unless an escape such as `\\n` or `%3D` ends there.

An underscore may precede it, as in `file_AKIA….py`: the scan then requires a random token.
"""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """Rule for one kind of token.

    Attributes:
        kind: what the token is, with an article: `a GitHub token`.
        marks: case-sensitive strings of which one must occur before the pattern is tried.
        expression: regular expression of the token; it is tried at most `lookback` characters before each mark.
        check: returns True for a token that is no placeholder.
        covers: names of the same rule in the public lists: `gitleaks:NAME`, `detect-secrets:NAME`.
        lookback: characters before a mark in which the token may begin.
    """

    kind: str
    marks: tuple[str, ...]
    expression: str
    check: Callable[[str], bool]
    covers: tuple[str, ...] = ()
    lookback: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled expression; most texts have no mark, and compiling all the rules takes a tenth of a start."""
        return _compile_expression(self.expression)


_compile_expression = cache(re.compile)


def token(  # noqa: PLR0913 - a declaration, whose arguments have names
    kind: str,
    body: str,
    *covers: str,
    marks: tuple[str, ...] = (),
    check: Callable[[str], bool] = randomness.is_varied,
    lookback: int = 0,
    end: str = r"(?![A-Za-z0-9])",
) -> TokenRule:
    """Declare a token.

    Args:
        kind: what it is, with an article.
        body: regular expression of the token without boundaries; repetitions are bounded.
        covers: names of the same rule in the public lists.
        marks: strings of which one must occur; by default the literal beginning of `body`.
        check: returns True for a token that is no placeholder.
        lookback: characters before a mark in which the token may begin.
        end: regular expression of the right boundary.

    Raises:
        ValueError: the body has no literal beginning, and there are no marks.
    """
    literal = _LEADING_LITERAL.match(body)
    found = marks or ((literal[0].replace("\\", ""),) if literal else ())
    if not found:
        message = f"the rule for {kind} needs marks"
        raise ValueError(message)
    return TokenRule(kind, found, f"{_BEFORE}(?:{body}){end}", check, covers, lookback)
