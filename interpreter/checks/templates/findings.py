"""Faults of what a template does with its values: fields, methods, loops, comparisons and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, UnknownName, describe_types, infer_json_types
from aurora.interpreter.problems import codes, did_you_mean, list_names
from aurora.interpreter.templates import find_argument_fault

from .absent import find_absent_fields
from .fault import TemplateFault
from .filters import check_filter_arguments
from .literals import check_literals
from .reads import TemplateReader
from .values import OWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from aurora.interpreter.checks.expressions import Namespace

    from .reads import Read

_PYTHON_TYPES: dict[str, type] = {"string": str, "array": list, "object": dict, "number": float, "boolean": bool}
_LOOPLESS = frozenset({"number", "boolean", "null"})
_CHANGING_METHODS = {
    "array": frozenset({"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}),
    "object": frozenset({"clear", "pop", "popitem", "setdefault", "update"}),
}
"""Methods of Python that change a value, by its type."""


def find_template_faults(
    text: str, scope: Mapping[str, Namespace | Shape | None], optional: AbstractSet[str] = frozenset()
) -> Iterator[TemplateFault]:
    """Find the faults of a template over its names, of which the `optional` inputs may be null.

    A field below a name of the scope, with plain dots, is left to the check of variables.
    """
    reader = TemplateReader(scope)
    reads = list(reader.read(text))
    yield from find_absent_fields(reads, optional)
    for read in reads:
        yield from _check_field(read)
        yield from _check_method(read)
        if isinstance(read.found, Shape) and not read.path.is_called:
            yield from _check_loop(read, read.found)
            yield from check_literals(read, read.found)
    yield from dict.fromkeys(reader.faults)
    yield from check_filter_arguments(text)


def _check_field(read: Read) -> Iterator[TemplateFault]:
    found = read.found
    if not isinstance(found, UnknownName) or (read.path.is_dotted and not read.is_own):
        return
    choices = f"; expected one of {list_names(found.known)}" if found.known else ""
    word = next((part for part in read.path.parts if f'"{part}"' in found.sentence.split(" in ", 1)[0]), "")
    at = read.path.parts.index(word) if word in read.path.parts else len(read.path.parts) - 1
    yield TemplateFault(
        codes.TEMPLATE_VARIABLE,
        read.path.tokens[at].span,
        f'"{read.name}": {found.sentence}{choices}',
        did_you_mean(word, found.known),
    )


def _check_method(read: Read) -> Iterator[TemplateFault]:
    """Report a call of a method that the value lacks; the values are those of Python."""
    if not read.path.is_called or not isinstance(read.found, Shape):
        return
    method = read.path.parts[-1]
    types = infer_json_types(read.found) - {"null"}
    if types and not any(hasattr(_PYTHON_TYPES.get(name, dict), method) for name in types):
        message = f'"{method}" is not a method of {read.found.label}, which is {describe_types(types)}'
        help_ = f"use the filter: `| {method}`" if find_argument_fault(method, 0, ()) != "unknown" else ""
        yield TemplateFault(codes.TEMPLATE_VARIABLE, read.path.tokens[-1].span, message, help_)
    elif OWN in read.found.schema and types and all(method in _CHANGING_METHODS.get(name, ()) for name in types):
        message = f'"{method}" cannot change {read.found.label}'
        help_ = "write `{% set a = a + [b] %}`; in a loop, `{% set n = namespace(a=[]) %}` before it and `n.a` for `a`"
        yield TemplateFault(codes.TEMPLATE_VARIABLE, read.path.tokens[-1].span, message, help_)


def _check_loop(read: Read, shape: Shape) -> Iterator[TemplateFault]:
    types = infer_json_types(shape)
    if read.is_looped and types and types <= _LOOPLESS:
        message = f"a loop needs a list, and {shape.label} is {describe_types(types)}"
        yield TemplateFault(codes.SCHEMA_MISFIT, read.path.tokens[-1].span, message, "name the list itself")
