"""Prompt templates, rendered in a sandbox with bounded work."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .template_growth import find_text_growth

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

MAX_FUEL = 200_000
"""Limit of instructions of one rendering; a prompt of 500 chunks takes some 10,000."""

MIN_FUEL = 10_000
MAX_WORK = 1_000_000_000
"""Characters times instructions: a long template gets less fuel, because a loop can print all of it."""

MAX_TEMPLATE = 100_000
"""Characters of a template; the rendered text must fit into a response of 19,000."""


MAX_PRINTED = 1_000_000
"""Characters of all printed values of one rendering, so that a loop cannot fill the memory."""

GROWTH_MESSAGE = "a text is joined to itself here, over and over, and would fill the memory"


class PromptError(ValueError):
    """A template that cannot be parsed or rendered.

    Attributes:
        detail: what is wrong, without the place.
        line: counts from 1, or None.
        span: a range of characters of the template, or None.
    """

    def __init__(self, where: str, detail: str, line: int | None = None, span: tuple[int, int] | None = None) -> None:
        super().__init__(f"{where}: {detail}")
        self.detail = detail
        self.line = line
        self.span = span


def render_template(template: str, scope: Mapping[str, Any], name: str) -> str:
    """Render the template over `scope`; nothing is escaped, because a model reads it.

    Raises:
        PromptError: when it cannot be read, names an unknown variable, or runs too long.
    """
    _printed.characters = 0
    try:
        return str(_create_environment(_choose_fuel(template)).render_str(template, name, **scope))
    except _load_library().TemplateError as error:
        raise _to_prompt_error(template, error, name) from None
    except (RecursionError, TypeError, ValueError) as error:
        raise PromptError(name, f"it cannot be rendered: {error}") from None


def check_template(template: str, name: str) -> frozenset[str]:
    """Check the template, and return the names that it reads: `result.agents`.

    Raises:
        PromptError: when it cannot be read.
    """
    if len(template) > MAX_TEMPLATE:
        raise PromptError(name, f"it has {len(template):,} characters; a prompt has at most {MAX_TEMPLATE:,}")
    environment = _create_environment(MAX_FUEL)
    try:
        names = environment.undeclared_variables_in_str(template, nested=True)
    except _load_library().TemplateError as error:
        raise _to_prompt_error(template, error, name) from None
    grows = find_text_growth(template)
    if grows is not None:
        raise PromptError(name, GROWTH_MESSAGE, template.count("\n", 0, grows[0]) + 1, grows)
    own = set(environment.globals)  # `range` and others, which every template has
    return frozenset(name for name in names if name.split(".", 1)[0] not in own)


def has_filter_or_test(kind: str, name: str) -> bool:
    """Check that templates have this filter or test; `kind` is `filter` or `test`."""
    try:
        _create_environment(MAX_FUEL).eval_expr(f"1 | {name}" if kind == "filter" else f"1 is {name}")
    except _load_library().TemplateError as error:
        return str(getattr(error, "kind", "")) not in ("UnknownFilter", "UnknownTest")
    return True


@lru_cache(maxsize=8)
def _create_environment(fuel: int) -> Any:
    environment = _load_library().Environment(undefined_behavior="strict", trim_blocks=True, lstrip_blocks=True)
    environment.fuel = fuel
    environment.finalizer = _count_printed
    return environment


def _load_library() -> ModuleType:
    import minijinja  # noqa: PLC0415 - 11 ms that a list of tools must not pay

    return minijinja


_printed = threading.local()


def _count_printed(value: Any) -> Any:
    """Count the characters of every printed value, to bound them."""
    _printed.characters = getattr(_printed, "characters", 0) + len(value if isinstance(value, str) else str(value))
    if _printed.characters > MAX_PRINTED:
        raise ValueError(f"it prints more than {MAX_PRINTED:,} characters")
    return NotImplemented  # the library's own conversion: an `if` without `else` is empty, and not "None"


def _choose_fuel(template: str) -> int:
    return MAX_FUEL if len(template) <= MAX_WORK // MAX_FUEL else MIN_FUEL


def _to_prompt_error(template: str, error: Any, name: str) -> PromptError:
    line = getattr(error, "line", None)
    detail = getattr(error, "detail", None) or str(error).split("\n", 1)[0]
    if "ran out of fuel" in str(error):
        detail = "the template runs too long; is there an endless loop?"
    where = f"{name}:{line}" if line else name
    return PromptError(where, detail, line, _to_character_span(template, getattr(error, "range", None)))


def _to_character_span(template: str, span: tuple[int, int] | None) -> tuple[int, int] | None:
    """Convert the library's span in bytes of UTF-8 to characters."""
    if span is None:
        return None
    data = template.encode("utf-8", "surrogatepass")
    start, end = (len(data[:offset].decode("utf-8", "ignore")) for offset in span)
    return start, end
