"""Prompt templates: rendered in a sandbox with bounded work, failing with the line."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

FUEL = 200_000
"""Instructions one rendering may take; a prompt of 500 chunks takes some 10,000."""


class PromptError(ValueError):
    """A template that cannot be read or rendered; `line` counts from 1, `span` is a character range or None."""

    def __init__(self, message: str, line: int | None, span: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.span = span


@lru_cache(maxsize=1)
def _environment() -> Any:
    from minijinja import Environment  # noqa: PLC0415 - 11 ms that listing tools must not pay

    environment = Environment(undefined_behavior="strict", trim_blocks=True, lstrip_blocks=True)
    environment.fuel = FUEL
    return environment


def render(template: str, scope: Mapping[str, Any], name: str) -> str:
    """The template over `scope`; nothing is escaped, for the reader is a model and not a browser.

    Raises:
        PromptError: when it cannot be read, names what is not there, or runs too long.
    """
    return str(_guarded(template, name, scope))


def check(template: str, name: str) -> frozenset[str]:
    """The dotted names that the template takes from its scope, `result.agents`.

    Raises:
        PromptError: when it cannot be read.
    """
    from minijinja import TemplateError  # noqa: PLC0415 - with the environment

    try:
        names = _environment().undeclared_variables_in_str(template, nested=True)
        own = set(_environment().globals)  # `range` and its like stand in every template
        return frozenset(name for name in names if name.split(".", 1)[0] not in own)
    except TemplateError as error:
        raise _prompt_error(error, name) from None


def _guarded(template: str, name: str, scope: Mapping[str, Any]) -> Any:
    from minijinja import TemplateError  # noqa: PLC0415 - with the environment

    try:
        return _environment().render_str(template, name, **scope)
    except TemplateError as error:
        raise _prompt_error(error, name) from None
    except (RecursionError, TypeError, ValueError) as error:
        raise PromptError(f"{name} cannot be rendered: {error}", None) from None


def _prompt_error(error: Any, name: str) -> PromptError:
    line = getattr(error, "line", None)
    detail = getattr(error, "detail", None) or str(error).split("\n", 1)[0]
    if "ran out of fuel" in str(error):
        detail = "the template runs too long; is there an endless loop?"
    where = f"{name}:{line}" if line else name
    return PromptError(f"{where}: {detail}", line, getattr(error, "range", None))
