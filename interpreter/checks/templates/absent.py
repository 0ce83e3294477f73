"""Fields that a value may lack, where a template does with them what an absent value does not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurora.interpreter.checks.expressions import Shape, UnknownName, infer_json_types, is_optional_field
from aurora.interpreter.problems import codes

from .fault import TemplateFault
from .reads import resolve_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from .reads import Read

_FAILING_FILTERS = frozenset({"abs", "count", "dictsort", "filesizeformat", "first", "format", "items", "last"}) | {
    *("length", "lines", "round", "split")
}
"""Filters that fail for an absent value. Measured with minijinja 3.0; an absent value prints as nothing."""
_FAILING_SIGNS = frozenset({"+", "-", "*", "/", "//", "%", "**"})
_EMPTY_VALUES = {
    **dict.fromkeys((*_FAILING_SIGNS, "abs", "round", "filesizeformat"), "0"),
    **dict.fromkeys(("lines", "split", "format"), "''"),
    **dict.fromkeys(("items", "dictsort"), "{}"),
}
"""What stands for an absent value, by the filter or sign; an empty list for others."""
_TESTS = (["is", "defined"], ["is", "undefined"], ["is", "none"], ["is", "not"], ["==", "none"], ["!=", "none"])


def find_absent_fields(reads: Sequence[Read], optional: AbstractSet[str] = frozenset()) -> Iterator[TemplateFault]:
    """Find the optional fields, inputs and nulls that a prompt counts, takes items of or calculates with.

    A field that the template tests, wherever it does so, is left to its author.

    Args:
        reads: the paths that the template reads.
        optional: the inputs that may be null.
    """
    tested = {read.path.parts for read in reads if _is_tested(read)}
    for read in reads:
        if (
            read.path.is_called
            or read.path.parts in tested
            or not (_may_be_absent(read) or _may_be_null(read) or _is_optional_input(read, optional))
        ):
            continue
        operator = _find_failing_operator(read)
        if operator:
            name = read.name.replace("[]", "[0]")
            state = "be absent" if _may_be_absent(read) else "be null"
            message = f'"{name}" may {state}, and "{operator}" fails for it: the prompt would not be rendered'
            other = _EMPTY_VALUES.get(operator, "[]")
            help_ = f"give it a value: `({name} or {other})`, or test it with `{{% if {name} %}}`"
            yield TemplateFault(codes.MAY_BE_ABSENT, read.path.tokens[-1].span, message, help_)


def _is_tested(read: Read) -> bool:
    """Return whether the tag tests the value: `is defined`, or as a condition by itself."""
    before, after = _split_words(read)
    is_condition = before[-1:] in (["if"], ["elif"], ["and"], ["or"], ["not"]) and after[:1] in ([], ["and"], ["or"])
    return after[:2] in _TESTS or is_condition or (after[:1] == [] and before[-1:] == ["if"])


def _find_failing_operator(read: Read) -> str:
    """Find the filter or the sign that fails for an absent value; empty when there is none."""
    before, after = _split_words(read)
    if after[:1] == ["|"] and after[1:2]:
        return after[1] if after[1] in _FAILING_FILTERS else ""
    signs = (*before[-1:], *after[:1])
    return next((sign for sign in signs if sign in _FAILING_SIGNS), "")


def _split_words(read: Read) -> tuple[list[str], list[str]]:
    """List the words of the tag before and behind the path."""
    start, end = read.find_ends()
    words = [token.text for token in read.tag.tokens]
    return words[:start], words[end:]


def _is_optional_input(read: Read, optional: AbstractSet[str]) -> bool:
    """Return whether the path is an optional input itself, with or without `inputs` before it."""
    parts = read.path.parts[1:] if read.path.parts[:1] == ("inputs",) else read.path.parts
    return not read.is_own and len(parts) == 1 and parts[0] in optional


def _may_be_null(read: Read) -> bool:
    """Return whether the schema of the value names null among its types."""
    return isinstance(read.found, Shape) and len(types := infer_json_types(read.found)) > 1 and "null" in types


def _may_be_absent(read: Read) -> bool:
    """Return whether its schema declares a field of the path that a value may lack."""
    for at in range(1, len(read.path.parts)):
        here, _ = resolve_parts(read.root, read.path.parts[1:at])
        if isinstance(here, UnknownName) or here is None:
            return False
        if isinstance(here, Shape) and is_optional_field(here, read.path.parts[at]):
            return True
    return False
