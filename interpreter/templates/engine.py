"""Template library: its environment, its errors in our terms, and counters of its work.

Both the process of the server and the worker process use this module. The library's fuel counts instructions; what one
instruction does is counted where it can be large and reaches Python: filters of texts, and printed values.
"""

from __future__ import annotations

import threading
from functools import lru_cache, partial
from operator import is_ as _is_same
from typing import TYPE_CHECKING, Any

from aurora.errors import check_cancelled
from aurora.interpreter.expressions.meter import measure_size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

MAX_FUEL = 200_000
"""Limit of instructions of one rendering; a prompt of 500 chunks takes some 10,000."""
MAX_PRINTED = 1_000_000
"""Characters of all printed values of one rendering, so that a loop cannot fill the memory."""

MAX_DETAIL = 300
"""Characters of an error's detail; a syntax error quotes the template."""

_GROWTH = 6
"""Characters that a filter makes of one, at most, its arguments aside: `escape` writes `&#x27;`."""

_KINDS = {
    "OutOfFuel": "the template runs too long; is there an endless loop?",
    "TemplateNotFound": "tried to include a non-existing template",  # the detail has the names, which can be values
}


class _Spent(threading.local):
    """Counters of the rendering in this thread.

    Attributes:
        characters: the printed characters.
        work_left: what its filters may still do; None in the worker, which is limited from outside.
    """

    characters = 0
    work_left: int | None = None


_spent = _Spent()


class PromptError(ValueError):
    """A template that cannot be parsed or rendered.

    Attributes:
        detail: what is wrong, without the place.
        line: counts from 1, or None.
        span: a range of characters of the template, or None.
    """

    def __init__(
        self, detail: str, line: int | None = None, span: tuple[int, int] | None = None, name: str = "template"
    ) -> None:
        super().__init__(f"{name}:{line}: {detail}" if line else f"{name}: {detail}")
        self.detail = detail
        self.line = line
        self.span = span

    def with_name(self, name: str) -> PromptError:
        """Return the same error of a template of this name."""
        return PromptError(self.detail, self.line, self.span, name)


class OutOfWorkError(PromptError):
    """A rendering that needs more fuel, or more work of filters, than it was given."""


class _TooMuchWorkError(Exception):
    """Work of filters beyond `work_left`."""


class _PrintedTooMuchError(ValueError):
    """Printed values that exceed `MAX_PRINTED`."""

    def __init__(self) -> None:
        super().__init__(f"it prints more than {MAX_PRINTED:,} characters, or a value that is nested too deeply")


def load_library() -> ModuleType:
    """Import the library."""
    import minijinja  # noqa: PLC0415 - 11 ms that a list of tools must not pay

    return minijinja


def render_text(template: str, scope: Mapping[str, Any], name: str, fuel: int, max_filtered: int | None = None) -> str:
    """Render the template over `scope`; nothing is escaped, because a model reads it.

    Raises:
        OutOfWorkError: it needs more than its fuel, or than `max_filtered`.
        PromptError: it cannot be read or rendered.
    """
    _spent.characters, _spent.work_left = 0, max_filtered
    return str(_run_library(template, lambda: _create_environment(fuel).render_str(template, name, **scope)))


def list_variables(template: str) -> frozenset[str]:
    """Parse the template, and return the names that it reads: `result.agents`.

    Raises:
        PromptError: when it cannot be read.
    """
    environment = _create_environment(MAX_FUEL)
    names = _run_library(template, lambda: environment.undeclared_variables_in_str(template, nested=True))
    own = set(environment.globals)  # `range` and others, which every template has
    return frozenset(name for name in names if name.split(".", 1)[0] not in own)


@lru_cache(maxsize=1024)
def has_filter_or_test(kind: str, name: str) -> bool:
    """Check that templates have this filter or test; `kind` is `filter` or `test`."""
    try:
        _load_builtins().eval_expr(f"1 | {name}" if kind == "filter" else f"1 is {name}")
    except load_library().TemplateError as error:
        return str(getattr(error, "kind", "")) not in ("UnknownFilter", "UnknownTest")
    return True


def _run_library(template: str, work: Any) -> Any:
    try:
        return work()
    except load_library().TemplateError as error:
        raise _describe_failure(template, error) from None
    except _TooMuchWorkError:
        raise OutOfWorkError(_KINDS["OutOfFuel"]) from None
    except _PrintedTooMuchError as error:
        raise PromptError(f"it cannot be rendered: {error}") from None
    except RecursionError:
        raise PromptError("it cannot be rendered: its values are nested too deeply") from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a method of a value can raise any; its text can contain the value
        raise PromptError(f"it cannot be rendered: a call in it raises {type(error).__name__}") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of the library, which is not an Exception
            raise
        _create_environment.cache_clear()  # a lock of the environment stays broken
        raise PromptError("it cannot be rendered: the template library failed") from None


@lru_cache(maxsize=32)
def _create_environment(fuel: int) -> Any:
    environment = load_library().Environment(undefined_behavior="chainable", trim_blocks=True, lstrip_blocks=True)
    environment.fuel = fuel
    environment.finalizer = _print_value
    for name in (*_TEXT_FILTERS, "tojson"):
        environment.add_filter(name, partial(_filter_text, name))
    environment.add_filter("join", _join_items)
    for name in ("default", "d"):
        environment.add_filter(name, _give_default)
    return environment


@lru_cache(maxsize=1)
def _load_builtins() -> Any:
    """Load the library's own filters, without ours in their place."""
    return load_library().Environment(undefined_behavior="chainable")


_TEXT_FILTERS = (
    *("capitalize", "e", "escape", "indent", "lower", "pprint", "replace", "reverse", "safe", "string", "title"),
    *("trim", "upper", "urlencode"),
)
"""Filters of the library that would make the text "None" of null, and whose work is counted."""


def _filter_text(name: str, value: Any, *arguments: Any, **named: Any) -> Any:
    """Apply a filter of the library; null is empty, like a field that is missing."""
    if value is None and name != "tojson":
        return ""
    _charge_filter(value, (*arguments, *named.values()))
    given = {f"a{index}": one for index, one in enumerate(arguments)}
    words = [*given, *(f"{key}={key}" for key in named)]
    return _load_builtins().eval_expr(f"value | {name}({', '.join(words)})", value=value, **given, **named)


def _charge_filter(value: Any, arguments: tuple[Any, ...]) -> None:
    """Count the work of a filter before it is done.

    Each part of the value can become as long as the arguments.
    """
    check_cancelled()
    left = _spent.work_left
    if left is None:
        return
    growth = _GROWTH + sum(len(one) if isinstance(one, str) else abs(one) for one in arguments if _has_size(one))
    left -= growth * measure_size((value,), left // growth)
    if left < 0:
        raise _TooMuchWorkError
    _spent.work_left = left


def _has_size(value: Any) -> bool:
    return isinstance(value, str | int)  # a width, or a text that is put in


def _join_items(value: Any, separator: str = "", attribute: str | None = None) -> Any:
    """Join items with the library's filter; one that is null is empty."""
    if attribute is not None:
        value = [item.get(attribute) if isinstance(item, dict) else None for item in value or ()]
    if isinstance(value, list | tuple):
        value = ["" if item is None else item for item in value]
    return _filter_text("join", value, separator)


def _give_default(value: Any, other: Any = "", lax: Any = False) -> Any:  # noqa: FBT002 - as templates call it
    """Give a value in place of null, as in place of a missing field; with `lax` in place of any empty one."""
    return other if value is None or (lax and not value) else value


def _print_value(value: Any) -> Any:
    """Count the characters of a printed value, and print nothing for null.

    A list is measured before it becomes a text.
    """
    if isinstance(value, str):
        size = len(value)
    elif isinstance(value, list | tuple | dict):
        size = measure_size((value,), MAX_PRINTED)
    else:
        size = len(str(value))
    _spent.characters += size
    if _spent.characters > MAX_PRINTED:
        raise _PrintedTooMuchError
    if value is None:
        return ""
    shown = _leave_null_out(value)
    return NotImplemented if shown is value else shown  # the library's own conversion


def _leave_null_out(value: Any) -> Any:
    """Return a printed list or object without the parts that are null; the same where there is none."""
    if isinstance(value, dict):
        fields = {key: _leave_null_out(inner) for key, inner in value.items() if inner is not None}
        return value if len(fields) == len(value) and all(fields[key] is value[key] for key in fields) else fields
    if isinstance(value, list | tuple):
        items = [_leave_null_out(inner) for inner in value if inner is not None]
        return value if len(items) == len(value) and all(map(_is_same, items, value)) else items
    return value


def _describe_failure(template: str, error: Any) -> PromptError:
    """Describe an error by its kind, detail and place.

    The text of the error itself has the values of all variables, however large they are, and is not read.
    """
    kind, detail = str(error.kind), str(error.detail or "")
    if kind in _KINDS:
        detail = _KINDS[kind]
    elif not detail:
        detail = str(error.message)
    if "panic during rendering" in detail:
        _create_environment.cache_clear()  # a lock of the environment stays broken
    if len(detail) > MAX_DETAIL:
        detail = f"{detail[: MAX_DETAIL - 1]}…"
    kind_of_error = OutOfWorkError if kind == "OutOfFuel" else PromptError
    return kind_of_error(detail, error.line, _to_character_span(template, error.range))


def _to_character_span(template: str, span: tuple[int, int] | None) -> tuple[int, int] | None:
    """Convert the library's span in bytes of UTF-8 to characters."""
    if span is None:
        return None
    data = template.encode("utf-8", "surrogatepass")
    start, end = (len(data[:offset].decode("utf-8", "ignore")) for offset in span)
    return start, end
